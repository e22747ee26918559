;; Grows a table, a thousand entries at a time, until it is refused; returns how large it got.
(component
  (core module $m
    (table $t 0 funcref)
    (func (export "run") (result i32)
      (loop $again
        (br_if $again (i32.ne (table.grow $t (ref.null func) (i32.const 1000)) (i32.const -1))))
      (table.size $t))
  )
  (core instance $i (instantiate $m))
  (func (export "run") (result u32) (canon lift (core func $i "run")))
)

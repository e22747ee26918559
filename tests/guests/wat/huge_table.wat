;; Wants a table of a hundred million entries before it does anything.
(component
  (core module $m
    (table 100000000 funcref)
    (func (export "run") (result i32) i32.const 7)
  )
  (core instance $i (instantiate $m))
  (func (export "run") (result u32) (canon lift (core func $i "run")))
)

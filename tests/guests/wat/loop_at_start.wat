;; Never finishes being instantiated.
(component
  (core module $m
    (func $start (loop $again (br $again)))
    (start $start)
    (func (export "run") (result i32) i32.const 7)
  )
  (core instance $i (instantiate $m))
  (func (export "run") (result u32) (canon lift (core func $i "run")))
)

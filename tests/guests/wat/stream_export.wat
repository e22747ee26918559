;; A function that takes a stream: the component model's async, which the host leaves out.
(component
  (core module $m
    (func (export "read-all") (param i32) (result i32) i32.const 7)
    (func (export "plain") (result i32) i32.const 7)
  )
  (core instance $i (instantiate $m))
  (type $bytes (stream u8))
  (func (export "read-all") (param "bytes" $bytes) (result u32) (canon lift (core func $i "read-all")))
  (func (export "plain") (result u32) (canon lift (core func $i "plain")))
)

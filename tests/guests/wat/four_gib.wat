;; Wants 4 GiB of memory before it does anything.
(component
  (core module $m
    (memory (export "memory") 65536)
    (func (export "run") (result i32) i32.const 7)
  )
  (core instance $i (instantiate $m))
  (func (export "run") (result u32) (canon lift (core func $i "run")))
)

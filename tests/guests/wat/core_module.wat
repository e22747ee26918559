;; A core module, not a component: what older toolchains make.
(module
  (memory (export "memory") 1)
  (func (export "run") (result i32) i32.const 7)
)

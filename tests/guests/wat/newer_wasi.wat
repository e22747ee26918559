;; Imports a WASI interface in a version that does not exist yet.
(component
  (import "wasi:clocks/monotonic-clock@0.9.0" (instance $clock (export "now" (func (result u64)))))
  (core func $now (canon lower (func $clock "now")))
  (core module $m
    (import "host" "now" (func $now (result i64)))
    (func (export "run") (result i64) call $now)
  )
  (core instance $i (instantiate $m (with "host" (instance (export "now" (func $now))))))
  (func (export "run") (result u64) (canon lift (core func $i "run")))
)

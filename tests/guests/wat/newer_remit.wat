;; Imports an interface of remit's own in a version that this remit does not have.
(component
  (import "remit:host/workspace@99.0.0" (instance $workspace (export "root" (func (result u64)))))
  (core func $root (canon lower (func $workspace "root")))
  (core module $m
    (import "host" "root" (func $root (result i64)))
    (func (export "run") (result i64) call $root)
  )
  (core instance $i (instantiate $m (with "host" (instance (export "root" (func $root))))))
  (func (export "run") (result u64) (canon lift (core func $i "run")))
)

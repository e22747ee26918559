;; Exports an interface of remit's own in a version that this remit does not have.
(component
  (core module $m (func (export "list") (result i32) i32.const 7))
  (core instance $i (instantiate $m))
  (func $list (result u32) (canon lift (core func $i "list")))
  (instance $files (export "list-files" (func $list)))
  (export "remit:files/files@9.0.0" (instance $files))
)

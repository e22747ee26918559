;; Two modules with a memory each, which grow in turns until both are refused; returns how many pages they have together.
(component
  (core module $holder
    (memory $m 1)
    (func (export "grow") (result i32) (memory.grow (i32.const 1)))
    (func (export "size") (result i32) (memory.size))
  )
  (core module $m
    (import "a" "grow" (func $grow-a (result i32)))
    (import "a" "size" (func $size-a (result i32)))
    (import "b" "grow" (func $grow-b (result i32)))
    (import "b" "size" (func $size-b (result i32)))
    (func (export "run") (result i32)
      (loop $again
        (br_if $again
          (i32.ne (i32.and (call $grow-a) (call $grow-b)) (i32.const -1))))
      (i32.add (call $size-a) (call $size-b)))
  )
  (core instance $a (instantiate $holder))
  (core instance $b (instantiate $holder))
  (core instance $i (instantiate $m (with "a" (instance $a)) (with "b" (instance $b))))
  (func (export "run") (result u32) (canon lift (core func $i "run")))
)

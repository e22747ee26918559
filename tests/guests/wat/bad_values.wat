;; Results that no honest toolchain makes: bytes that are no UTF-8, memory that is not there, a number that is no character.
(component
  (core module $m
    (memory (export "memory") 1)
    ;; At 0: a string's address and length.
    (data (i32.const 0) "\10\00\00\00\04\00\00\00")
    (data (i32.const 16) "\ff\fe\c3\28")
    ;; At 32: a string that begins in the last page and ends behind it.
    (data (i32.const 32) "\00\ff\00\00\00\00\00\7f")
    (func (export "no-utf8") (result i32) i32.const 0)
    (func (export "out-of-bounds") (result i32) i32.const 32)
    (func (export "no-char") (result i32) i32.const 0xd800)
  )
  (core instance $i (instantiate $m))
  (alias core export $i "memory" (core memory $memory))
  (func (export "no-utf8") (result string) (canon lift (core func $i "no-utf8") (memory $memory)))
  (func (export "out-of-bounds") (result string) (canon lift (core func $i "out-of-bounds") (memory $memory)))
  (func (export "no-char") (result char) (canon lift (core func $i "no-char")))
)

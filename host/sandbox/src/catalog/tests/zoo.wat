;; A component of the world in zoo.wit. Its functions have the right flat types and end in a trap, which only a
;; call whose arguments were taken reaches.
(component
  (core module $code
    (memory (export "memory") 1)
    (func (export "realloc") (param i32 i32 i32 i32) (result i32) i32.const 64)
    (func (export "integers") (param i32 i32 i32 i32 i32 i32 i64 i64) unreachable)
    (func (export "plain") (param i32 f32 f64 i32 i32 i32 i32 i32) unreachable)
    (func (export "list-files") (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i64 i64) (result i32) unreachable)
    (func (export "nested") (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 f32 f32 i32 i32) unreachable)
    (func (export "undocumented") unreachable))
  (core instance $code (instantiate $code))
  (alias core export $code "memory" (core memory $memory))
  (alias core export $code "realloc" (core func $realloc))

  (type $kind (enum "file" "sym-link"))
  (type $permissions (flags "read" "write"))
  (type $options (record
    (field "max-depth" (option u32))
    (field "kinds" (list $kind))
    (field "permissions" $permissions)))
  (type $filter (variant
    (case "all")
    (case "none")
    (case "by-name" string)
    (case "by-size" (tuple u64 u64))))

  (func $integers
    (param "a" s8) (param "b" u8) (param "c" s16) (param "d" u16)
    (param "e" s32) (param "f" u32) (param "g" s64) (param "h" u64)
    (canon lift (core func $code "integers")))
  (func $plain
    (param "flag" bool) (param "single" f32) (param "double" f64)
    (param "letter" char) (param "text" string) (param "data" (list u8))
    (canon lift (core func $code "plain") (memory $memory) (realloc $realloc)))
  (func $list-files
    (param "path" string) (param "options" (option $options)) (param "filter" $filter)
    (result (result string (error string)))
    (canon lift (core func $code "list-files") (memory $memory) (realloc $realloc)))
  (func $nested
    (param "twice" (option (option u32)))
    (param "either" (result u32 (error string)))
    (param "outcome" (result))
    (param "pair" (tuple string $kind))
    (param "same" (tuple f32 f32))
    (param "grid" (list (list (option bool))))
    (canon lift (core func $code "nested") (memory $memory) (realloc $realloc)))
  (func $undocumented (canon lift (core func $code "undocumented")))

  (instance $zoo
    (export "kind" (type $kind))
    (export "permissions" (type $permissions))
    (export "options" (type $options))
    (export "filter" (type $filter))
    (export "integers" (func $integers))
    (export "plain" (func $plain))
    (export "list-files" (func $list-files))
    (export "nested" (func $nested))
    (export "undocumented" (func $undocumented)))
  (export "test:zoo/zoo@1.0.0" (instance $zoo)))

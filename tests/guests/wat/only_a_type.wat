;; Exports something, but no function.
(component
  (type $word string)
  (export "word" (type $word))
)

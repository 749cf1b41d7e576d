;; Ends its process, with the status of a success.
(module
  (import "wasi:cli/exit@0.2.12" "exit" (func $exit (param i32)))
  (memory (export "memory") 1)
  (func (export "grade") (result i32)
    (call $exit (i32.const 0))
    (i32.const 0)))

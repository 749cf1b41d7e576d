;; Opens standard output again and again, and closes none.
(module
  (import "wasi:cli/stdout@0.2.12" "get-stdout" (func $stdout (result i32)))
  (memory (export "memory") 1)
  (func (export "grade") (result i32)
    (loop $forever (drop (call $stdout)) (br $forever))
    (i32.const 0)))

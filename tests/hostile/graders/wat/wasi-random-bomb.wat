;; Asks for a thousand million random bytes, which the host would have to make
;; before it finds that they do not fit.
(module
  (import "wasi:random/random@0.2.12" "get-random-bytes" (func $random (param i64 i32)))
  (memory (export "memory") 1)
  (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const 1024))
  (func (export "grade") (result i32)
    (call $random (i64.const 1000000000) (i32.const 64))
    (i32.const 0)))

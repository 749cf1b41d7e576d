;; Reads from standard input until something comes.
(module
  (import "wasi:cli/stdin@0.2.12" "get-stdin" (func $stdin (result i32)))
  (import "wasi:io/streams@0.2.12" "[method]input-stream.blocking-read"
    (func $read (param i32 i64 i32)))
  (memory (export "memory") 16)
  (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const 1024))
  (func (export "grade") (result i32)
    (local $in i32)
    (local.set $in (call $stdin))
    (loop $again
      (call $read (local.get $in) (i64.const 1000) (i32.const 64))
      (br_if $again (i32.load8_u (i32.const 64))))
    (i32.const 0)))

;; Prints empty lines without end.
(module
  (import "wasi:cli/stderr@0.2.12" "get-stderr" (func $stderr (result i32)))
  (import "wasi:io/streams@0.2.12" "[method]output-stream.blocking-write-and-flush"
    (func $write (param i32 i32 i32 i32)))
  (memory (export "memory") 32)
  (func (export "grade") (result i32)
    (local $err i32)
    (local.set $err (call $stderr))
    (memory.fill (i32.const 65536) (i32.const 10) (i32.const 65536))
    (loop $forever
      (call $write (local.get $err) (i32.const 65536) (i32.const 65536) (i32.const 64))
      (br $forever))
    (i32.const 0)))

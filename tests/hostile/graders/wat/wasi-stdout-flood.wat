;; Prints megabytes without end.
(module
  (import "wasi:cli/stdout@0.2.12" "get-stdout" (func $stdout (result i32)))
  (import "wasi:io/streams@0.2.12" "[method]output-stream.blocking-write-and-flush"
    (func $write (param i32 i32 i32 i32)))
  (memory (export "memory") 32)
  (func (export "grade") (result i32)
    (local $out i32)
    (local.set $out (call $stdout))
    (memory.fill (i32.const 65536) (i32.const 120) (i32.const 0x100000))
    (loop $forever
      (call $write (local.get $out) (i32.const 65536) (i32.const 0x100000) (i32.const 64))
      (br $forever))
    (i32.const 0)))

;; Writes a byte 60 MiB beyond the end of a file through a stream, cuts the file,
;; and does it again without end: zeros that the host writes.
(module
  (import "wasi:filesystem/preopens@0.2.12" "get-directories" (func $directories (param i32)))
  (import "wasi:filesystem/types@0.2.12" "[method]descriptor.open-at"
    (func $open (param i32 i32 i32 i32 i32 i32 i32)))
  (import "wasi:filesystem/types@0.2.12" "[method]descriptor.set-size"
    (func $cut (param i32 i64 i32)))
  (import "wasi:filesystem/types@0.2.12" "[method]descriptor.write-via-stream"
    (func $stream (param i32 i64 i32)))
  (import "wasi:io/streams@0.2.12" "[method]output-stream.write"
    (func $write (param i32 i32 i32 i32)))
  (import "wasi:io/streams@0.2.12" "[resource-drop]output-stream" (func $close (param i32)))
  (memory (export "memory") 1)
  (global $next (mut i32) (i32.const 2048))
  (data (i32.const 16) "tmp/bomb")
  (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32)
    (global.get $next)
    (global.set $next (i32.and (i32.const -16)
      (i32.add (i32.const 15) (i32.add (global.get $next) (local.get 3))))))
  (func (export "grade") (result i32)
    (local $file i32) (local $out i32)
    (call $directories (i32.const 128))
    ;; create, write
    (call $open (i32.load (i32.load (i32.const 128))) (i32.const 0) (i32.const 16) (i32.const 8)
      (i32.const 1) (i32.const 2) (i32.const 128))
    (if (i32.load8_u (i32.const 128)) (then unreachable))
    (local.set $file (i32.load (i32.const 132)))
    (loop $again
      (call $stream (local.get $file) (i64.const 0x3c00000) (i32.const 128))
      (if (i32.load8_u (i32.const 128)) (then unreachable))
      (local.set $out (i32.load (i32.const 132)))
      (call $write (local.get $out) (i32.const 0) (i32.const 1) (i32.const 128))
      (if (i32.load8_u (i32.const 128)) (then unreachable))
      (call $close (local.get $out))
      (call $cut (local.get $file) (i64.const 0) (i32.const 128))
      (br $again))
    unreachable))

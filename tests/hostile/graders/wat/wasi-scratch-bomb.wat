;; Writes a byte half a gigabyte beyond the end of a file, and then megabytes
;; until there is no more place.
(module
  (import "wasi:filesystem/preopens@0.2.12" "get-directories" (func $directories (param i32)))
  (import "wasi:filesystem/types@0.2.12" "[method]descriptor.open-at"
    (func $open (param i32 i32 i32 i32 i32 i32 i32)))
  (import "wasi:filesystem/types@0.2.12" "[method]descriptor.write"
    (func $write (param i32 i32 i32 i64 i32)))
  (memory (export "memory") 32)
  (global $next (mut i32) (i32.const 2048))
  (data (i32.const 16) "tmp/bomb")
  (data (i32.const 32) "\01\00\00\00\00\00\00\00\30\00\00\00\0a\00\00\00it is full")
  (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32)
    (global.get $next)
    (global.set $next (i32.and (i32.const -16)
      (i32.add (i32.const 15) (i32.add (global.get $next) (local.get 3))))))
  (func (export "grade") (result i32)
    (local $file i32) (local $at i64)
    (call $directories (i32.const 128))
    ;; create, write
    (call $open (i32.load (i32.load (i32.const 128))) (i32.const 0) (i32.const 16) (i32.const 8)
      (i32.const 1) (i32.const 2) (i32.const 128))
    (if (i32.load8_u (i32.const 128)) (then unreachable))
    (local.set $file (i32.load (i32.const 132)))
    ;; far beyond the end: refused
    (call $write (local.get $file) (i32.const 0) (i32.const 1) (i64.const 0x20000000) (i32.const 128))
    (if (i32.eqz (i32.load8_u (i32.const 128))) (then unreachable))
    (loop $more
      (call $write (local.get $file) (i32.const 65536) (i32.const 0x100000) (local.get $at)
        (i32.const 128))
      (local.set $at (i64.add (local.get $at) (i64.const 0x100000)))
      (br_if $more (i32.eqz (i32.load8_u (i32.const 128)))))
    (i32.const 32)))

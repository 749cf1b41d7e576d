;; Makes two thousand files with long names, lists them again and again, and
;; closes no listing.
(module
  (import "wasi:filesystem/preopens@0.2.12" "get-directories" (func $directories (param i32)))
  (import "wasi:filesystem/types@0.2.12" "[method]descriptor.create-directory-at"
    (func $make (param i32 i32 i32 i32)))
  (import "wasi:filesystem/types@0.2.12" "[method]descriptor.open-at"
    (func $open (param i32 i32 i32 i32 i32 i32 i32)))
  (import "wasi:filesystem/types@0.2.12" "[method]descriptor.read-directory"
    (func $list (param i32 i32)))
  (memory (export "memory") 1)
  (data (i32.const 32) "\01\00\00\00\00\00\00\00\30\00\00\00\0f\00\00\00no more to list")
  (global $next (mut i32) (i32.const 2048))
  (data (i32.const 1024) "tmp/")
  (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32)
    (global.get $next)
    (global.set $next (i32.and (i32.const -16)
      (i32.add (i32.const 15) (i32.add (global.get $next) (local.get 3))))))
  (func (export "grade") (result i32)
    (local $root i32) (local $n i32)
    (call $directories (i32.const 128))
    (local.set $root (i32.load (i32.load (i32.const 128))))
    (memory.fill (i32.const 1028) (i32.const 120) (i32.const 200))
    (loop $make
      (i32.store8 (i32.const 1030) (i32.add (i32.const 48) (i32.and (local.get $n) (i32.const 15))))
      (i32.store8 (i32.const 1031) (i32.add (i32.const 48)
        (i32.and (i32.shr_u (local.get $n) (i32.const 4)) (i32.const 15))))
      (i32.store8 (i32.const 1032) (i32.add (i32.const 48)
        (i32.shr_u (local.get $n) (i32.const 8))))
      (call $make (local.get $root) (i32.const 1024) (i32.const 204) (i32.const 128))
      (if (i32.load8_u (i32.const 128)) (then unreachable))
      (local.set $n (i32.add (local.get $n) (i32.const 1)))
      (br_if $make (i32.lt_u (local.get $n) (i32.const 2000))))
    (call $open (local.get $root) (i32.const 0) (i32.const 1024) (i32.const 3)
      (i32.const 2) (i32.const 1) (i32.const 128))
    (if (i32.load8_u (i32.const 128)) (then unreachable))
    (local.set $root (i32.load (i32.const 132)))
    (loop $more
      (call $list (local.get $root) (i32.const 128))
      (br_if $more (i32.eqz (i32.load8_u (i32.const 128)))))
    (i32.const 32)))

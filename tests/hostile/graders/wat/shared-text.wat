;; Answers with a hundred thousand notes that are all the same megabyte: little
;; for it, a hundred gigabytes for a host that copies them.
(module
  (memory (export "memory") 64)
  (data (i32.const 24) "\00\00\20\00\a0\86\01\00")
  (func (export "grade") (result i32)
    (local $at i32)
    (memory.fill (i32.const 0x100000) (i32.const 97) (i32.const 0x100000))
    (local.set $at (i32.const 0x200000))
    (loop $more
      (i32.store (local.get $at) (i32.const 0x100000))
      (i32.store offset=4 (local.get $at) (i32.const 0x100000))
      (local.set $at (i32.add (local.get $at) (i32.const 8)))
      (br_if $more (i32.lt_u (local.get $at) (i32.const 0x2c3500))))
    (i32.const 0)))

;; Does work in single instructions that each move sixteen megabytes.
(module
  (memory (export "memory") 512)
  (func (export "grade") (result i32)
    (loop $forever
      (memory.fill (i32.const 0) (i32.const 255) (i32.const 0x1000000))
      (memory.copy (i32.const 0x1000000) (i32.const 0) (i32.const 0x1000000))
      (br $forever))
    (i32.const 0)))

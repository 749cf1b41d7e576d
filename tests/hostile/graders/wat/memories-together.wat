;; Takes its memory in pieces that are each within the limit.
(module
  (memory (export "memory") 1)
  (memory $a 1) (memory $b 1) (memory $c 1)
  (func (export "grade") (result i32)
    (if (i32.eq (i32.const -1) (memory.grow $a (i32.const 2000))) (then unreachable))
    (if (i32.eq (i32.const -1) (memory.grow $b (i32.const 2000))) (then unreachable))
    (if (i32.eq (i32.const -1) (memory.grow $c (i32.const 2000))) (then unreachable))
    (i32.const 0)))

;; Breaks in a function whose name would clear the screen of whoever reads it.
(module
  (memory (export "memory") 1)
  (func $f (@name "\1b[2J\1b]0;owned\07\e2\80\ae") (unreachable))
  (func (export "grade") (result i32) (call $f) (i32.const 0)))

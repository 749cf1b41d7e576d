;; Has one of its parts hand another one sixteen megabytes of text again and
;; again, each in an encoding of its own: it is the host that converts them, and
;; fuel does not count it.
(component $beside
  (component $listener
    (core module $m
      (memory (export "memory") 600)
      (func (export "realloc") (param i32 i32 i32 i32) (result i32) (i32.const 0))
      (func (export "hear") (param i32 i32)))
    (core instance $i (instantiate $m))
    (func (export "hear") (param "text" string)
      (canon lift (core func $i "hear") string-encoding=utf16
        (memory (core memory $i "memory")) (realloc (core func $i "realloc")))))
  (component $speaker
    (import "hear" (func $hear (param "text" string)))
    (core module $memory (memory (export "memory") 300))
    (core instance $memory (instantiate $memory))
    (core func $lowered (canon lower (func $hear) string-encoding=utf8
      (memory (core memory $memory "memory"))))
    (core module $m
      (import "" "hear" (func $hear (param i32 i32)))
      (import "" "memory" (memory 300))
      (func (export "speak")
        (memory.fill (i32.const 0) (i32.const 97) (i32.const 0x1000000))
        (loop $forever
          (call $hear (i32.const 0) (i32.const 0x1000000))
          (br $forever))))
    (core instance $i (instantiate $m (with "" (instance
      (export "hear" (func $lowered))
      (export "memory" (memory $memory "memory"))))))
    (func (export "speak") (canon lift (core func $i "speak"))))
  (instance $l (instantiate $listener))
  (instance $s (instantiate $speaker (with "hear" (func $l "hear"))))
  (component $starter
    (import "speak" (func $speak))
    (core func $lowered (canon lower (func $speak)))
    (core module $m (import "" "speak" (func $speak)) (start $speak))
    (core instance (instantiate $m (with "" (instance (export "speak" (func $lowered)))))))
  (instance (instantiate $starter (with "speak" (func $s "speak")))))

;; Answers with ten million notes.
(module
  (memory (export "memory") 1300)
  ;; ok, no criteria, no adjustments, notes at 65536, no thresholds
  (data (i32.const 24) "\00\00\01\00\80\96\98\00")
  (func (export "grade") (result i32) (i32.const 0)))

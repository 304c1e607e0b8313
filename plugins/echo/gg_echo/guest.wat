;; The module of one program: guest ABI v1 in its core form.
(module
  (import "gg" "call" (func $call (param i32 i32 i32 i32) (result i32)))
  (import "gg" "take" (func $take (param i32) (result i32)))
  (import "gg" "log" (func $log (param i32 i32)))
  (import "gg" "report" (func $report (param i32 i32)))
  (memory (export "memory") $PAGES)
  ;; The log ring: its capacity, and how much of it is used. This guest logs by `log` alone and leaves it empty.
  (global (export "gg_log") i32 (i32.const 16))
  (data (i32.const 16) "\00\00\00\00\00\00\00\00")
  (data (i32.const 64) "{\22kind\22:\22failed\22,\22parts\22:[[\22message\22,\22the view was refused\22]]}")
  (data (i32.const 65536) "$CALL_BYTES")
  (data (i32.const $LOG_OFFSET) "$LOG_BYTES")
  (global $heap (mut i32) (i32.const $HEAP))
  (func (export "gg_abi") (result i32) (i32.const 1))
  (func (export "gg_alloc") (param $size i32) (result i32)
    (global.get $heap)
    (global.set $heap (i32.add (global.get $heap) (local.get $size))))
  (func (export "gg_run") (param i32 i32 i32 i32)
    (call $log (i32.const $LOG_OFFSET) (i32.const $LOG_LENGTH))
    $TRAP
    (drop (call $call (i32.const 65536) (i32.const $CALL_LENGTH) (i32.const 1024) (i32.const 4096)))
    ;; An answer begins `[{"ok":t` or `[{"ok":f`: anything but t is a failure.
    (if (i32.ne (i32.load8_u (i32.const 1031)) (i32.const 116))
      (then (call $report (i32.const 64) (i32.const 62))))))

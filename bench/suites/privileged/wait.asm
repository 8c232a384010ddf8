; Waiting: with a deadline that has passed, so that no row waits.
%include "bench/suites/privileged/privileged.inc"

UNIT privileged_monitor
    mov rax, rsi
    xor ecx, ecx
    xor edx, edx
    monitor
ENDUNIT

; The state is the row's `arg`, the deadline edx:eax.
%macro WAITS_NOT 0
    db 0xb9                     ; mov ecx, imm32
    FIXUP FIXUP_ARG
    xor eax, eax
    xor edx, edx
%endmacro

UNIT privileged_tpause
    WAITS_NOT
    db 0x66, 0x0f, 0xae, 0xf1   ; tpause ecx
ENDUNIT

UNIT privileged_umwait
    db 0xf3, 0x0f, 0xae, 0xf6   ; umonitor rsi
    WAITS_NOT
    db 0xf2, 0x0f, 0xae, 0xf1   ; umwait ecx
ENDUNIT

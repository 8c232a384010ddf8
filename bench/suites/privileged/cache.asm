; Writing back and invalidating all caches.
%include "bench/suites/privileged/privileged.inc"

%define LINE 64
%define LINES 2048

UNIT privileged_wbinvd
    wbinvd
ENDUNIT

UNIT privileged_wbnoinvd
    db 0xf3, 0x0f, 0x09         ; wbnoinvd
ENDUNIT

; Histories: all lines are in memory; then LINES of them are read, or written.
%macro AFTER_WBINVD 2+ ; name, what is done with each line
UNIT privileged_%1
    wbinvd
    mov rsi, [OBJECT + OBJECT_ROOM]
    mov edi, LINES
.line:
    %2
    add rsi, LINE
    dec edi
    jnz .line
ENDUNIT
%endmacro
AFTER_WBINVD lines_read, mov r8, [rsi]
AFTER_WBINVD lines_written, mov [rsi], rsi

; Chains that reveal the execution: each instruction waits for the one before (docs/checks.md
; "Linearity", "Truth").
%include "bench/engine/unit.inc"

UNIT chain_nop
    nop
ENDUNIT

; The ruler: never `add r,imm`, which some cores remove at rename.
UNIT chain_add
    add rsi, rsi
ENDUNIT

UNIT chain_imul
    imul rsi, rsi
ENDUNIT

; Divides edx:eax by 2^32 - 1, which the window gets as FUNCTION: edx stays below it, so there is no
; overflow.
UNIT chain_div
    div r13d
ENDUNIT

UNIT chain_addsd
    addsd xmm0, xmm0
ENDUNIT

; Runs before the first reading: sets zero, so that no chain of sums reaches a denormal.
UNIT chain_before
    xorps xmm0, xmm0
ENDUNIT

; Chains of suite `truth`: each instruction waits for the one before it, through one register. What
; the register holds at first does not matter: none of these is faster or slower for some operands.
%include "bench/window/unit.inc"

UNIT truth_add
    add eax, eax
ENDUNIT

UNIT truth_neg
    neg eax
ENDUNIT

UNIT truth_ror
    ror eax, 7
ENDUNIT

UNIT truth_lea
    lea eax, [rax + rax]
ENDUNIT

; The flags are whatever they are: neither way is the register written without waiting for itself.
UNIT truth_cmov
    cmovz eax, ecx
ENDUNIT

UNIT truth_imul
    imul eax, eax
ENDUNIT

UNIT truth_imul64
    imul rax, rax
ENDUNIT

; The object's first word points to itself (setup), so the register keeps its value.
UNIT truth_load
    mov OBJECT, [OBJECT + OBJECT_COUNTER]
ENDUNIT

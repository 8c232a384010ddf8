; Saving and restoring extended state. The row's `arg` selects components: bits of XCR0.
%include "bench/suites/privileged/privileged.inc"

%macro STATES 1-*
    %rep %0
UNIT privileged_%1
    db 0xb8                     ; mov eax, imm32
    FIXUP FIXUP_ARG
    xor edx, edx
    %1 [rsi + PRIVILEGED_MEMORY]
ENDUNIT
    %rotate 1
    %endrep
%endmacro
STATES xsave, xsaveopt, xsavec, xsaves, xrstor, xrstors

; Histories: which components differ from their initial state, after privileged_load has set rsi.
UNIT privileged_nothing_used
    mov rsi, [OBJECT + OBJECT_ROOM]
    vzeroall
ENDUNIT

UNIT privileged_ymm_used
    mov rsi, [OBJECT + OBJECT_ROOM]
    vxorps xmm0, xmm0, xmm0
    vcmpps ymm0, ymm0, ymm0, 0  ; all ones: 0 equals 0
ENDUNIT

UNIT privileged_zmm_used
    mov rsi, [OBJECT + OBJECT_ROOM]
    vpternlogd zmm0, zmm0, zmm0, 0xff ; all ones
ENDUNIT

; Bodies of suite `calls` in NASM, one operation each, and what they call. The callee of an _inc row
; does ++*x, x being OBJECT's counter, its first word.
%include "bench/unit.inc"

UNIT inline_inc
    inc qword [OBJECT + OBJECT_COUNTER]
ENDUNIT

UNIT direct
    db 0xe8                     ; call rel32
    FIXUP FIXUP_CALLEE
ENDUNIT
UNIT direct_inc
    mov rdi, OBJECT
    db 0xe8
    FIXUP FIXUP_CALLEE
ENDUNIT

UNIT plt
    db 0xe8
    FIXUP FIXUP_STUB
ENDUNIT
UNIT plt_inc
    mov rdi, OBJECT
    db 0xe8
    FIXUP FIXUP_STUB
ENDUNIT

UNIT got
    db 0xff, 0x15               ; call [rip + disp32]
    FIXUP FIXUP_SLOT
ENDUNIT
UNIT got_inc
    mov rdi, OBJECT
    db 0xff, 0x15
    FIXUP FIXUP_SLOT
ENDUNIT

UNIT register
    call FUNCTION
ENDUNIT
UNIT register_inc
    mov rdi, OBJECT
    call FUNCTION
ENDUNIT

UNIT virtual
    mov rax, [OBJECT + OBJECT_VTABLE]
    call [rax + VTABLE_METHOD]
ENDUNIT
UNIT virtual_inc
    mov rdi, OBJECT
    mov rax, [OBJECT + OBJECT_VTABLE]
    call [rax + VTABLE_METHOD]
ENDUNIT

UNIT callee
    ret
ENDUNIT
UNIT callee_inc
    inc qword [rdi]
    ret
ENDUNIT

UNIT stub_plt
    db 0xff, 0x25               ; jmp [rip + disp32]
    FIXUP FIXUP_SLOT
ENDUNIT
UNIT stub_plt_endbr
    endbr64
    db 0xff, 0x25
    FIXUP FIXUP_SLOT
ENDUNIT

; Bodies of suite `calls` in NASM, one operation each, and their callees. The callee of an _inc row
; does ++*x; x is OBJECT's counter, its first word.
%include "bench/engine/unit.inc"

; Calls and jumps as bytes: their target is a fixup, which NASM does not know.
%macro CALL_REL32 1
    db 0xe8
    FIXUP %1
%endmacro
%macro JMP_REL32 1
    db 0xe9
    FIXUP %1
%endmacro
%macro CALL_SLOT 0              ; call [rip + disp32]
    db 0xff, 0x15
    FIXUP FIXUP_SLOT
%endmacro
%macro JMP_SLOT 0               ; jmp [rip + disp32]
    db 0xff, 0x25
    FIXUP FIXUP_SLOT
%endmacro

UNIT calls_inline_inc
    inc qword [OBJECT + OBJECT_COUNTER]
ENDUNIT

UNIT calls_direct
    CALL_REL32 FIXUP_CALLEE
ENDUNIT
UNIT calls_direct_inc
    mov rdi, OBJECT
    CALL_REL32 FIXUP_CALLEE
ENDUNIT

UNIT calls_plt
    CALL_REL32 FIXUP_STUB
ENDUNIT
UNIT calls_plt_inc
    mov rdi, OBJECT
    CALL_REL32 FIXUP_STUB
ENDUNIT

UNIT calls_got
    CALL_SLOT
ENDUNIT
UNIT calls_got_inc
    mov rdi, OBJECT
    CALL_SLOT
ENDUNIT

UNIT calls_register
    call FUNCTION
ENDUNIT
UNIT calls_register_inc
    mov rdi, OBJECT
    call FUNCTION
ENDUNIT

UNIT calls_virtual
    mov rax, [OBJECT + OBJECT_VTABLE]
    call [rax + VTABLE_METHOD]
ENDUNIT
UNIT calls_virtual_inc
    mov rdi, OBJECT
    mov rax, [OBJECT + OBJECT_VTABLE]
    call [rax + VTABLE_METHOD]
ENDUNIT

UNIT calls_callee
    ret
ENDUNIT
UNIT calls_callee_inc
    inc qword [rdi]
    ret
ENDUNIT

UNIT calls_stub_plt
    JMP_SLOT
ENDUNIT
UNIT calls_stub_plt_endbr
    endbr64
    JMP_SLOT
ENDUNIT

UNIT calls_stub_tail
    JMP_REL32 FIXUP_CALLEE
ENDUNIT

; The thunk that GCC and Linux call __x86_indirect_thunk_r11 (Intel, "Retpoline: A Branch Target
; Injection Mitigation", 337131): the predicted return of the call enters an endless loop, the RET
; goes to r11.
UNIT calls_retpoline
    mov r11, FUNCTION
    CALL_REL32 FIXUP_STUB
ENDUNIT
UNIT calls_retpoline_inc
    mov rdi, OBJECT
    mov r11, FUNCTION
    CALL_REL32 FIXUP_STUB
ENDUNIT
UNIT calls_stub_retpoline
    call .set
.nowhere:
    pause
    lfence
    jmp .nowhere
.set:
    mov [rsp], r11
    ret
ENDUNIT

; The same call with the stack aligned as the ABI requires at a call, a multiple of 16, and
; misaligned by 8. In the callee four 16-byte stores and loads fill 64 bytes. If misaligned by 8,
; one of them straddles two cache lines.
UNIT calls_stack_aligned
    sub rsp, 16
    CALL_REL32 FIXUP_CALLEE
    add rsp, 16
ENDUNIT
UNIT calls_stack_misaligned
    sub rsp, 8
    CALL_REL32 FIXUP_CALLEE
    add rsp, 8
ENDUNIT
UNIT calls_callee_stack
    sub rsp, 72                 ; with 8 bytes of return address: a multiple of 16 again
    movups [rsp], xmm0
    movups [rsp + 16], xmm1
    movups [rsp + 32], xmm2
    movups [rsp + 48], xmm3
    movups xmm0, [rsp]
    movups xmm1, [rsp + 16]
    movups xmm2, [rsp + 32]
    movups xmm3, [rsp + 48]
    inc qword [OBJECT + OBJECT_COUNTER]
    add rsp, 72
    ret
ENDUNIT

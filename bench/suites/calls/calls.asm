; Bodies of suite `calls` in NASM, one operation each, and what they call. The callee of an _inc row
; does ++*x, x being OBJECT's counter, its first word.
%include "bench/window/unit.inc"

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

UNIT stub_tail
    db 0xe9                     ; jmp rel32
    FIXUP FIXUP_CALLEE
ENDUNIT

; The thunk that GCC and Linux call __x86_indirect_thunk_r11 (Intel, "Retpoline: A Branch Target
; Injection Mitigation", 337131): the call's own prediction runs into a loop that goes nowhere, the
; RET goes to r11.
UNIT retpoline
    mov r11, FUNCTION
    db 0xe8
    FIXUP FIXUP_STUB
ENDUNIT
UNIT retpoline_inc
    mov rdi, OBJECT
    mov r11, FUNCTION
    db 0xe8
    FIXUP FIXUP_STUB
ENDUNIT
UNIT stub_retpoline
    call .set
.nowhere:
    pause
    lfence
    jmp .nowhere
.set:
    mov [rsp], r11
    ret
ENDUNIT

; The same call with the stack as the ABI wants it at a call, a multiple of 16, and 8 away from
; that. In the callee four 16-byte stores and loads fill 64 bytes: 8 away, one of them lies across
; two cache lines.
UNIT stack_aligned
    sub rsp, 16
    db 0xe8
    FIXUP FIXUP_CALLEE
    add rsp, 16
ENDUNIT
UNIT stack_misaligned
    sub rsp, 8
    db 0xe8
    FIXUP FIXUP_CALLEE
    add rsp, 8
ENDUNIT
UNIT callee_stack
    sub rsp, 72                 ; 8 of return address: a multiple of 16 again
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

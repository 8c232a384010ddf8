; bench/api/step.h. The trap flag is RFLAGS bit 8; POPF delays its first trap by one instruction
; (Intel SDM vol. 3B section 18.3.1.4), which is the call.
bits 64
default rel
section .text

global step_enter:function hidden
global step_back:function hidden
step_enter:
        push    rbx
        mov     rax, rsi
        mov     r11, rdi
        mov     rdi, [r11]
        mov     rsi, [r11 + 8]
        mov     rdx, [r11 + 16]
        mov     rcx, [r11 + 24]
        mov     r8, [r11 + 32]
        pushfq
        or      dword [rsp], 0x100
        popfq
        call    rax
step_back:
        pop     rbx
        ret

; Has no jump, so that the test fails if only branches trap (DEBUGCTL.BTF).
global step_known:function hidden
step_known:
%rep 15
        nop
%endrep
        ret

section .note.GNU-stack noalloc noexec nowrite progbits

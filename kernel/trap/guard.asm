; A call that a trap handler can end (kernel/trap/guard.h). The state to restore is on the stack, at
; *rdi: the registers that the ABI preserves, MXCSR and the x87 control word.
bits 64
default rel
section .text

; bool guard_enter(volatile uint64_t *rdi, void (*rsi)(void *), void *rdx)      (System V)
global guard_enter:function hidden
guard_enter:
        push    rbp
        mov     rbp, rsp
        push    rbx
        push    r12
        push    r13
        push    r14
        push    r15
        sub     rsp, 16
        stmxcsr [rsp]
        fnstcw  [rsp + 4]
        push    rdi             ; the stack is a multiple of 16 now
        mov     [rdi], rsp
        mov     rdi, rdx
        call    rsi
        cld
        pop     rdi
        mov     qword [rdi], 0
        mov     eax, 1
        jmp     restore

; A handler continues here with the stack pointer from *rdi.
global guard_exit:function hidden
guard_exit:
        pop     rdi
        xor     eax, eax
restore:
        fninit
        fldcw   [rsp + 4]
        ldmxcsr [rsp]
        add     rsp, 16
        pop     r15
        pop     r14
        pop     r13
        pop     r12
        pop     rbx
        pop     rbp
        ret

section .note.GNU-stack noalloc noexec nowrite progbits

; A call that a trap's handler can leave in the middle (kernel/trap/guard.h). What is to be as
; before lies on the stack, and *rdi says where: registers that the ABI wants kept, MXCSR and the
; x87's control word.
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

; A handler comes here with the stack that it found in *rdi.
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

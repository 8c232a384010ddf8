; Switches from the firmware's stack to ours, and back: see kernel/cpu/cpu_state.h.
bits 64
default rel
section .text

; int entry_visit(void *argument, uint64_t stack_top, void (*go)(void *), uint64_t *back)
; As entry_switch, but entry_return(*back, status) makes it return the status.
global entry_visit:function hidden
entry_visit:
        push    rbp
        push    rbx
        push    r12
        push    r13
        push    r14
        push    r15
        pushfq
        mov     [rcx], rsp
; _Noreturn void entry_switch(void *argument, uint64_t stack_top, void (*go)(void *))
global entry_switch:function hidden
entry_switch:
        push    2               ; only the fixed bit: IF, DF, TF, NT, AC are clear
        popfq
        mov     rsp, rsi        ; 16-byte aligned; the call pushes its return address below
        xor     ebp, ebp        ; where a backtrace ends
        call    rdx
        ud2

; _Noreturn void entry_return(uint64_t back, int status)
; Works from any stack. Uses IRET, since it may run in an NMI handler: NMIs stay blocked until
; then (Intel SDM vol. 3A section 6.7.1).
global entry_return:function hidden
entry_return:
        mov     eax, esi
        mov     rsp, rdi
        mov     ecx, ss
        push    rcx
        push    rdi
        push    2
        mov     ecx, cs
        push    rcx
        lea     rcx, [.back]
        push    rcx
        iretq
.back:
        popfq
        pop     r15
        pop     r14
        pop     r13
        pop     r12
        pop     rbx
        pop     rbp
        ret

section .note.GNU-stack noalloc noexec nowrite progbits

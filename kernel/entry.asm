; From the firmware's stack to our own.
bits 64
default rel
section .text

; _Noreturn void entry_switch(void *argument, uint64_t stack_top, void (*go)(void *))
global entry_switch:function hidden
entry_switch:
        push    2               ; only the fixed bit: IF, DF, TF, NT, AC are clear
        popfq
        mov     rsp, rsi        ; 16-byte aligned; the call's return address stands below it
        xor     ebp, ebp        ; where a backtrace ends
        call    rdx
        ud2

section .note.GNU-stack noalloc noexec nowrite progbits

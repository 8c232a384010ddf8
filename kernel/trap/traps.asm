; Entry and exit of exception handlers. Each stub pushes vector and error code as in struct
; trap_frame (kernel/trap/traps.h); the rest is common. Saves integer registers only: the C code
; uses no others.
bits 64
default rel
section .text

extern trap_dispatch

; The exceptions that push an error code: Intel SDM vol. 3A table 6-1; AMD APM vol. 2 table 8-1 for
; 29 and 30.
%define ERROR_CODES ((1 << 8) | (0x1f << 10) | (1 << 17) | (1 << 21) | (1 << 29) | (1 << 30))

; TRAP_STUB_SIZE bytes apart (kernel/trap/traps.c).
        align   16
global trap_stubs:function hidden
trap_stubs:
%assign vector 0
%rep 32
        align   16
  %if ((ERROR_CODES >> vector) & 1) == 0
        push    0
  %endif
        push    vector
        jmp     near trap_common
  %assign vector vector + 1
%endrep
; The interrupts, VECTOR_INTERRUPTS to the last.
%assign vector 0xf0
%rep 16
        align   16
        push    0
        push    vector
        jmp     near trap_common
  %assign vector vector + 1
%endrep

        align   16
trap_common:
        push    rax
        push    rbx
        push    rcx
        push    rdx
        push    rsi
        push    rdi
        push    rbp
        push    r8
        push    r9
        push    r10
        push    r11
        push    r12
        push    r13
        push    r14
        push    r15
        cld
        ; The CPU aligned the stack before its pushes; after 22 words it is aligned again.
        mov     rdi, rsp
        call    trap_dispatch
        pop     r15
        pop     r14
        pop     r13
        pop     r12
        pop     r11
        pop     r10
        pop     r9
        pop     r8
        pop     rbp
        pop     rdi
        pop     rsi
        pop     rdx
        pop     rcx
        pop     rbx
        pop     rax
        add     rsp, 16         ; vector, error code
        iretq

section .note.GNU-stack noalloc noexec nowrite progbits

; Enters and leaves the guest. An exit lasts a time that all clocks of the guest see. The time is
; the same for each exit of a kind, to the instruction, so that code between two exits takes as long
; as it has instructions.
bits 64
default rel

%define VMCB    128             ; struct core
%define ENTERED 136
%define LASTS   144
%define STACK   152
%define SHIFT   160
%define LATE    168

%define V_RFLAGS 570h
%define V_RIP    578h
%define V_RSP    5d8h

%define SLED 1024               ; instructions

extern exit_handle

section .text

; void enter_here(struct core *): the caller continues as the guest
global enter_here
enter_here:
        mov     [rdi+8*3], rbx
        mov     [rdi+8*5], rbp
        mov     [rdi+8*7], rdi
        mov     [rdi+8*12], r12
        mov     [rdi+8*13], r13
        mov     [rdi+8*14], r14
        mov     [rdi+8*15], r15
        mov     rax, [rdi+VMCB]
        lea     rcx, [.guest]
        mov     [rax+V_RIP], rcx
        mov     [rax+V_RSP], rsp
        pushfq
        pop     qword [rax+V_RFLAGS]
        cli
        jmp     enter
.guest: ret

; void enter(struct core *): runs the guest, handles its exits, for ever
global enter
enter:
        mov     rsp, [rdi+STACK]
        push    rdi
.again: mov     rax, [rdi+VMCB]
        mov     rcx, [rdi+8*1]
        mov     rdx, [rdi+8*2]
        mov     rbx, [rdi+8*3]
        mov     rbp, [rdi+8*5]
        mov     rsi, [rdi+8*6]
        mov     r8, [rdi+8*8]
        mov     r9, [rdi+8*9]
        mov     r10, [rdi+8*10]
        mov     r11, [rdi+8*11]
        mov     r12, [rdi+8*12]
        mov     r13, [rdi+8*13]
        mov     r14, [rdi+8*14]
        mov     r15, [rdi+8*15]
        mov     rdi, [rdi+8*7]
        vmrun
        xchg    rdi, [rsp]
        mov     [rdi+8*1], rcx
        mov     [rdi+8*2], rdx
        mov     [rdi+8*3], rbx
        mov     [rdi+8*5], rbp
        mov     [rdi+8*6], rsi
        mov     [rdi+8*8], r8
        mov     [rdi+8*9], r9
        mov     [rdi+8*10], r10
        mov     [rdi+8*11], r11
        mov     [rdi+8*12], r12
        mov     [rdi+8*13], r13
        mov     [rdi+8*14], r14
        mov     [rdi+8*15], r15
        mov     rax, [rsp]
        mov     [rdi+8*7], rax
        mov     [rsp], rdi
        rdtsc
        shl     rdx, 32
        or      rax, rdx
        mov     [rdi+ENTERED], rax
        sub     rsp, 8                  ; a call needs 16 bytes of alignment
        call    exit_handle
        add     rsp, 8
        mov     rdi, [rsp]
        mov     rcx, [rdi+SHIFT]
        mov     r8, [rdi+LASTS]
        add     r8, [rdi+ENTERED]
.wait:  rdtsc
        shl     rdx, 32
        or      rax, rdx
        mov     r9, r8
        sub     r9, rax
        sar     r9, cl                  ; instructions that are left
        js      .late
        cmp     r9, SLED
        ja      .wait
        lea     rdx, [.end]
        sub     rdx, r9
        jmp     rdx
        times SLED nop
.end:   jmp     .again
.late:  inc     qword [rdi+LATE]
        jmp     .again

; The host's handler of NMIs
global host_nmi
host_nmi:
        iretq

section .note.GNU-stack noalloc noexec nowrite progbits

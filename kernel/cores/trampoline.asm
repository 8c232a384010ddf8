; The code that a core executes first. It begins in real mode, in the page of the start-up IPI, and
; ends on its own stack in 64-bit mode. kernel/cores/start.c copies it below 1 MiB. Nothing in it is
; relocated; all addresses are those of the copy. Sequence: Intel SDM vol. 3A section 10.8.5.
bits 16
default abs
section .rodata

%define CR0_PE_ET    0x11
%define SELECTOR_32  0x08
%define SELECTOR_DATA 0x10
%define SELECTOR_64  0x18
%define MSR_EFER     0xc0000080         ; as in kernel/cpu/instructions.h
%define at(label)    (label - trampoline)

global trampoline:data hidden
        align   16
trampoline:
        cli
        cld
        xor     ebx, ebx
        mov     bx, cs
        mov     ds, bx
        shl     ebx, 4                          ; ebx: the copy's address from now on
        o32 lgdt [at(gdtr)]
        mov     eax, CR0_PE_ET                  ; enables the caches too, which INIT disabled
        mov     cr0, eax
        o32 jmp far [at(far_32)]

bits 32
protected:
        mov     eax, SELECTOR_DATA
        mov     ds, eax
        mov     es, eax
        mov     ss, eax
        mov     eax, [ebx + at(cr4_value)]
        mov     cr4, eax
        mov     eax, [ebx + at(root_low)]
        mov     cr3, eax
        mov     ecx, MSR_EFER
        rdmsr
        or      eax, [ebx + at(efer_bits)]
        wrmsr
        mov     eax, [ebx + at(cr0_value)]
        mov     cr0, eax
        jmp     far [ebx + at(far_64)]

bits 64
long_mode:
        mov     ebx, ebx                        ; the upper half is undefined after the switch
        mov     rax, [rbx + at(root)]
        mov     cr3, rax
        ; Each one takes the next struct core, and its stack.
        mov     rcx, [rbx + at(ticket)]
        mov     eax, 1
        lock xadd [rcx], eax
        cmp     eax, [rbx + at(cores)]
        jae     .stop
        mov     rcx, [rbx + at(core)]
        mov     rdi, [rcx + 8 * rax]            ; struct core *
        mov     ecx, [rbx + at(stack_top)]
        mov     rsp, [rdi + rcx]
        xor     ebp, ebp                        ; where a backtrace ends
        call    [rbx + at(entry)]
.stop:
        cli
        hlt
        jmp     .stop

; struct trampoline of kernel/cores/start.c, filled in the copy.
        align   16
values:
root:           dq 0
ticket:         dq 0
core:           dq 0
entry:          dq 0
cores:          dd 0
stack_top:      dd 0
root_low:       dd 0
cr0_value:      dd 0
cr4_value:      dd 0
efer_bits:      dd 0
far_32:         dd 0
                dw SELECTOR_32
                dw 0
far_64:         dd 0
                dw SELECTOR_64
                dw 0
gdtr:           dw gdt_end - gdt - 1
                dd 0
                dw 0
; Flat, present, accessed already, so the CPU does not write to them (SDM vol. 3A section 3.4.5).
        align   8
gdt:            dq 0
                dq 0x00cf9b000000ffff           ; 32-bit code
                dq 0x00cf93000000ffff           ; data
                dq 0x00af9b000000ffff           ; 64-bit code
gdt_end:
trampoline_end:

; trampoline_layout of kernel/cores/start.c: offsets in the copy, and its size.
        align   4
global trampoline_layout:data hidden
trampoline_layout:
                dd at(protected), at(long_mode), at(gdt), at(values), at(trampoline_end)

section .note.GNU-stack noalloc noexec nowrite progbits

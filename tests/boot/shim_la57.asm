; void shim_la57(void *pml5_page): switches from four levels of page tables to five. Only a machine
; without paging may change CR4.LA57 (SDM volume 3, 4.1.2), so it goes through 32-bit code below 4
; GiB, where page and stack are too.
bits 64
default rel
section .text
global shim_la57

CR4_LA57 equ 1 << 12
CR0_PG   equ 1 << 31
CODE32   equ 8
CODE64   equ 16

shim_la57:
    push rbx
    mov eax, 7
    xor ecx, ecx
    cpuid
    test ecx, 1 << 16           ; CPUID.7.0:ECX.LA57
    jz .no
    mov rax, cr3
    and rax, ~0xfff
    or rax, 3
    mov [rdi], rax              ; the only entry: everything that the four levels mapped
    sgdt [old_gdt]
    movzx r8, word [old_gdt]
    mov r9d, cs
    lea rax, [gdt]
    mov [new_gdt + 2], rax
    lgdt [new_gdt]
    lea rbx, [.long]            ; the 32-bit code returns here
    push CODE32
    lea rax, [.protected]
    push rax
    retfq

bits 32
.protected:
    mov eax, cr0
    and eax, ~CR0_PG
    mov cr0, eax
    mov eax, cr4
    or eax, CR4_LA57
    mov cr4, eax
    mov cr3, edi
    mov eax, cr0
    or eax, CR0_PG
    mov cr0, eax
    push CODE64
    push ebx
    retf

bits 64
.long:
    lgdt [old_gdt]
    push r9
    lea rax, [.no]
    push rax
    retfq                       ; back to the firmware's code selector
.no:
    pop rbx
    ret

section .data
align 8
gdt:
    dq 0
    dq 0x00cf9a000000ffff       ; 32-bit code, flat. SDM volume 3, 3.4.5
    dq 0x00af9a000000ffff       ; 64-bit code
new_gdt:
    dw 23
    dq 0
old_gdt:
    times 10 db 0

section .note.GNU-stack noalloc noexec nowrite progbits

; Copied to a page below 1 MiB: what another core executes first, after its start-up IPI. It enters
; long mode with the host's map and calls cores_start_main with its struct core.
%define STACK 152               ; struct core

%define at(l) (l - cores_start)

section .rodata

global cores_start
global cores_start_end
global cores_start_cr3
global cores_start_main
global cores_start_table
global cores_start_far32
global cores_start_far64
global cores_start_gdtr

bits 16
align 16
cores_start:
        cli
        mov     bx, cs
        mov     ds, bx
        o32 lgdt [at(cores_start_gdtr)]
        mov     eax, 0x11               ; CR0.PE, ET
        mov     cr0, eax
        o32 jmp far [at(cores_start_far32)]

bits 32
protected:
        mov     eax, 0x10
        mov     ds, eax
        mov     es, eax
        mov     ss, eax
        mov     fs, eax
        mov     gs, eax
        movzx   ebx, bx
        shl     ebx, 4                  ; where this copy is
        mov     eax, 0x620              ; CR4.PAE, OSFXSR, OSXMMEXCPT
        mov     cr4, eax
        mov     eax, [ebx + at(cores_start_cr3)]
        mov     cr3, eax
        mov     ecx, 0xc0000080         ; EFER.LME, SVME
        mov     eax, 0x1100
        xor     edx, edx
        wrmsr
        mov     eax, 0x80000011         ; CR0.PG
        mov     cr0, eax
        jmp     far [ebx + at(cores_start_far64)]

bits 64
long_mode:
        mov     r8d, ebx
        mov     eax, 1
        cpuid
        shr     ebx, 24                 ; APIC id
        mov     rax, [r8 + at(cores_start_table)]
        mov     rdi, [rax + 8*rbx]
        test    rdi, rdi
        jz      .none
        mov     rsp, [rdi + STACK]
        call    [r8 + at(cores_start_main)]
.none:  hlt
        jmp     .none

        align   16
cores_start_cr3:   dd 0
cores_start_main:  dq 0
cores_start_table: dq 0
cores_start_far32: dd at(protected)
                   dd 0x08
cores_start_far64: dd at(long_mode)
                   dd 0x18
cores_start_gdtr:  dw 31
                   dd at(gdt)
                   dw 0
        align   8
gdt:    dq      0, 0x00cf9b000000ffff, 0x00cf93000000ffff, 0x00af9b000000ffff
cores_start_end:

section .note.GNU-stack noalloc noexec nowrite progbits

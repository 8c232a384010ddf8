; Bodies that break the rules on purpose. After each comes a canary, a row that keeps the rules and
; whose figure must be right. hostile.py has the result of each row. Rows of a suite are measured
; in the order of their names.
%include "baretick.inc"

%define PRODUCTS 10             ; hostile.py has the number too

section .bss
    alignb 8
environment: resb 28            ; FNSTENV, Intel SDM vol. 1 figure 8-9
%define CONTROL environment
%define STATUS  environment + 4
%define TAGS    environment + 8
control: resd 1
swapped: resd 1
has_avx: resd 1

section .text
%ifdef RING0
%define FLAGS_CLEAR 0x47600     ; AC, NT, IOPL, DF, IF
%else
%define FLAGS_CLEAR 0x47400     ; a process has IF
%endif
; A jump to %1 unless the state is the one that a function may expect (System V psABI section
; 3.2.3): control bits of MXCSR and of the x87, its stack empty, no flag set that changes what
; instructions do.
%macro EXPECT_PLAIN_STATE 1
    stmxcsr [rel control]
    mov eax, [rel control]
    and eax, 0xffc0             ; without the flags that stick
    cmp eax, 0x1f80
    jne %1
    fnstenv [rel environment]
    cmp word [rel CONTROL], 0x37f
    jne %1
    cmp word [rel TAGS], 0xffff
    jne %1
    test word [rel STATUS], 0x3800
    jnz %1
    pushfq
    pop rax
    test eax, FLAGS_CLEAR
    jnz %1
    cmp dword [rel has_avx], 0
    je %%plain
    vextractf128 xmm1, ymm0, 1
    vptest xmm1, xmm1
    jnz %1
%%plain:
%endmacro

find_avx:                       ; of the CPU and of the system: Intel SDM vol. 1 section 14.3
    push rbx
    mov eax, 1
    cpuid
    and ecx, 0x18000000         ; OSXSAVE, AVX
    cmp ecx, 0x18000000
    jne .known
    xor ecx, ecx
    xgetbv
    and eax, 6
    cmp eax, 6
    jne .known
    mov dword [rel has_avx], 1
.known:
    pop rbx
    ret

canary:                         ; an operation: dependent products
    EXPECT_PLAIN_STATE .changed
    mov eax, 3
.iteration:
    times PRODUCTS imul rax, rax
    dec rdi
    jnz .iteration
    xor eax, eax
    ret
.changed:
    mov eax, 1
    ret

canary_empty:
    mov eax, 3
.iteration:
    dec rdi
    jnz .iteration
    xor eax, eax
    ret

; The body of row %1, which does something first and ends with HOSTILE_END; and its canary.
%macro HOSTILE 1
    %push hostile
    %define %$name %1
body_%1:
.iteration:
    add eax, 1
    dec rdi
    jnz .iteration
%endmacro
%macro HOSTILE_END 0
    xor eax, eax
    ret
    HOSTILE_ROWS %$name
    %pop
%endmacro
%macro HOSTILE_ROWS 1
    %defstr HOSTILE_WHAT %1
    BARETICK_ROW hostile, %1, HOSTILE_WHAT, body_%1, ops, 100, needs, NEEDS, setup, find_avx
    BARETICK_ROW hostile, %1_after, "the canary", canary, empty, canary_empty, ops, 200, \
                 setup, find_avx
%endmacro

%ifdef RING0
%define NEEDS BARETICK_RING0

; --- segments ---
%macro NULL_GS 0
    xor ecx, ecx
    mov gs, ecx
%endmacro
HOSTILE gs_null
    NULL_GS
HOSTILE_END
HOSTILE gs_elsewhere            ; an address that can be read
    lea rax, [rel environment]
    xor edx, edx
    mov ecx, 0xc0000101
    wrmsr
HOSTILE_END
HOSTILE swapgs                  ; once: the second would undo it
    bts dword [rel swapped], 0
    jc .back
    swapgs
.back:
HOSTILE_END
HOSTILE ds_null
    xor ecx, ecx
    mov ds, ecx
HOSTILE_END
HOSTILE es_null
    xor ecx, ecx
    mov es, ecx
HOSTILE_END
HOSTILE ss_null
    xor ecx, ecx
    mov ss, ecx
HOSTILE_END
HOSTILE gs_endless              ; only its deadline ends it
    NULL_GS
    jmp $
HOSTILE_END
HOSTILE gs_ud2
    NULL_GS
    ud2
HOSTILE_END

; --- control registers ---
%macro CHANGE 3 ; register, instruction, bits
    mov rax, %1
    %2 rax, %3
    mov %1, rax
%endmacro
HOSTILE cr0_ts
    CHANGE cr0, or, 1 << 3
HOSTILE_END
HOSTILE cr0_ts_used             ; its change is restored while it runs
    CHANGE cr0, or, 1 << 3
    fninit
HOSTILE_END
HOSTILE cr0_em
    CHANGE cr0, or, 1 << 2
HOSTILE_END
HOSTILE cr0_mp
    CHANGE cr0, and, ~(1 << 1)
HOSTILE_END
HOSTILE cr0_wp
    CHANGE cr0, and, ~(1 << 16)
HOSTILE_END
HOSTILE cr3_pcd                 ; the same tables, not cached
    CHANGE cr3, or, 1 << 4
HOSTILE_END
HOSTILE cr4_osfxsr
    CHANGE cr4, and, ~(1 << 9)
HOSTILE_END
HOSTILE cr4_osxsave
    CHANGE cr4, and, ~(1 << 18)
HOSTILE_END
HOSTILE cr4_pge_tsd
    CHANGE cr4, or, 1 << 7 | 1 << 2
HOSTILE_END
HOSTILE cr8
    CHANGE cr8, and, 1
HOSTILE_END
HOSTILE xcr0                    ; x87 state alone
    xor ecx, ecx
    xor edx, edx
    mov eax, 1
    xsetbv
HOSTILE_END
HOSTILE xcr0_used               ; an instruction of AVX after it
    xor ecx, ecx
    xor edx, edx
    mov eax, 1
    xsetbv
    vpxor xmm0, xmm0, xmm0
HOSTILE_END

; --- EFER ---
%macro EFER 2 ; instruction, bits
    mov ecx, 0xc0000080
    rdmsr
    %1 eax, %2
    wrmsr
%endmacro
HOSTILE efer_nxe
    EFER and, ~(1 << 11)
HOSTILE_END
HOSTILE efer_nxe_flushed        ; no translation is left that was made before
    EFER and, ~(1 << 11)
    mov rax, cr3
    mov cr3, rax
HOSTILE_END
HOSTILE efer_sce
    EFER or, 1
HOSTILE_END

; --- debug registers ---
HOSTILE dr7                     ; a breakpoint that the canary would meet
    lea rax, [rel canary]
    mov dr0, rax
    mov eax, 0x401
    mov dr7, rax
HOSTILE_END
HOSTILE dr7_met                 ; and one that it meets itself
    lea rax, [rel .here]
    mov dr1, rax
    mov eax, 0x404
    mov dr7, rax
.here:
    nop
HOSTILE_END
HOSTILE dr6                     ; a breakpoint seems to have been met
    mov eax, 0xffff0ff1
    mov dr6, rax
HOSTILE_END
HOSTILE dr7_gd                  ; the next access to a debug register is a #DB
    mov eax, 0x2400
    mov dr7, rax
HOSTILE_END

; --- flags that only ring 0 can change ---
HOSTILE sti
    sti
HOSTILE_END
HOSTILE iopl
    pushfq
    or dword [rsp], 0x3000
    popfq
HOSTILE_END

; --- descriptor tables, all of whose entries in use stay ---
%macro SHORTER 2 ; instructions that store and load
    sub rsp, 16
    %1 [rsp]
    sub word [rsp], 16
    %2 [rsp]
    add rsp, 16
%endmacro
HOSTILE gdtr
    SHORTER sgdt, lgdt
HOSTILE_END
HOSTILE idtr
    SHORTER sidt, lidt
HOSTILE_END

; --- task and local descriptor table: by unused entries of the GDT ---
%define FREE_TSS 0x50
%define FREE_LDT 0x60
%define FREE_CODE 0x70
%macro GDT 1 ; register
    sub rsp, 16
    sgdt [rsp]
    mov %1, [rsp + 2]
    add rsp, 16
%endmacro
HOSTILE ltr                     ; the same TSS by another selector
    GDT rdx
    str eax
    mov rcx, [rdx + rax]
    btr rcx, 41                 ; busy: LTR takes no TSS that is in use
    mov [rdx + FREE_TSS], rcx
    mov rcx, [rdx + rax + 8]
    mov [rdx + FREE_TSS + 8], rcx
    mov eax, FREE_TSS
    ltr ax
HOSTILE_END
HOSTILE cs                      ; the same code segment by another selector
    GDT rdx
    mov eax, cs
    mov rcx, [rdx + rax]
    mov [rdx + FREE_CODE], rcx
    push FREE_CODE
    lea rax, [rel .other]
    push rax
    retfq
.other:
HOSTILE_END
HOSTILE lldt                    ; a table of one descriptor
    GDT rdx
    mov rcx, 0x820000000007     ; present, type 2: SDM vol. 3A figure 8-4
    mov [rdx + FREE_LDT], rcx
    mov qword [rdx + FREE_LDT + 8], 0
    mov eax, FREE_LDT
    lldt ax
HOSTILE_END

%else
%define NEEDS 0

; --- segments, whose base becomes that of flat data: 0 ---
HOSTILE fs
    mov ecx, ss
    mov fs, ecx
HOSTILE_END
HOSTILE gs
    mov ecx, ss
    mov gs, ecx
HOSTILE_END

; --- registers that a function must leave as it found them ---
HOSTILE r15
    mov r15, 0x123456789abcdef
HOSTILE_END
HOSTILE rbp
    xor ebp, ebp
HOSTILE_END
HOSTILE rbx
    mov rbx, -1
HOSTILE_END
HOSTILE r12
    inc r12
HOSTILE_END
HOSTILE r13_r14
    not r13
    not r14
HOSTILE_END
HOSTILE rsp                     ; it returns, with the stack 64 bytes lower
    pop rcx
    sub rsp, 64
    xor eax, eax
    jmp rcx
HOSTILE_END

; --- state that lasts ---
HOSTILE df
    std
HOSTILE_END
HOSTILE mxcsr                   ; flush to zero, denormals are zero, rounded towards zero
    push 0xffc0
    ldmxcsr [rsp]
    pop rax
HOSTILE_END
HOSTILE unmasked                ; all exceptions of SSE and of the x87
    push 0
    ldmxcsr [rsp]
    fldcw [rsp]
    pop rax
HOSTILE_END
HOSTILE x87_stack
    fld1
    fldpi
HOSTILE_END
HOSTILE x87_overflow
    times 9 fld1
HOSTILE_END
HOSTILE x87_underflow           ; its operand is missing
    fadd st0, st0
    fld1
HOSTILE_END
HOSTILE mmx
    pxor mm0, mm0
HOSTILE_END
HOSTILE ymm                     ; upper halves of vector registers
    cmp dword [rel has_avx], 0
    je .none
    vxorps ymm0, ymm0, ymm0
    vcmpeqps ymm0, ymm0, ymm0
.none:
HOSTILE_END
HOSTILE pkru                    ; the rights of memory of key 15, which the program does not use
    push rbx
    mov eax, 7
    xor ecx, ecx
    cpuid
    pop rbx
    test ecx, 0x10              ; OSPKE
    jz .no_keys
    xor ecx, ecx
    rdpkru
    and eax, 0x3fffffff
    wrpkru
.no_keys:
HOSTILE_END
HOSTILE nt
    pushfq
    or dword [rsp], 0x4000
    popfq
HOSTILE_END
HOSTILE ac
    pushfq
    or dword [rsp], 0x40000
    popfq
HOSTILE_END

%endif

section .note.GNU-stack noalloc noexec nowrite progbits

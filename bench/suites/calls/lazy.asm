; The assembler half of lazy binding (lazy.h): PLT, GOT, the resolver's entry, its look-up in
; assembler, and the loops.
%include "bench/engine/unit.inc"

%define IMPORTS 4               ; LAZY_IMPORTS, LAZY_CALLEE of lazy.h
%define CALLEE  2
%define GOT_MAP      8          ; in calls_lazy_got
%define GOT_RESOLVER 16
%define GOT_SLOTS    24

; Offsets in struct lazy_map, lazy_rela and lazy_symbol; the last two have 24 bytes.
%define MAP_BASE    0
%define MAP_SYMBOL  8
%define MAP_STRINGS 16
%define MAP_SLOT    24
%define MAP_BUCKETS 32
%define MAP_MASK    36
%define MAP_SHIFT   40
%define MAP_BLOOM   48
%define MAP_BUCKET  56
%define MAP_CHAIN   64
%define MAP_NEXT    72
%define RELA_OFFSET 0
%define RELA_SYMBOL 12
%define SYMBOL_NAME  0
%define SYMBOL_VALUE 8

extern calls_lazy_fixup_c

; AMD64 supplement, figure 5.2, "Procedure Linkage Table", with addresses relative to rip.
    section .text.calls_lazy_plt progbits alloc exec nowrite align=16
    global calls_lazy_plt:function hidden
plt0:
    push qword [calls_lazy_got + GOT_MAP]
    jmp [calls_lazy_got + GOT_RESOLVER]
%assign i 0
%rep IMPORTS
    align 16
    %if i == CALLEE
calls_lazy_plt:
    %endif
    jmp [calls_lazy_got + GOT_SLOTS + i * 8]
unbound_%+i:
    push strict dword i
    jmp strict near plt0
    %assign i i + 1
%endrep

    section .data.calls_lazy progbits alloc noexec write align=8
    global calls_lazy_got:data hidden
    global calls_lazy_bound:data hidden
calls_lazy_got:
    dq 0, 0, 0                  ; _DYNAMIC, the link map, the resolver
%assign i 0
%rep IMPORTS
    dq unbound_%+i
    %assign i i + 1
%endrep
calls_lazy_bound:
    dq 0

; %1: the resolver, %2: its look-up. On the stack are the link map, the slot's index and the call's
; return address. With the seven registers of arguments the stack is a multiple of 16 again.
%macro RESOLVER 2
    section .text.%1 progbits alloc exec nowrite align=16
    global %1:function hidden
%1:
    push rax
    push rcx
    push rdx
    push rsi
    push rdi
    push r8
    push r9
    mov rdi, [rsp + 7 * 8]
    mov esi, [rsp + 8 * 8]
    call %2                     ; (link map, index)
    mov r11, rax
    pop r9
    pop r8
    pop rdi
    pop rsi
    pop rdx
    pop rcx
    pop rax
    add rsp, 16                 ; the map and the index
    jmp r11
%endmacro

RESOLVER calls_lazy_resolve, calls_lazy_fixup
RESOLVER calls_lazy_resolve_c, calls_lazy_fixup_c

; In: rdi the link map; esi the slot's index. Out: rax the function's address, which is also stored
; in the slot. Within: ebx the hash, r9 the name, r11 the slot's address, rdi the searched object.
    section .text.calls_lazy_fixup progbits alloc exec nowrite align=16
calls_lazy_fixup:
    push rbx
    lea rax, [rsi + rsi * 2]
    mov rdx, [rdi + MAP_SLOT]
    lea rdx, [rdx + rax * 8]    ; the relocation
    mov r11, [rdx + RELA_OFFSET]
    add r11, [rdi + MAP_BASE]
    mov eax, [rdx + RELA_SYMBOL]
    lea rax, [rax + rax * 2]
    mov rdx, [rdi + MAP_SYMBOL]
    mov r9d, [rdx + rax * 8 + SYMBOL_NAME]
    add r9, [rdi + MAP_STRINGS]
    inc qword [calls_lazy_bound]
    mov ebx, 5381
    mov rdx, r9
    movzx eax, byte [rdx]
    test eax, eax
    jz .object
.hash:                          ; h = h * 33 + c
    mov ecx, ebx
    shl ecx, 5
    add ebx, ecx
    add ebx, eax
    inc rdx
    movzx eax, byte [rdx]
    test eax, eax
    jnz .hash

.object:
    mov eax, ebx
    shr eax, 6
    and eax, [rdi + MAP_MASK]
    mov rdx, [rdi + MAP_BLOOM]
    mov r8, [rdx + rax * 8]
    bt r8, rbx                  ; hash % 64
    jnc .next
    mov eax, ebx
    mov ecx, [rdi + MAP_SHIFT]
    shr eax, cl
    bt r8, rax
    jnc .next
    mov eax, ebx
    xor edx, edx
    div dword [rdi + MAP_BUCKETS]
    mov rax, [rdi + MAP_BUCKET]
    mov eax, [rax + rdx * 4]    ; the bucket's first symbol
    test eax, eax
    jz .next
    mov r8, [rdi + MAP_CHAIN]
.chain:
    mov edx, [r8 + rax * 4]
    mov ecx, edx
    xor ecx, ebx
    cmp ecx, 1                  ; the same except the lowest bit, which marks the last one
    jbe .same_hash
.other:
    inc eax
    test edx, 1
    jz .chain
.next:
    mov rdi, [rdi + MAP_NEXT]
    test rdi, rdi
    jnz .object
    ud2                         ; no object has it: a program would end here

.same_hash:
    lea rcx, [rax + rax * 2]
    mov r10, [rdi + MAP_SYMBOL]
    lea rcx, [r10 + rcx * 8]    ; the symbol
    mov r10d, [rcx + SYMBOL_NAME]
    add r10, [rdi + MAP_STRINGS]
    xor esi, esi
.compare:
    movzx r8d, byte [r10 + rsi]
    cmp r8b, [r9 + rsi]
    jne .other_name
    inc rsi
    test r8d, r8d
    jnz .compare
    mov rax, [rcx + SYMBOL_VALUE]
    add rax, [rdi + MAP_BASE]
    mov [r11], rax
    pop rbx
    ret
.other_name:
    mov r8, [rdi + MAP_CHAIN]
    jmp .other

; %1: the loop, int %1(uint64_t n rdi, struct object *rsi). %2: 1: resets the slot before each call.
; %3: 1: the call, 0: the empty loop.
%macro LAZY 3
    section .text.%1 progbits alloc exec nowrite align=16
    global %1:function hidden
%1:
    push rbx
    push r12
    push r13
    mov rbx, rdi
    mov r12, rsi
    lea r13, [unbound_%+CALLEE]
.iteration:
    %if %2
        mov [calls_lazy_got + GOT_SLOTS + CALLEE * 8], r13
    %endif
    mov rdi, r12
    %if %3
        call calls_lazy_plt
    %endif
    dec rbx
    jnz .iteration
    pop r13
    pop r12
    pop rbx
    xor eax, eax
    ret
%endmacro

LAZY calls_lazy_first, 1, 1
LAZY calls_lazy_first_empty, 1, 0
LAZY calls_lazy_later, 0, 1
LAZY calls_lazy_later_empty, 0, 0

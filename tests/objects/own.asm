; Rows as a person may bring them, in NASM. SUITE is given.
%include "baretick.inc"

BARETICK_STATEMENT SUITE, count, "++*x", check, counted
    inc qword [rsi + BARETICK_COUNTER]
BARETICK_END

section .text
chain:
    mov eax, 3
.iteration:
    times 10 imul rax, rax
    dec rdi
    jnz .iteration
    xor eax, eax
    ret
BARETICK_ROW SUITE, chain, "ten products, each of the one before", chain, ops, 500

%define WORDS 512

fill:                           ; setup(object)
    mov rsi, [rdi + BARETICK_ROOM]
    xor ecx, ecx
    xor eax, eax
.word:
    lea rdx, [rcx * 8]
    sub rdx, rcx
    inc rdx
    mov [rsi + rcx * 8], rdx
    add rax, rdx
    inc ecx
    cmp ecx, WORDS
    jb .word
    mov [expected], rax
    ret

sum:                            ; body(n, object)
    mov rdx, [rsi + BARETICK_ROOM]
.pass:
    xor eax, eax
    xor ecx, ecx
.word:
    add rax, [rdx + rcx * 8]
    inc ecx
    cmp ecx, WORDS
    jb .word
    mov [rsi + BARETICK_COUNTER], rax
    dec rdi
    jnz .pass
    xor eax, eax
    ret

summed:                         ; check(object, operations)
    mov rax, [rdi + BARETICK_COUNTER]
    mov rcx, [expected]
    cmp rax, rcx
    lea rax, [wrong]
    mov ecx, 0
    cmove rax, rcx
    ret

counted:
    mov rcx, [rdi + BARETICK_COUNTER]
    cmp rcx, rsi
    lea rax, [wrong]
    mov ecx, 0
    cmove rax, rcx
    ret

BARETICK_ROW SUITE, sum, "a pass over 512 words", sum, ops, 20, room, WORDS * 8, setup, fill, \
    check, summed, unit, "byte", units, WORDS * 8

section .rodata
wrong: db "the sum is wrong", 0
section .bss
expected: resq 1

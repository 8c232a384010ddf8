; The registers and flags that a body finds (docs/window.md "The history of registers and
; flags"): each call notes it before it changes anything, the body's and the subtracted one's alike,
; and the rows' checks look at it. history.py says which rows hold with which recipe.
%include "baretick.inc"

%define STATED 100              ; in registers that no recipe writes
%define STATUS 0xcd5            ; OF, DF, SF, ZF, AF, PF, CF
%define XORED  0x44             ; ZF, PF; AF is undefined after XOR
%define AF     0x10

%define NOTED rbx, rcx, r8, r9, r10, r11, r12, r15, rbp, rsi
%define RBX   0                 ; indices of NOTED
%define RCX   1
%define R8    2
%define R15   7
%define FLAGS 10
%define WORDS 11

section .bss
    alignb 8
calls:  resq 1
unlike: resq 1                  ; a bit for each word that a later call found otherwise
first:  resq WORDS              ; of the placement's first call
now:    resq WORDS

section .text
%macro NOTE 1-*
    %assign %%at 0
    %rep %0
        mov [now + %%at], %1
        %assign %%at %%at + 8
        %rotate 1
    %endrep
%endmacro

%macro BODY 1                   ; instructions of an operation
    NOTE NOTED
    pushfq
    pop rax
    and eax, STATUS
    mov [now + 8 * FLAGS], rax
    call compare
    mov eax, 3
%%iteration:
    times %1 imul rax, rax
    dec rdi
    jnz %%iteration
    xor eax, eax
    ret
%endmacro

body:
    BODY 10
empty:
    BODY 0

; Keeps what the first call found, and holds each later one against it.
compare:
    xor ecx, ecx
    inc qword [calls]
    cmp qword [calls], 1
    je .keep
.word:
    lea rdx, [now]
    mov rax, [rdx + 8 * rcx]
    lea rdx, [first]
    cmp rax, [rdx + 8 * rcx]
    je .next
    bts qword [unlike], rcx
.next:
    inc ecx
    cmp ecx, WORDS
    jb .word
    ret
.keep:
    lea rdx, [now]
    mov rax, [rdx + 8 * rcx]
    lea rdx, [first]
    mov [rdx + 8 * rcx], rax
    inc ecx
    cmp ecx, WORDS
    jb .keep
    ret

; check(object, operations): the word with this index is this value, in each call.
%macro CHECK_FIRST 2            ; index, value
    cmp qword [first + 8 * (%1)], %2
    jne wrong
%endmacro

alike:
    cmp qword [calls], 0        ; stepped, a window is by itself, between a setup and a check
    je too_few
    bsf rcx, [unlike]
    jnz .told
    xor eax, eax
    ret
.told:
    lea rax, [names]
    lea rax, [rax + 8 * rcx]
    ret

registers:
    %assign index R8
    %rep R15 - R8 + 1
        %if index != R15 - 1    ; r12 is the window's own
            CHECK_FIRST index, STATED
        %endif
        %assign index index + 1
    %endrep
    jmp alike

rbx_stated:
    CHECK_FIRST RBX, STATED
    jmp alike

rcx_stated:
    CHECK_FIRST RCX, STATED
    jmp alike

flags_clear:
    CHECK_FIRST FLAGS, 0
    jmp alike

flags_xored:
    and qword [first + 8 * FLAGS], ~AF
    CHECK_FIRST FLAGS, XORED
    jmp alike

wrong:
    lea rax, [not_stated]
    ret
too_few:
    lea rax, [few]
    ret

%macro ROW 2
    BARETICK_ROW history, %1, %2, body, empty, empty, ops, 16, check, %1
%endmacro
ROW alike, "all registers but rax, rdx, rdi, r13, r14, and all flags, are alike in each call"
ROW registers, "r8 to r11 and r15 are as stated"
ROW rbx_stated, "rbx is"
ROW rcx_stated, "rcx is"
ROW flags_clear, "every flag is clear"
ROW flags_xored, "the flags are those of XOR"

section .rodata
not_stated: db "it has another value than is stated", 0
few: db "it was not called", 0
    align 8
names:
    %macro NAMES 1-*
        %rep %0
            %defstr %%name %1
            db %%name
            times (8 - ($ - names) % 8) % 8 db 0
            %rotate 1
        %endrep
    %endmacro
    NAMES NOTED, flags

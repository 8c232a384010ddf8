; Walks of a store and a load that follows it (bench/kinds/forward_kind.h): FORWARD_UNROLL of both
; in each iteration, for every pair of sizes.
;   uint64_t walk(uint8_t *store, uint8_t *load, uint64_t iterations, uint8_t *value)
;                (System V: rdi, rsi, rdx, rcx)
; The value is in r10 or in vector register 0. Returns the ticks between the two readings, by recipe
; lfence independently of recipe=.
section .note.GNU-stack noalloc noexec nowrite progbits
section .text align=64

%define FORWARD_UNROLL  16
%define FORWARD_SIZES 7
%define GENERAL       8 ; bytes: larger values are in the vector register

%include "bench/kinds/reading.inc"

; %1: 1 if the vector register has 32 or 64 bytes: SSE and AVX are not mixed. %2: bytes, %3: the
; address.
%macro STORE 3
%if %2 == 1
    mov [%3], r10b
%elif %2 == 2
    mov [%3], r10w
%elif %2 == 4
    mov [%3], r10d
%elif %2 == 8
    mov [%3], r10
%elif %2 == 16 && %1
    vmovdqu [%3], xmm0
%elif %2 == 16
    movdqu [%3], xmm0
%elif %2 == 32
    vmovdqu [%3], ymm0
%else
    vmovdqu64 [%3], zmm0
%endif
%endmacro

%macro LOAD 3
%if %2 == 1
    movzx r10d, byte [%3]
%elif %2 == 2
    movzx r10d, word [%3]
%elif %2 == 4
    mov r10d, [%3]
%elif %2 == 8
    mov r10, [%3]
%elif %2 == 16 && %1
    vmovdqu xmm0, [%3]
%elif %2 == 16
    movdqu xmm0, [%3]
%elif %2 == 32
    vmovdqu ymm0, [%3]
%else
    vmovdqu64 zmm0, [%3]
%endif
%endmacro

; From the load's register to the store's, if these differ. %1 as above, %2: bytes of the store, %3:
; of the load.
%macro CROSS 3
%if %2 > GENERAL && %3 <= GENERAL
%if %1
    vmovq xmm0, r10
%else
    movq xmm0, r10
%endif
%elif %2 <= GENERAL && %3 > GENERAL
%if %1
    vmovq r10, xmm0
%else
    movq r10, xmm0
%endif
%endif
%endmacro

; %1: bytes of the store, %2: of the load.
%macro WALK 2
%assign wide (%1 > 16 || %2 > 16)
align 64
walk_%1_%2:
    mov r8, rdx
%if %1 <= GENERAL
    mov r10, [rcx]
%else
    LOAD wide, %1, rcx
%endif
    READING
    mov r9, rax
    align 64
%%iteration:
%rep FORWARD_UNROLL
    STORE wide, %1, rdi
    LOAD wide, %2, rsi
    CROSS wide, %1, %2
%endrep
    dec r8
    jnz %%iteration
    READING
    sub rax, r9
%if %2 <= GENERAL
    mov [rcx], r10
%else
    STORE wide, %2, rcx
%endif
%if wide
    vzeroupper
%endif
    ret
%endmacro

%assign s 1
%rep FORWARD_SIZES
%assign l 1
%rep FORWARD_SIZES
    WALK s, l
%assign l l * 2
%endrep
%assign s s * 2
%endrep

section .data.rel.ro align=8
global forward_walks:data hidden
forward_walks:
%macro POINTER 2
    dq walk_%1_%2
%endmacro
%assign s 1
%rep FORWARD_SIZES
%assign l 1
%rep FORWARD_SIZES
    POINTER s, l
%assign l l * 2
%endrep
%assign s s * 2
%endrep

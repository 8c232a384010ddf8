; Walks that move data (bench/kinds/stream.h): `laps` times over `iterations` units of
; STREAM_UNROLL bytes.
;   uint64_t stream_NAME(uint8_t *at, uint8_t *to, uint64_t iterations, uint64_t laps,
;                        uint64_t *word)
;                        (System V: rdi, rsi, rdx, rcx, r8)
; Returns the ticks between the two readings, by recipe lfence independently of recipe=. SFENCE
; waits for non-temporal stores. *word: reads leave the XOR of all words of 8 bytes there; writes
; fill the memory with it.
section .note.GNU-stack noalloc noexec nowrite progbits
section .text align=64

%define STREAM_UNROLL 256

%include "bench/kinds/reading.inc"

; rdx gets the first reading, r9 the iterations.
%macro STREAM_BEGIN 0
    mov r9, rdx
    READING
    mov rdx, rax
    align 64
.lap:
    mov r10, rdi
    mov r11, rsi
    mov rax, r9
.iteration:
%endmacro

%macro STREAM_END 0
    add r10, STREAM_UNROLL
    add r11, STREAM_UNROLL
    dec rax
    jnz .iteration
    dec rcx
    jnz .lap
    sfence
    mov r10, rdx
    READING
    sub rax, r10
%endmacro

; Four accumulators; the low and the high word of 128 bits are combined at the end.
global stream_read_16:function hidden
align 64
stream_read_16:
    pxor xmm0, xmm0
    pxor xmm1, xmm1
    pxor xmm2, xmm2
    pxor xmm3, xmm3
    STREAM_BEGIN
%assign i 0
%rep STREAM_UNROLL / 64
    pxor xmm0, [r10 + i]
    pxor xmm1, [r10 + i + 16]
    pxor xmm2, [r10 + i + 32]
    pxor xmm3, [r10 + i + 48]
%assign i i + 64
%endrep
    STREAM_END
    pxor xmm0, xmm1
    pxor xmm2, xmm3
    pxor xmm0, xmm2
    movhlps xmm1, xmm0
    pxor xmm0, xmm1
    movq [r8], xmm0
    ret

; VXORPS needs only AVX.
global stream_read_32:function hidden
align 64
stream_read_32:
    vxorps xmm0, xmm0, xmm0
    vxorps xmm1, xmm1, xmm1
    vxorps xmm2, xmm2, xmm2
    vxorps xmm3, xmm3, xmm3
    STREAM_BEGIN
%assign i 0
%rep STREAM_UNROLL / 128
    vxorps ymm0, ymm0, [r10 + i]
    vxorps ymm1, ymm1, [r10 + i + 32]
    vxorps ymm2, ymm2, [r10 + i + 64]
    vxorps ymm3, ymm3, [r10 + i + 96]
%assign i i + 128
%endrep
    STREAM_END
    vxorps ymm0, ymm0, ymm1
    vxorps ymm2, ymm2, ymm3
    vxorps ymm0, ymm0, ymm2
    vextractf128 xmm1, ymm0, 1
    vxorps xmm0, xmm0, xmm1
    vmovhlps xmm1, xmm1, xmm0
    vxorps xmm0, xmm0, xmm1
    vmovq [r8], xmm0
    vzeroupper
    ret

; %1: name, %2: the store
%macro WRITE_16 2
global %1:function hidden
align 64
%1:
    movq xmm0, [r8]
    punpcklqdq xmm0, xmm0
    STREAM_BEGIN
%assign i 0
%rep STREAM_UNROLL / 16
    %2 [r10 + i], xmm0
%assign i i + 16
%endrep
    STREAM_END
    ret
%endmacro
    WRITE_16 stream_write_16, movdqa
    WRITE_16 stream_write_nt, movntdq

global stream_write_32:function hidden
align 64
stream_write_32:
    vmovq xmm0, [r8]
    vmovlhps xmm0, xmm0, xmm0
    vinsertf128 ymm0, ymm0, xmm0, 1
    STREAM_BEGIN
%assign i 0
%rep STREAM_UNROLL / 32
    vmovaps [r10 + i], ymm0
%assign i i + 32
%endrep
    STREAM_END
    vzeroupper
    ret

global stream_copy_16:function hidden
align 64
stream_copy_16:
    STREAM_BEGIN
%assign i 0
%rep STREAM_UNROLL / 32
    movdqa xmm0, [r10 + i]
    movdqa xmm1, [r10 + i + 16]
    movdqa [r11 + i], xmm0
    movdqa [r11 + i + 16], xmm1
%assign i i + 32
%endrep
    STREAM_END
    ret

global stream_copy_32:function hidden
align 64
stream_copy_32:
    STREAM_BEGIN
%assign i 0
%rep STREAM_UNROLL / 64
    vmovaps ymm0, [r10 + i]
    vmovaps ymm1, [r10 + i + 32]
    vmovaps [r11 + i], ymm0
    vmovaps [r11 + i + 32], ymm1
%assign i i + 64
%endrep
    STREAM_END
    vzeroupper
    ret

; %1: name, %2: the string instruction. r9: bytes; r10, r11: at, to; rdx: laps.
%macro STRING 2
global %1:function hidden
align 64
%1:
    mov r9, rdx
    shl r9, 8
    mov r10, rdi
    mov r11, rsi
    READING
    mov rsi, rax
    mov rdx, rcx
    mov al, [r8]
    mov r8, rsi
    align 64
.lap:
    mov rcx, r9
    %2
    dec rdx
    jnz .lap
    sfence
    READING
    sub rax, r8
    ret
%endmacro
%if (1 << 8) != STREAM_UNROLL
%error the shift above multiplies by STREAM_UNROLL
%endif
%macro STORE_BYTES 0
    mov rdi, r10
    rep stosb
%endmacro
%macro COPY_BYTES 0
    mov rsi, r10
    mov rdi, r11
    rep movsb
%endmacro
    STRING stream_write_rep, STORE_BYTES
    STRING stream_copy_rep, COPY_BYTES

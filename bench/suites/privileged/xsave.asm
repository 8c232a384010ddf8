; Saving and restoring extended state. The row's `arg` selects components: bits of XCR0.
%include "bench/suites/privileged/privileged.inc"

%macro STATES 1-*
    %rep %0
UNIT privileged_%1
    db 0xb8                     ; mov eax, imm32
    FIXUP FIXUP_ARG
    xor edx, edx
    %1 [rsi + PRIVILEGED_MEMORY]
ENDUNIT
    %rotate 1
    %endrep
%endmacro
STATES xsave, xsaveopt, xsavec, xsaves, xrstor, xrstors

; Histories: which components differ from their initial state, after privileged_load has set rsi.
UNIT privileged_nothing_used
    mov rsi, [OBJECT + OBJECT_ROOM]
    vzeroall
ENDUNIT

UNIT privileged_ymm_used
    mov rsi, [OBJECT + OBJECT_ROOM]
    vxorps xmm0, xmm0, xmm0
    vcmpps ymm0, ymm0, ymm0, 0  ; all ones: 0 equals 0
ENDUNIT

UNIT privileged_zmm_used
    mov rsi, [OBJECT + OBJECT_ROOM]
    vpternlogd zmm0, zmm0, zmm0, 0xff ; all ones
ENDUNIT

; The same of AMX's tiles, which no code of the kernel uses: XCR0, in r8 as found, has their bits
; only in each window. SDM vol. 1 section 13.3; vol. 2A LDTILECFG, vol. 2B TILELOADD.
%define XCR0_TILES 0x60000
%define TILES_CONFIG 16384      ; in the room: xsave.c
%define TILES_DATA (TILES_CONFIG + 64)
%define ROW_BYTES 64

%macro WRITE_XCR0 0
    xor ecx, ecx
    xor edx, edx
    xsetbv
%endmacro

%macro USE_TILES 0
    LOAD_REGISTERS
    mov eax, r8d
    or eax, XCR0_TILES
    WRITE_XCR0
    ldtilecfg [rsi + TILES_CONFIG]
    mov edi, ROW_BYTES
    %assign tile 0
    %rep 8
    tileloadd tmm %+ tile, [rsi + TILES_DATA, rdi]
    %assign tile tile + 1
    %endrep
%endmacro

UNIT privileged_tiles_used
    USE_TILES
ENDUNIT

; The area has what XRSTOR or XRSTORS will load.
%macro TILES_SAVED 1
UNIT privileged_tiles_by_%1
    USE_TILES
    mov eax, XCR0_TILES
    xor edx, edx
    %1 [rsi + PRIVILEGED_MEMORY]
ENDUNIT
%endmacro
TILES_SAVED xsave
TILES_SAVED xsaves

UNIT privileged_tiles_off
    tilerelease
    mov r10, rax
    mov r11, rdx
    mov eax, r8d
    WRITE_XCR0
    mov rax, r10
    mov rdx, r11
ENDUNIT

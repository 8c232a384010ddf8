; The recipes: the code before and after a body. The first reading goes to the window's frame in
; memory, since a body can change any register; the second stays in edx:eax. The stores of the first
; reading are before the fence that follows it, if there is one. CPUID uses leaf 0, as in Paoloni's
; code. It writes rbx, which the exit verifies: before the body rbx gets the value of window_enter
; again, and after the body its value is saved around CPUID.
%include "bench/engine/unit.inc"

%macro SAVE_START 0
    mov [FRAME + FRAME_START], eax
    mov [FRAME + FRAME_START + 4], edx
%endmacro

%macro CPUID_LEAF_0 0
    xor eax, eax
    cpuid
%endmacro

%macro SERIALIZE 0              ; as bytes, since older versions of NASM lack it
    db 0x0f, 0x01, 0xe8
%endmacro

UNIT start_plain
    rdtsc
    SAVE_START
ENDUNIT
UNIT stop_plain
    rdtsc
ENDUNIT

UNIT start_rdtscp
    rdtscp
    SAVE_START
ENDUNIT
UNIT stop_rdtscp
    rdtscp
ENDUNIT

UNIT start_xfence_lfence
    lfence
    rdtsc
    SAVE_START
ENDUNIT
UNIT stop_xfence_lfence
    rdtscp
    lfence
ENDUNIT

UNIT start_xfence_mfence
    mfence
    rdtsc
    SAVE_START
ENDUNIT
UNIT stop_xfence_mfence
    rdtscp
    mfence
ENDUNIT

UNIT start_paoloni
    CPUID_LEAF_0
    mov ebx, HISTORY_VALUE
    rdtsc
    SAVE_START
ENDUNIT
UNIT stop_paoloni
    rdtscp
    mov esi, eax
    mov edi, edx
    mov r8, rbx
    CPUID_LEAF_0
    mov rbx, r8
    mov eax, esi
    mov edx, edi
ENDUNIT

UNIT start_cpuid
    CPUID_LEAF_0
    mov ebx, HISTORY_VALUE
    rdtsc
    SAVE_START
ENDUNIT
UNIT stop_cpuid
    mov r8, rbx                 ; in the empty window too, so the subtraction removes it
    CPUID_LEAF_0
    rdtsc
    mov rbx, r8
ENDUNIT

UNIT start_mfence
    mfence
    lfence
    rdtsc
    SAVE_START
    lfence
ENDUNIT
UNIT stop_mfence
    mfence
    lfence
    rdtsc
    lfence
ENDUNIT

UNIT start_lfence
    lfence
    rdtsc
    SAVE_START
    lfence
ENDUNIT
UNIT stop_lfence
    lfence
    rdtsc
    lfence
ENDUNIT

UNIT start_serialize
    SERIALIZE
    rdtsc
    SAVE_START
    SERIALIZE
ENDUNIT
UNIT stop_serialize
    SERIALIZE
    rdtsc
    SERIALIZE
ENDUNIT

; CPUID, counters, random numbers.
%include "bench/suites/privileged/privileged.inc"

; The leaf is the row's `arg`, the subleaf is 0.
UNIT privileged_cpuid
    db 0xb8                     ; mov eax, imm32
    FIXUP FIXUP_ARG
    xor ecx, ecx
    cpuid
ENDUNIT

UNIT privileged_rdtsc
    rdtsc
ENDUNIT

UNIT privileged_rdtscp
    rdtscp
ENDUNIT

; The counter is the row's `arg`.
UNIT privileged_rdpmc
    db 0xb9                     ; mov ecx, imm32
    FIXUP FIXUP_ARG
    rdpmc
ENDUNIT

UNIT privileged_rdpid
    rdpid rax
ENDUNIT

UNIT privileged_rdrand
    rdrand rax
ENDUNIT

UNIT privileged_rdseed
    rdseed rax
ENDUNIT

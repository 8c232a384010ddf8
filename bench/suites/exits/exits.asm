; Bodies of suite `exits`.
%include "bench/suites/privileged/privileged.inc"

UNIT exits_cpuid
    xor eax, eax
    xor ecx, ecx
    cpuid
ENDUNIT

; XCR0 in r9:r8.
UNIT exits_xsetbv
    xor ecx, ecx
    mov eax, r8d
    mov edx, r9d
    xsetbv
ENDUNIT

; ECX and EAX name a call that no hypervisor has.
UNIT exits_vmcall
    mov eax, -1
    mov ecx, 0xffff
    vmcall
ENDUNIT

UNIT exits_vmmcall
    mov eax, -1
    mov ecx, 0xffff
    vmmcall
ENDUNIT

UNIT exits_pause
    pause
ENDUNIT

UNIT exits_in_61
    in al, 0x61
ENDUNIT

UNIT exits_in_4d0
    mov edx, 0x4d0
    in al, dx
ENDUNIT

UNIT exits_in_ed
    in al, 0xed
ENDUNIT

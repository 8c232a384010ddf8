; A core sends itself an interrupt.
%include "bench/suites/wakeup/wakeup.inc"

%define LOOKS 1000000           ; most times that the arrival is looked for
%define ICR_SELF (1 << 18 | 1 << 14 | VECTOR_ROW) ; SDM vol. 3A figure 11-12
%define ICR_PENDING (1 << 12)

%macro SEND 0
    inc dword [rsi + ROOM_EXPECTED]
    mov dword [r8 + APIC_ICR], ICR_SELF
%endmacro

%macro SEND_X2APIC 0
    inc dword [rsi + ROOM_EXPECTED]
    mov ecx, X2APIC_SELF
    mov eax, VECTOR_ROW
    xor edx, edx
    wrmsr
%endmacro

%macro ARRIVES 0
    mov edi, LOOKS
%%look:
    cmp dword [rsi + ROOM_EXPECTED], 0
    je %%came
    dec edi
    jnz %%look
%%came:
%endmacro

UNIT wakeup_self
    SEND
    ARRIVES
ENDUNIT

UNIT wakeup_self_x2apic
    SEND_X2APIC
    ARRIVES
ENDUNIT

; Until the ICR can take the next command.
UNIT wakeup_self_send
    SEND
    mov edi, LOOKS
%$look:
    test dword [r8 + APIC_ICR], ICR_PENDING
    jz %$idle
    dec edi
    jnz %$look
%$idle:
ENDUNIT

UNIT wakeup_self_send_x2apic
    SEND_X2APIC
ENDUNIT

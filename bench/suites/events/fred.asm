; Handlers of FRED, each for one event. FRED has no table of handlers: it enters one page, at its
; begin from ring 3, at another place from ring 0. events_fred() copies a handler to both.
%include "bench/suites/events/events.inc"

; Offsets in the frame that FRED pushes: Intel 346446, event delivery.
%define FRAME_ERROR 0
%define FRAME_RIP   8
%define FRAME_CS    16
%define FRAME_RSP   32
%define FRAME_SS    40
%define FRAME_EVENT 44

; Identifies an event; the length is that of an instruction INT n, INT3, SYSCALL, SYSENTER, else 0.
%define EVENT(vector, type, length) ((vector) | (type) << 16 | LONG_MODE | (length) << 28)
%define LONG_MODE (1 << 25)
%define TYPE_NMI           2
%define TYPE_EXCEPTION     3
%define TYPE_INT           4
%define TYPE_INT3          6
%define TYPE_SYSTEM_CALL   7
%define SYSCALL_EVENT      1
%define SYSENTER_EVENT     2

; The exceptions below 32 with an error code: SDM vol. 3A table 6-1.
%define WITH_ERROR_CODE 0x00227d00
%define EXCEPTIONS 32
%define CR4_FRED_BIT 32
%define PUSHED 16               ; rax and rcx

; Another event than the row's. The end of a window in ring 3 continues after its INT, in ring 0,
; with ring 3's stack pointer and the segment of before. All others go to the kernel, as if the IDT
; had delivered them: FRED's frame differs from that of the IDT in the upper halves of CS and SS.
%macro OTHER 0
    cmp dword [rsp + FRAME_EVENT], EVENT(VECTOR_LEAVE, TYPE_INT, 2)
    jne %%kernel
    mov rcx, [rsp + FRAME_RIP]
    mov rsp, [rsp + FRAME_RSP]
    mov rsi, [OBJECT + OBJECT_ROOM]
    push qword [rsi + ROOM_CS]
    push rcx
    o64 retf
%%kernel:
    push rax
    push rcx
    mov rax, cr4
    btr rax, CR4_FRED_BIT
    mov cr4, rax
    movzx eax, word [rsp + PUSHED + FRAME_CS]
    mov [rsp + PUSHED + FRAME_CS], rax
    movzx ecx, byte [rsp + PUSHED + FRAME_EVENT]
    movzx eax, word [rsp + PUSHED + FRAME_SS]
    mov [rsp + PUSHED + FRAME_SS], rax
    push rcx
    mov rax, [OBJECT + OBJECT_ROOM]
    shl ecx, 4
    add rcx, [rax + ROOM_IDT_BEFORE + 2]
    mov eax, [rcx + 8]          ; the gate's offset: SDM vol. 3A figure 6-8
    shl rax, 16
    mov ax, [rcx + 6]
    shl rax, 16
    mov ax, [rcx]
    pop rcx
    cmp ecx, EXCEPTIONS
    jae %%without
    push WITH_ERROR_CODE
    bt dword [rsp], ecx
    lea rsp, [rsp + 8]
    jnc %%without
    xchg rax, [rsp + 8]
    pop rcx
    ret
%%without:
    mov [rsp + PUSHED + FRAME_ERROR], rax
    pop rcx
    pop rax
    ret
%endmacro

; %2: the event. %3 comes before the count, %4 after it; %5 returns.
%macro FRED 5
UNIT events_fred_%1
    cmp dword [rsp + FRAME_EVENT], %2
    jne %$other
    %3
    COUNT
    %4
    %5
%$other:
    OTHER
ENDUNIT
%endmacro

%macro PAST_UD2 0
    add qword [rsp + FRAME_RIP], UD2_BYTES
%endmacro
%macro PAST_MOVE 0
    add qword [rsp + FRAME_RIP], MOVE_BYTES
%endmacro
%macro TO_RDI 0
    mov [rsp + FRAME_RIP], rdi
%endmacro

; What any other event does.
%macro TO_OTHER 0
    pop rsi
    jmp %$other
%endmacro
%macro EXPECTED 0
    EXPECTED_OR TO_OTHER
%endmacro

FRED int, EVENT(VECTOR_INT, TYPE_INT, 2), NOTHING, NOTHING, ERETS
FRED bp, EVENT(3, TYPE_INT3, 1), NOTHING, NOTHING, ERETS
FRED ud, EVENT(6, TYPE_EXCEPTION, 0), NOTHING, PAST_UD2, ERETS
FRED gp, EVENT(13, TYPE_EXCEPTION, 0), NOTHING, PAST_MOVE, ERETS
FRED pf_absent, EVENT(14, TYPE_EXCEPTION, 0), NOTHING, PAST_MOVE, ERETS
FRED pf_write, EVENT(14, TYPE_EXCEPTION, 0), NOTHING, PAST_MOVE, ERETS
FRED pf_execute, EVENT(14, TYPE_EXCEPTION, 0), NOTHING, TO_RDI, ERETS
FRED db, EVENT(1, TYPE_EXCEPTION, 0), NOTHING, NOTHING, ERETS
FRED nmi, EVENT(2, TYPE_NMI, 0), EXPECTED, NOTHING, ERETS
FRED nmi_x2apic, EVENT(2, TYPE_NMI, 0), EXPECTED, NOTHING, ERETS
FRED user_int, EVENT(VECTOR_INT, TYPE_INT, 2), NOTHING, NOTHING, ERETU
FRED user_syscall, EVENT(SYSCALL_EVENT, TYPE_SYSTEM_CALL, 2), NOTHING, NOTHING, ERETU
FRED user_sysenter, EVENT(SYSENTER_EVENT, TYPE_SYSTEM_CALL, 2), NOTHING, NOTHING, ERETU

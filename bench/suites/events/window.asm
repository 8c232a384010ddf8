; The state around a window of suite `events`: the core's descriptor tables, page tables, MSRs and
; breakpoint, and ring 3.
%include "bench/suites/events/events.inc"

; %1: the offset of the value in an MSR's entry.
%macro WRITE_MSRS 1
    lea rdi, [rsi + ROOM_MSRS]
%%next:
    mov ecx, [rdi]
    test ecx, ecx
    jz %%done
    mov eax, [rdi + MSR_VALUE + %1]
    mov edx, [rdi + MSR_VALUE + %1 + 4]
    wrmsr
    add rdi, MSR_SIZE
    jmp %%next
%%done:
%endmacro

%macro LOAD 2 ; register, memory
    mov rax, %2
    mov %1, rax
%endmacro

; The addresses of the row's handler.
%macro POINT 0
    mov rsi, [OBJECT + OBJECT_ROOM]
    lea rax, [FUNCTION + HANDLER_ENTRY]
    mov [rsi + ROOM_MSRS + MSR_VALUE], rax
    mov rdi, [rsi + ROOM_GATE]
    POINT_GATE
    mov rax, FUNCTION
    lea rdi, [rsi + ROOM_IDT_PAGE + 16 * VECTOR_LEAVE]
    POINT_GATE
%endmacro

; The page tables come before the bits of CR4 that depend on them, and so do the MSRs.
%macro ON 0
    mov rsi, [OBJECT + OBJECT_ROOM]
    WRITE_MSRS 0
    LOAD cr3, [rsi + ROOM_CR3]
    LOAD cr4, [rsi + ROOM_CR4]
    LOAD dr0, [rsi + ROOM_DR0]
    LOAD dr7, [rsi + ROOM_DR7]
    lgdt [rsi + ROOM_GDT]
    lidt [rsi + ROOM_IDT]
    mov qword [rsi + ROOM_READING], 0
    LOAD_REGISTERS
%endmacro

; Preserves rax and rdx, the second reading.
%macro OFF 0
    mov r10, rax
    mov r11, rdx
    mov rsi, [OBJECT + OBJECT_ROOM]
    LOAD dr7, [rsi + ROOM_DR7 + BEFORE]
    LOAD dr0, [rsi + ROOM_DR0 + BEFORE]
    LOAD dr6, [rsi + ROOM_DR6]
    LOAD cr3, [rsi + ROOM_CR3 + BEFORE]
    LOAD cr4, [rsi + ROOM_CR4 + BEFORE]
    mov ds, [rsi + ROOM_DS]
    mov es, [rsi + ROOM_ES]
    mov ss, [rsi + ROOM_SS]
    WRITE_MSRS BEFORE
    lidt [rsi + ROOM_IDT_BEFORE]
    lgdt [rsi + ROOM_GDT_BEFORE]
    mov rax, r10
    mov rdx, r11
%endmacro

UNIT events_on
    POINT
    ON
ENDUNIT

; FRED's handlers have fixed addresses: events_fred().
UNIT events_fred_on
    ON
ENDUNIT

UNIT events_off
    OFF
ENDUNIT

; Ring 3 keeps the stack pointer, which only events use: they switch the stack.
%macro USER_FRAME 0
    mov rax, rsp
    push USER_SS
    push rax
    pushfq
    push USER_CS
    lea rax, [rel %$user]
    push rax
%endmacro

UNIT events_user_on
    POINT
    ON
    USER_FRAME
    iretq
%$user:
ENDUNIT

; FRED allows only ERETU, which removes an error code, too.
UNIT events_fred_user_on
    ON
    USER_FRAME
    push 0
    ERETU
%$user:
ENDUNIT

UNIT events_user_off
    int VECTOR_LEAVE
    OFF
ENDUNIT

; The reading of the handler is the second one. No event: the empty window.
UNIT events_delivered
    OFF
    mov rdi, [rsi + ROOM_READING]
    test rdi, rdi
    jz %$none
    mov eax, edi
    shr rdi, 32
    mov edx, edi
%$none:
ENDUNIT

; The reading of the handler is the first one.
UNIT events_returned
    OFF
    mov rdi, [rsi + ROOM_READING]
    test rdi, rdi
    jz %$none
    mov rcx, FRAME_VA
    mov [rcx + FRAME_START], rdi
%$none:
ENDUNIT

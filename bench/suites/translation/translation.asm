; Windows of suite `translation`. translation.h describes the room and its tables.
%include "bench/suites/privileged/privileged.inc"

; Offsets in struct translation_room.
%define ROOM_CR3        40
%define ROOM_CR3_BEFORE 48
%define ROOM_TOUCH      56
%define ROOM_TOUCH_STEP 64
%define ROOM_TOUCHES    72
%define ROOM_TABLES     76

%define TABLES_AT       4096
%define TABLE           4096
%define FIRST           2048    ; of the operations' entries in a table: the upper half
%define LINE            64
%define ACCESSED        5       ; bit of an entry: SDM vol. 3A table 4-20
%define MOST            32      ; operations, and lines of these entries

; Loads the row's tables. MOV to CR3 flushes the TLBs and the paging-structure caches (SDM vol. 3A
; section 4.10.4.1, APM vol. 2 section 5.5). Then accesses what the window uses next to the body,
; and the addresses of `touch`.
%macro ON 0
    mov rsi, [OBJECT + OBJECT_ROOM]
    mov rax, [rsi + ROOM_CR3]
    mov cr3, rax
    mov rax, [FRAME + FRAME_START]
    mov rdi, [rsi + ROOM_TOUCH]
    mov rdx, [rsi + ROOM_TOUCH_STEP]
    mov ecx, [rsi + ROOM_TOUCHES]
%%touch:
    mov al, [rdi]
    add rdi, rdx
    dec ecx
    jnz %%touch
    LOAD_REGISTERS
%endmacro

; Preserves rax and rdx, the second reading.
%macro OFF 0
    mov r10, rax
    mov rsi, [OBJECT + OBJECT_ROOM]
    mov rax, [rsi + ROOM_CR3_BEFORE]
    mov cr3, rax
    mov rax, r10
%endmacro

UNIT translation_on
    ON
ENDUNIT

; The same, and no cache has the operations' entries.
UNIT translation_on_memory
    mov rsi, [OBJECT + OBJECT_ROOM]
    lea rdi, [rsi + TABLES_AT + FIRST]
    mov ecx, [rsi + ROOM_TABLES]
%$table:
    mov edx, MOST
%$line:
    clflush [rdi]
    add rdi, LINE
    dec edx
    jnz %$line
    add rdi, TABLE - MOST * LINE
    dec ecx
    jnz %$table
    mfence
    ON
ENDUNIT

UNIT translation_off
    OFF
ENDUNIT

; Counts the pages whose entry has its accessed bit set, and clears it.
UNIT translation_off_count
    OFF
    lea rdi, [rsi + TABLES_AT + FIRST]
    mov ecx, MOST
%$entry:
    btr dword [rdi], ACCESSED
    jnc %$clear
    inc qword [OBJECT + OBJECT_COUNTER]
%$clear:
    add rdi, LINE
    dec ecx
    jnz %$entry
ENDUNIT

; r8 is the distance to the next page; r9 is 0 and lets the address wait for the load.
UNIT translation_load
    and r9, [rdi]
    add rdi, r8
    add rdi, r9
ENDUNIT

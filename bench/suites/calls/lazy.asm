; The machine's half of lazy binding (lazy.h). Entry and resolver are what linkers and loaders
; write: System V ABI, AMD64 supplement, figure "Procedure Linkage Table".
;   int function(uint64_t n rdi, struct object *rsi)
%include "bench/window/unit.inc"

%define SYMBOL 7                ; LAZY_CALLEE of lazy.h

extern calls_lazy_bind

    section .text.calls_lazy_stub progbits alloc exec nowrite align=16
    global calls_lazy_stub:function hidden
    global calls_lazy_unresolved:function hidden
calls_lazy_stub:
    jmp [rdi + OBJECT_SLOT]
calls_lazy_unresolved:
    push SYMBOL

; Keeps the argument registers, as the function that was called wants them.
resolver:
    push rax
    push rcx
    push rdx
    push rsi
    push rdi
    push r8
    push r9
    sub rsp, 8                  ; to a multiple of 16: return address, index, seven registers
    mov esi, [rsp + 8 * 8]
    call calls_lazy_bind        ; (object in rdi, index)
    mov r11, rax
    add rsp, 8
    pop r9
    pop r8
    pop rdi
    pop rsi
    pop rdx
    pop rcx
    pop rax
    add rsp, 8                  ; the index
    jmp r11

; %1: the loop. %2: 1: the slot is reset before each call. %3: 1: the call, 0: the empty loop.
%macro LAZY 3
    section .text.%1 progbits alloc exec nowrite align=16
    global %1:function hidden
%1:
    push rbx
    push r12
    push r13
    mov rbx, rdi
    mov r12, rsi
    lea r13, [calls_lazy_unresolved]
.turn:
    %if %2
        mov [r12 + OBJECT_SLOT], r13
    %endif
    mov rdi, r12
    %if %3
        call calls_lazy_stub
    %endif
    dec rbx
    jnz .turn
    pop r13
    pop r12
    pop rbx
    xor eax, eax
    ret
%endmacro

LAZY calls_lazy_first, 1, 1
LAZY calls_lazy_first_empty, 1, 0
LAZY calls_lazy_later, 0, 1
LAZY calls_lazy_later_empty, 0, 0

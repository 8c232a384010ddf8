; What every window shares: entry with its tag, the loop, the call of a C body, and the way out.
;   struct window_result window(struct object *rdi, const void *rsi, uint64_t turns rdx,
;                               uint64_t delay rcx, uint64_t stack r8)          (System V)
%include "bench/window/unit.inc"

; A tracer can tell windows apart: each begins with a NOP whose displacement is its tag (window.h).
; Compilers pad with the same NOP, of displacement 0.
UNIT window_tag
    db 0x0f, 0x1f, 0x80         ; nop dword [rax + disp32]
    FIXUP FIXUP_TAG
ENDUNIT

UNIT window_enter
    push rbp
    push rbx
    push r12
    push r13
    push r14
    push r15
    sub rsp, r8                 ; 8 more than a multiple of 16: a C body expects that at its call
    mov [rsp], r8
    mov OBJECT, rdi
    mov FUNCTION, rsi
    mov TURNS, rdx
; About a core cycle a turn: keeps windows from beginning at one phase of the TSC's step.
.delay:
    dec rcx
    jns .delay
ENDUNIT

; In: the second reading in edx:eax. Out: rax the difference; rdx what a C body returned, rubbish
; after any other.
UNIT window_leave
    shl rdx, 32
    or rax, rdx
    mov r15d, START_LO          ; clears the upper half
    shl rbp, 32
    or rbp, r15
    sub rax, rbp
    mov edx, r13d
    add rsp, [rsp]
    pop r15
    pop r14
    pop r13
    pop r12
    pop rbx
    pop rbp
    ret
ENDUNIT

UNIT loop_turn
    dec TURNS
    db 0x0f, 0x85               ; jnz rel32: the same length whatever the body's
    FIXUP FIXUP_HEAD
ENDUNIT

UNIT call_function
    mov rdi, TURNS
    mov rsi, OBJECT
    call FUNCTION
    mov r13d, eax
ENDUNIT

; The code that all windows share: entry with its tag, the loop, the call of a C body, and the exit.
;   struct window_result window(struct object *rdi, const void *rsi, uint64_t iterations rdx,
;                               uint64_t delay rcx, uint64_t stack r8)          (System V)
%include "bench/engine/unit.inc"

; The tag lets a tracer distinguish windows: each begins with a NOP whose displacement is its tag
; (window.h). Compilers pad with the same NOP, with displacement 0.
UNIT window_tag
    db 0x0f, 0x1f, 0x80         ; nop dword [rax + disp32]
    FIXUP FIXUP_TAG
ENDUNIT

; The entry, in two parts; between them FRAME is set. rax points to the arguments.
%macro ENTER_KEEPING 0
    push rbp
    push rbx
    push r12
    push r13
    push r14
    push r15
    push HISTORY_VALUE
    push rdx
    push rsi
    push rdi
    mov rax, rsp
%endmacro
%macro ENTER_IN_FRAME 0
    mov [FRAME + FRAME_RSP], rax
    pushfq
    pop qword [FRAME + FRAME_FLAGS]
    stmxcsr [FRAME + FRAME_MXCSR]
    fnstcw [FRAME + FRAME_CONTROL]
    sub rsp, r8                 ; 8 more than a multiple of 16: a C body's call requires that
    mov [FRAME + FRAME_BODY_RSP], rsp
; About one core cycle per iteration: keeps windows from beginning at the same phase of the TSC's
; step.
%%delay:
    dec rcx
    jns %%delay
; docs/window.md "The history of registers and flags": for every body, a load has written the
; registers, and CMP with an immediate has written the flags.
    mov OBJECT, [rax]
    mov FUNCTION, [rax + 8]
    mov ITERATIONS, [rax + 16]
    mov rbx, [rax + 24]
    mov rcx, [rax + 24]
    mov rdx, [rax + 24]
    mov rsi, [rax + 24]
    mov rdi, [rax + 24]
    mov r8, [rax + 24]
    mov r9, [rax + 24]
    mov r10, [rax + 24]
    mov r11, [rax + 24]
    mov r15, [rax + 24]
    mov rax, [rax + 24]
    cmp eax, HISTORY_VALUE - 1  ; leaves every flag clear
%endmacro

UNIT window_enter
    ENTER_KEEPING
    db 0x48, 0x8d, 0x2d         ; lea FRAME, [rel ...]
    FIXUP FIXUP_FRAME
    ENTER_IN_FRAME
ENDUNIT

; window.h. POPF delays its first trap by one instruction (Intel SDM vol. 3B section 18.3.1.4),
; which is the jump.
section .text
global window_step:function hidden
window_step:
    mov r10, rsi
    mov r9, [rdi + 40]
    mov r8, [rdi + 32]
    mov rcx, [rdi + 24]
    mov rdx, [rdi + 16]
    mov rsi, [rdi + 8]
    mov rdi, [rdi]
    ENTER_KEEPING
    mov FRAME, r9
    mov [FRAME + FRAME_NEXT], r10
    ENTER_IN_FRAME
    pushfq
    or dword [rsp], 0x100       ; TF
    popfq
    jmp [FRAME + FRAME_NEXT]

; RFLAGS that persist: DF; AC, NT, IOPL and IF.
%define FLAG_DF     0x400
%define FLAGS_OTHER (0x40000 | 0x4000 | 0x3000 | 0x200)
%define MXCSR_STICKY 0x3f       ; exceptions so far, which every computation may set
%define X87_TOP     0x3800      ; of the status word
%define X87_SF      0x40        ; stack fault, sticky: Intel SDM vol. 1 section 8.1.3.3
%define X87_EMPTY   0xffff      ; the tag word

; Shifts one bit into edx: whether the last comparison found a difference. esi is 0 or 1.
%macro NOTE 0
    setne sil
    lea edx, [rsi + rdx * 2]
%endmacro
%macro NOTE_UNLIKE 2
    cmp %1, %2
    NOTE
%endmacro

; window.h. The function can change every register, RSP included, so the caller's registers are
; saved in the frame.
%macro KEEP 1 ; in the frame at %1
    mov [%1 + FRAME_KEPT], rsp
    mov [%1 + FRAME_KEPT + 8], rbx
    mov [%1 + FRAME_KEPT + 16], rbp
    mov [%1 + FRAME_KEPT + 24], r12
    mov [%1 + FRAME_KEPT + 32], r13
    mov [%1 + FRAME_KEPT + 40], r14
    mov [%1 + FRAME_KEPT + 48], r15
%endmacro
; In: %1 the frame. Out: edx the registers that were changed. Changes esi and the flags.
%macro PUT_BACK 1
    xor edx, edx
    xor esi, esi
    NOTE_UNLIKE r15, [%1 + FRAME_KEPT + 48]
    NOTE_UNLIKE r14, [%1 + FRAME_KEPT + 40]
    NOTE_UNLIKE r13, [%1 + FRAME_KEPT + 32]
    NOTE_UNLIKE r12, [%1 + FRAME_KEPT + 24]
    NOTE_UNLIKE rbp, [%1 + FRAME_KEPT + 16]
    NOTE_UNLIKE rbx, [%1 + FRAME_KEPT + 8]
    NOTE_UNLIKE rsp, [%1 + FRAME_KEPT]
    mov r15, [%1 + FRAME_KEPT + 48]
    mov r14, [%1 + FRAME_KEPT + 40]
    mov r13, [%1 + FRAME_KEPT + 32]
    mov r12, [%1 + FRAME_KEPT + 24]
    mov rbp, [%1 + FRAME_KEPT + 16]
    mov rbx, [%1 + FRAME_KEPT + 8]
    mov rsp, [%1 + FRAME_KEPT]
%endmacro
; In: flags in %1. Out: 1 << WINDOW_DF of enum window_kept in it if DF is set, else 0.
%macro NOTE_DF 1
    and %1, FLAG_DF
    shr %1, 3
%endmacro
global window_call:function hidden
window_call:
    sub rsp, 8
    mov rax, FRAME_VA
    KEEP rax
    mov rax, rdi
    mov rdi, rsi
    mov rsi, rdx
    call rax
    mov rcx, FRAME_VA
    PUT_BACK rcx
    pushfq
    pop rcx
    cld
    NOTE_DF ecx
    or edx, ecx
    add rsp, 8
    ret

; In: the second reading in edx:eax. Out: rax the difference; the low half of rdx the return value
; of a C body, undefined for other bodies; the high half the state that the body changed: bits of
; enum window_kept of window.h, which are found here from the last bit to the first. The body can
; change every register, RSP included; state that would persist is restored.
UNIT window_leave
    db 0x48, 0x8d, 0x0d         ; lea rcx, [rel ...]
    FIXUP FIXUP_FRAME
    mov r8, rsp
    mov rsp, [rcx + FRAME_RSP]
    pushfq
    pop r9
    shl rdx, 32
    or rax, rdx
    sub rax, [rcx + FRAME_START]
    xor edx, edx
    xor esi, esi
    fnstenv [rcx + FRAME_X87]   ; masks the x87's exceptions
    mov edi, [rcx + FRAME_X87 + 4]
    test edi, X87_SF
    NOTE
    and edi, X87_TOP
    mov r10d, [rcx + FRAME_X87 + 8]
    xor r10w, X87_EMPTY
    or di, r10w
    NOTE
    mov r11w, [rcx + FRAME_CONTROL]
    NOTE_UNLIKE r11w, [rcx + FRAME_X87]
    test edx, edx
    jz .x87_is_as_before
    fninit
.x87_is_as_before:
    fldcw [rcx + FRAME_CONTROL]

    stmxcsr [rcx + FRAME_X87]
    mov edi, [rcx + FRAME_X87]
    xor edi, [rcx + FRAME_MXCSR]
    test edi, ~MXCSR_STICKY
    NOTE
    jz .mxcsr_is_as_before
    ldmxcsr [rcx + FRAME_MXCSR]
.mxcsr_is_as_before:

    xor r9, [rcx + FRAME_FLAGS]
    test r9d, FLAGS_OTHER
    NOTE
    test r9d, FLAG_DF
    NOTE
    and r9d, FLAGS_OTHER | FLAG_DF
    jz .flags_are_as_before
    pushfq
    xor [rsp], r9
    popfq
.flags_are_as_before:

    NOTE_UNLIKE r15, [rsp + 24]
    NOTE_UNLIKE r14, [rsp + 16]
    NOTE_UNLIKE r13, [rsp + 8]
    NOTE_UNLIKE r12, [rsp]
    NOTE_UNLIKE rbp, rcx
    NOTE_UNLIKE rbx, [rsp + 24]
    NOTE_UNLIKE r8, [rcx + FRAME_BODY_RSP]
    shl rdx, 32
    mov esi, [rcx + FRAME_FAILED]
    or rdx, rsi
    add rsp, 4 * 8              ; the arguments, HISTORY_VALUE
    pop r15
    pop r14
    pop r13
    pop r12
    pop rbx
    pop rbp
    ret
ENDUNIT

UNIT loop_iteration
    dec ITERATIONS
    db 0x0f, 0x85               ; jnz rel32: its length does not depend on the body's
    FIXUP FIXUP_HEAD
ENDUNIT

; Runs before the first reading. The body sees the flags that the function leaves, and its registers
; that neither a recipe nor the call below writes. Registers that the function must preserve are
; restored, and the changed ones are recorded in the frame.
UNIT call_before
    KEEP FRAME
    mov rdi, OBJECT
    db 0xe8                     ; call rel32
    FIXUP FIXUP_CALLEE
    mov rdi, FRAME_VA
    mov rax, rsp
    mov rsp, [rdi + FRAME_KEPT]
    pushfq
    pop qword [rdi + FRAME_BEFORE_FLAGS]
    mov rsp, rax
    PUT_BACK rdi
    or [rdi + FRAME_BEFORE], edx
    mov edx, [rdi + FRAME_BEFORE_FLAGS]
    NOTE_DF edx
    or [rdi + FRAME_BEFORE], edx
    and dword [rdi + FRAME_BEFORE_FLAGS], ~FLAG_DF
    push qword [rdi + FRAME_BEFORE_FLAGS]
    popfq
ENDUNIT

UNIT call_function
    mov rdi, ITERATIONS
    mov rsi, OBJECT
    call FUNCTION
    db 0x89, 0x05               ; mov [rel ...], eax
    FIXUP FIXUP_FRAME
ENDUNIT

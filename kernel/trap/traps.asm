; Changes of the stack: exception handlers, guarded calls, and the way from the firmware and back
; (kernel/trap/traps.h). Each stub of a handler pushes vector and error code as in struct
; trap_frame; the rest is common. Saves integer registers only: the C code uses no others.
bits 64
default rel
section .text

extern trap_dispatch

%define INTEGERS  rax, rbx, rcx, rdx, rsi, rdi, rbp, r8, r9, r10, r11, r12, r13, r14, r15
%define PRESERVED rbp, rbx, r12, r13, r14, r15 ; by the ABI

%macro push_all 1-*
  %rep %0
        push    %1
  %rotate 1
  %endrep
%endmacro

; In the reverse order.
%macro pop_all 1-*
  %rep %0
  %rotate -1
        pop     %1
  %endrep
%endmacro

; The exceptions that push an error code: Intel SDM vol. 3A table 6-1; AMD APM vol. 2 table 8-1 for
; 29 and 30.
%define ERROR_CODES ((1 << 8) | (0x1f << 10) | (1 << 17) | (1 << 21) | (1 << 29) | (1 << 30))

; TRAP_STUB_SIZE bytes apart (kernel/trap/traps.c).
        align   16
global trap_stubs:function hidden
trap_stubs:
%assign vector 0
%rep 32
        align   16
  %if ((ERROR_CODES >> vector) & 1) == 0
        push    0
  %endif
        push    vector
        jmp     near trap_common
  %assign vector vector + 1
%endrep
; The interrupts, VECTOR_INTERRUPTS to the last.
%assign vector 0xf0
%rep 16
        align   16
        push    0
        push    vector
        jmp     near trap_common
  %assign vector vector + 1
%endrep

        align   16
trap_common:
        push_all INTEGERS
        cld
        ; The CPU aligned the stack before its pushes; after 22 words it is aligned again.
        mov     rdi, rsp
        call    trap_dispatch
        pop_all INTEGERS
        add     rsp, 16         ; vector, error code
        iretq

; --- guarded calls: a handler can end them. The state to restore is on the stack, at *rdi: the
; registers that the ABI preserves, MXCSR and the x87 control word ---

; bool guard_enter(volatile uint64_t *rdi, void (*rsi)(void *), void *rdx)      (System V)
global guard_enter:function hidden
guard_enter:
        push_all PRESERVED
        lea     rbp, [rsp + 40]         ; where rbp is saved
        sub     rsp, 16
        stmxcsr [rsp]
        fnstcw  [rsp + 4]
        push    rdi             ; the stack is a multiple of 16 now
        mov     [rdi], rsp
        mov     rdi, rdx
        call    rsi
        cld
        pop     rdi
        mov     qword [rdi], 0
        mov     eax, 1
        jmp     restore

; A handler continues here with the stack pointer from *rdi.
global guard_exit:function hidden
guard_exit:
        pop     rdi
        xor     eax, eax
restore:
        fninit
        fldcw   [rsp + 4]
        ldmxcsr [rsp]
        add     rsp, 16
restore_registers:
        pop_all PRESERVED
        ret

; --- sleeping: nothing is delivered between STI and the next instruction, so that an interrupt
; that is pending ends the sleep. But an NMI can come there, and the interrupt then comes before the
; sleep. So a handler that would return to HLT or MWAIT returns to the next instruction
; (kernel/trap/traps.c) ---

; void sleep_hlt(void)
global sleep_hlt:function hidden
global sleep_hlt_at:function hidden
sleep_hlt:
        sti
sleep_hlt_at:
        hlt
        cli
        ret

; void sleep_mwait(uint32_t hint)       MONITOR is armed
global sleep_mwait:function hidden
global sleep_mwait_at:function hidden
sleep_mwait:
        mov     eax, edi
        xor     ecx, ecx
        sti
sleep_mwait_at:
        mwait
        cli
        ret

; --- from the firmware's stack to ours, and back ---

; int entry_visit(void *argument, uint64_t stack_top, void (*go)(void *), uint64_t *back)
; As entry_switch, but entry_return(*back, status) makes it return the status.
global entry_visit:function hidden
entry_visit:
        push_all PRESERVED
        pushfq
        mov     [rcx], rsp
; _Noreturn void entry_switch(void *argument, uint64_t stack_top, void (*go)(void *))
global entry_switch:function hidden
entry_switch:
        push    2               ; only the fixed bit: IF, DF, TF, NT, AC are clear
        popfq
        mov     rsp, rsi        ; 16-byte aligned; the call pushes its return address below
        xor     ebp, ebp        ; where a backtrace ends
        call    rdx
        ud2

; _Noreturn void entry_return(uint64_t back, int status)
; Works from any stack. Uses IRET, since it may run in an NMI handler: NMIs stay blocked until
; then (Intel SDM vol. 3A section 6.7.1).
global entry_return:function hidden
entry_return:
        mov     eax, esi
        mov     rsp, rdi
        mov     ecx, ss
        push    rcx
        push    rdi
        push    2
        mov     ecx, cs
        push    rcx
        lea     rcx, [.back]
        push    rcx
        iretq
.back:
        popfq
        jmp     restore_registers

section .note.GNU-stack noalloc noexec nowrite progbits

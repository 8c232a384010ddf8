; Accesses to devices. r8 is the port, or the address of the registers; r9 is a value to write.
%include "bench/suites/privileged/privileged.inc"

%define PORT_POST       0x80
%define PORT_PIC_MASK   0x21
%define PORT_PIT        0x40
%define PORT_PIT_COMMAND 0x43
%define PCI_ADDRESS     0xcf8
%define PCI_DATA        0xcfc

; Registers of the HPET and of the local APIC.
%define HPET_COUNTER    0xf0
%define APIC_ID         0x20
%define APIC_TPR        0x80
%define APIC_EOI        0xb0
%define APIC_TIMER      0x390

UNIT devices_out_80
    out PORT_POST, al
ENDUNIT

UNIT devices_in_80
    in al, PORT_POST
ENDUNIT

UNIT devices_pic
    in al, PORT_PIC_MASK
ENDUNIT

; Latches the count of channel 0, and reads both bytes. Disturbs nothing.
UNIT devices_pit
    xor eax, eax
    out PORT_PIT_COMMAND, al
    in al, PORT_PIT
    in al, PORT_PIT
ENDUNIT

UNIT devices_pm_timer
    mov edx, r8d
    in eax, dx
ENDUNIT

UNIT devices_hpet
    mov eax, [r8 + HPET_COUNTER]
ENDUNIT

UNIT devices_apic_id
    mov eax, [r8 + APIC_ID]
ENDUNIT

UNIT devices_apic_timer
    mov eax, [r8 + APIC_TIMER]
ENDUNIT

UNIT devices_apic_tpr
    mov [r8 + APIC_TPR], r9d
ENDUNIT

UNIT devices_apic_eoi
    mov dword [r8 + APIC_EOI], 0
ENDUNIT

UNIT devices_pci_ports
    mov edx, PCI_ADDRESS
    mov eax, r9d
    out dx, eax
    mov edx, PCI_DATA
    in eax, dx
ENDUNIT

; After the window: the address as found, in r10.
UNIT devices_pci_address
    mov rdi, rax
    mov rsi, rdx
    mov edx, PCI_ADDRESS
    mov eax, r10d
    out dx, eax
    mov rax, rdi
    mov rdx, rsi
ENDUNIT

UNIT devices_pci_ecam
    mov eax, [r8]
ENDUNIT

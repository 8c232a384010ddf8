; BOOTIA32.EFI: what 32-bit firmware starts from the stick. It says why nothing is measured there,
; and waits for a key, at most 10 s. A whole PE32 file, made with `nasm -f bin`. Sources: Microsoft,
; "PE Format"; UEFI 2.10 sections 4.3 (system table), 4.4 (boot services), 12.3 and 12.4 (console).
bits 32

%define HEADERS     0x200  ; bytes of the file before the section
%define AT          0x1000 ; the section's address in the image
%define CON_IN      36     ; in the system table
%define CON_OUT     44
%define BOOT        60
%define READ_KEY    4      ; in the protocols
%define PUT_STRING  4
%define STALL       136    ; in the boot services
%define POLL_US     20000
%define POLLS       500
%define UNSUPPORTED 0x80000003

        org     0
        dw      'MZ'
        times   0x3c - ($ - $$) db 0
        dd      signature
signature:
        dd      'PE'
        dw      0x14c           ; i386
        dw      1               ; section
        dd      0, 0, 0
        dw      sections - optional
        dw      0x102           ; executable, 32 bits; it can be loaded anywhere
optional:
        dw      0x10b           ; PE32
        dw      0
        dd      code_size, 0, 0
        dd      AT              ; the entry
        dd      AT, 0
        dd      0               ; image base
        dd      0x1000, HEADERS ; alignment of the section, and in the file
        dd      0, 0, 0, 0
        dd      AT + 0x1000     ; bytes of the image
        dd      HEADERS
        dd      0
        dw      10              ; an EFI application
        dw      0
        dd      0, 0, 0, 0, 0
        dd      6               ; data directories, all of them empty
        times   6 dd 0, 0
sections:
        db      '.text', 0, 0, 0
        dd      code_size, AT, code_size, HEADERS
        dd      0, 0, 0
        dd      0x60000020      ; code, execute, read
        times   HEADERS - ($ - $$) db 0

; EFI_STATUS entry(EFI_HANDLE image, EFI_SYSTEM_TABLE *table)    (cdecl)
entry:
        push    ebx
        push    esi
        push    edi
        mov     esi, [esp + 20]
        call    .here
.here:
        pop     ebx
        mov     edi, [esi + CON_OUT]
        test    edi, edi
        jz      .end
        lea     eax, [ebx + text - .here]
        push    eax
        push    edi
        call    [edi + PUT_STRING]
        add     esp, 8
        mov     edi, [esi + CON_IN]
        test    edi, edi
        jz      .end
        mov     ebx, POLLS
.poll:
        sub     esp, 4          ; the key
        push    esp
        push    edi
        call    [edi + READ_KEY]
        add     esp, 12
        test    eax, eax
        jz      .end
        push    POLL_US
        mov     eax, [esi + BOOT]
        call    [eax + STALL]
        add     esp, 4
        dec     ebx
        jnz     .poll
.end:
        mov     eax, UNSUPPORTED
        pop     edi
        pop     esi
        pop     ebx
        ret

        align   2
text:
        dw      __utf16__('baretick needs 64-bit UEFI firmware and a CPU with 64-bit mode; this ')
        dw      __utf16__('firmware has 32 bits, so nothing was measured.'), 13, 10, 0
        times   HEADERS - ($ - entry) % HEADERS db 0
code_size equ   $ - entry

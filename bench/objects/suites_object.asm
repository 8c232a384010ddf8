; The suites' relocatable object as bytes (compiled.h). The Makefile makes the file and defines
; SUITES_OBJECT as its name.
section .rodata
    align 16
    global suites_object:data hidden
    global suites_object_end:data hidden
suites_object:
    incbin SUITES_OBJECT
suites_object_end:

section .note.GNU-stack noalloc noexec nowrite progbits

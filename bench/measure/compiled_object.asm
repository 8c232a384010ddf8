; The suites' relocatable object as bytes (compiled.h). The Makefile makes the file and defines
; SUITES_OBJECT as its name.
section .rodata
    align 16
    global compiled_object:data hidden
    global compiled_object_end:data hidden
compiled_object:
    incbin SUITES_OBJECT
compiled_object_end:

section .note.GNU-stack noalloc noexec nowrite progbits

# baretick. `make` builds build/baretick.efi; `make help` lists the rest.

ifeq ($(origin CC),default)
CC := gcc
endif
LD      ?= ld
OBJCOPY ?= objcopy
NASM    ?= nasm
PYTHON  ?= python3
ifeq ($(origin LD),default)
LD := ld
endif

# `make run` and `make image`; scripts/run --help tells what they mean.
ARGS    ?=
ACCEL   ?= auto
ICOUNT  ?= auto
SMP     ?= 1
CPU     ?=
MEM     ?= 512
OUT     ?= build/run
TIMEOUT ?=
CONF    ?=

B     := build
EFI   := $(B)/baretick.efi
# One object directory a compiler, so that `make` and `make CC=clang` can take turns.
CC_ID := $(subst /,_,$(subst $(eval) ,_,$(strip $(CC))))
OBJ   := $(B)/obj/$(CC_ID)
GEN   := $(B)/gen

# --- sources -------------------------------------------------------------------------------------

C_SRC   := $(sort $(wildcard boot/*.c kernel/*.c bench/*.c bench/suites/*.c lib/*.c))
ASM_SRC := $(sort $(wildcard boot/*.asm kernel/*.asm bench/*.asm bench/suites/*.asm))
OBJS    := $(C_SRC:%=$(OBJ)/%.o) $(ASM_SRC:%=$(OBJ)/%.o)

# Floating point is for these alone. All other code can run while SSE is off or in a trap handler.
FLOAT_SRC := $(filter-out $(addprefix bench/,report.c registry.c),$(wildcard bench/*.c)) \
	$(wildcard bench/suites/*.c) \
	$(addprefix kernel/,clocks.c main.c facts.c platform.c selftest.c) \
	$(addprefix lib/,stats.c clock.c step.c mathx.c num.c json_f64.c linearity.c behave.c)

# --- flags ---------------------------------------------------------------------------------------

# GNU-EFI's place differs between distributions.
EFI_LIBDIRS := /usr/lib /usr/lib64 /usr/lib/x86_64-linux-gnu /usr/lib/gnuefi /usr/lib64/gnuefi \
	/usr/lib/gnuefi/x64 /usr/lib64/efi
EFI_CRT0 := $(firstword $(wildcard $(foreach d,$(EFI_LIBDIRS),$d/crt0-efi-x86_64.o $d/crt0-efi-x64.o)))
EFI_LIB  := $(firstword $(wildcard $(addsuffix /libgnuefi.a,$(EFI_LIBDIRS))))
EFI_INC  ?= /usr/include/efi

WARN   := -Wall -Wextra -Werror -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wundef
CFLAGS_IMAGE := -std=c11 -ffreestanding -O2 -g -fPIE -fshort-wchar -mno-red-zone \
	-fno-stack-protector -fcf-protection=none -fno-strict-aliasing -fno-math-errno \
	-fvisibility=hidden -fno-omit-frame-pointer -ffunction-sections -fdata-sections \
	-fno-asynchronous-unwind-tables -ffile-prefix-map=$(CURDIR)=. $(WARN) -I. -I$(GEN)
GENERAL := -mgeneral-regs-only
# Only boot/ calls firmware, in its own calling convention.
CFLAGS_BOOT := -DGNU_EFI_USE_MS_ABI -isystem $(EFI_INC) -isystem $(EFI_INC)/x86_64
IS_CLANG := $(findstring clang,$(shell $(CC) --version 2>/dev/null | head -n 1))
ifeq ($(IS_CLANG),)
CFLAGS_BOOT += -maccumulate-outgoing-args
endif
LDFLAGS_IMAGE := -nostdlib -pie --no-dynamic-linker -z text -z noexecstack -z max-page-size=4096 \
	-Bsymbolic --no-undefined --gc-sections --build-id=none --fatal-warnings -T linker.ld
# .reloc tells firmware that the image may be moved; crt0 does the work from .dynamic and .rela.
PE_SECTIONS := $(addprefix -j ,.text .rodata .data .dynamic .rela .reloc)

# A file's own flags: CFLAGS_<path> := ...
CFLAGS_bench/suites/calls_stub_endbr.c := -fcf-protection=branch

flags = $(CFLAGS_IMAGE) $(if $(filter boot/%,$1),$(CFLAGS_BOOT)) \
	$(if $(filter $(FLOAT_SRC),$1),,$(GENERAL)) \
	$(if $(filter bench/suites/%,$1),-fomit-frame-pointer) $(CFLAGS_$1)

# --- the image -----------------------------------------------------------------------------------

.PHONY: all run image test unit check lint clean help FORCE
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules

all: $(EFI)

$(OBJ)/%.c.o: %.c $(OBJ)/flags | $(GEN)/build_id.h
	@mkdir -p $(@D)
	$(CC) $(call flags,$<) -MMD -MP -c -o $@ $<

$(OBJ)/%.asm.o: %.asm $(OBJ)/flags
	@mkdir -p $(@D)
	$(NASM) -f elf64 -I ./ -Wall -Werror -MD $(@:.o=.d) -MP -o $@ $<

$(B)/baretick.elf: $(OBJS) linker.ld $(B)/linked
	$(if $(EFI_CRT0),,$(error crt0-efi-x86_64.o of GNU-EFI not found in $(EFI_LIBDIRS): run ./scripts/setup))
	$(LD) $(LDFLAGS_IMAGE) -o $@ $(EFI_CRT0) $(OBJS) $(EFI_LIB)

$(EFI): $(B)/baretick.elf scripts/pe_finish
	$(OBJCOPY) -S $(PE_SECTIONS) --target efi-app-x86_64 --subsystem=10 $< $@.tmp
	$(PYTHON) scripts/pe_finish $< $@.tmp
	mv $@.tmp $@

# Stamps that change only when their text does: flags of this compiler's objects, the list of what is
# linked (a removed source or another compiler must relink), the build's name.
write_if_changed = mkdir -p $(@D); printf '%s\n' $1 | cmp -s - $@ || printf '%s\n' $1 > $@

$(OBJ)/flags: FORCE
	@$(call write_if_changed,'$(CC) $(CFLAGS_IMAGE) $(CFLAGS_BOOT) $(FLOAT_SRC)')
$(B)/linked: FORCE
	@$(call write_if_changed,'$(LD) $(LDFLAGS_IMAGE) $(OBJS)')
$(GEN)/build_id.h: FORCE
	@mkdir -p $(@D)
	@scripts/build_id > $@.tmp
	@if cmp -s $@.tmp $@; then rm $@.tmp; else mv $@.tmp $@; fi
FORCE:

-include $(OBJS:.o=.d)

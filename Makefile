# baretick. `make` builds build/baretick.efi; `make help` lists the rest.

ifeq ($(origin CC),default)
CC := gcc
endif
LD := $(if $(filter default,$(origin LD)),ld,$(LD))
OBJCOPY ?= objcopy
NASM    ?= nasm
PYTHON  ?= python3
# V=1 shows the commands, -s nothing.
V ?= 0
QUIET := $(findstring s,$(firstword -$(MAKEFLAGS)))
say = $(if $(filter 0,$V),@$(if $(QUIET),,echo "  $1";))

# A text as one word of the shell, whatever it contains.
quoted = '$(subst ','\'',$1)'
# The same for a variable's value, by its name; make does not expand a $$ in it either. For user input: names of files,
# words, numbers. Commands and their flags (CC, WERROR...) are shell text.
given = $(call quoted,$(value $1))
# An option of a script, if its variable is not empty.
option = $(if $(value $2),$1=$(call given,$2))
# A user's file as text for a stamp: its name and checksum.
file_stamp = $(value $1) $(if $(value $1),$(shell cat -- $(call given,$1) 2>/dev/null | cksum))
# The same for a folder or a file.
files_stamp = $(value $1) $(if $(value $1),$(shell find -- $(call given,$1) -type f -exec cat {} + 2>/dev/null | cksum))

# `make run` and `make image`; scripts/run --help explains these.
ARGS    ?=
ACCEL   ?= auto
ICOUNT  ?= auto
SMP     ?= 1
CPU     ?=
MEM     ?= 512
OUT     ?= build/run
TIMEOUT ?=
CONF    ?=
# Bytes per sector of the device that `make image` makes an image for; empty: 512.
SECTOR  ?=
# A folder with user objects, for boots: docs/own-code.md.
OBJECTS ?=
# `make check-object`: an object, or a folder of objects.
OBJECT  ?=
# `make signed`: PEM files.
KEY     ?=
CERT    ?=
# What `make check` takes at most, without compiling (118 s on a virtual Emerald Rapids); CONTRIBUTING.md states it too.
CHECK_CPU_S := 190
# The file with the screen's characters; empty: the distribution's Terminus.
FONT    ?=
# GNU-EFI's headers.
EFI_INC ?= /usr/include/efi

B     := build
EFI   := $(B)/baretick.efi
IA32  := $(B)/bootia32.efi
# One object directory per compiler, so that `make` and `make CC=clang` can alternate.
CC_ID := $(subst /,_,$(subst $(eval) ,_,$(strip $(CC))))
OBJ   := $(B)/obj/$(CC_ID)
GEN   := $(B)/gen

# make also puts the variables of its command line into every command's environment, and expands them for that (make 4.4
# for the $$(shell)s below too): $$(shell ...) in a file name would run. Those commands get what they need as words.
unexport ARGS ACCEL ICOUNT SMP CPU MEM OUT TIMEOUT CONF SECTOR OBJECTS OBJECT KEY CERT FONT EFI_INC

# --- sources -------------------------------------------------------------------------------------

C_SRC   := $(sort $(shell find boot kernel bench lib -name '*.c'))
# For 32-bit firmware: a separate program.
IA32_SRC := boot/ia32.asm
ASM_SRC := $(filter-out $(IA32_SRC),$(sort $(shell find boot kernel bench lib -name '*.asm')))
OBJS    := $(C_SRC:%=$(OBJ)/%.o) $(ASM_SRC:%=$(OBJ)/%.o)

# Flags depend on the room. General registers only: code that runs while SSE may be off, or in a trap handler.
GENERAL_ROOMS := boot $(addprefix kernel/,memory cpu devices trap cores console machine) $(addprefix bench/,api objects) \
	$(addprefix lib/,text config firmware cpu object insn)
# The last counts the bytes of its table before the kernel enables SSE.
GENERAL_FILES := $(wildcard kernel/*.c) bench/kinds/insn_forms.c
# In such a room, but called only where SSE is enabled: it takes doubles.
SSE_FILES := lib/text/decimal.c kernel/devices/clocks.c
# Compiled as a user of the compiler would: without frame pointers.
BODY_ROOMS := bench/suites
$(foreach r,$(GENERAL_ROOMS) $(BODY_ROOMS),$(if $(wildcard $r/),,$(error $r: no such room: mend \
	GENERAL_ROOMS and BODY_ROOMS)))
$(foreach f,$(GENERAL_FILES) $(SSE_FILES),$(if $(wildcard $f),,$(error $f: no such file: mend GENERAL_FILES \
	and SSE_FILES)))

# --- flags ---------------------------------------------------------------------------------------

# GNU-EFI's place differs between distributions.
EFI_LIBDIRS := /usr/lib /usr/lib64 /usr/lib/x86_64-linux-gnu /usr/lib/gnuefi /usr/lib64/gnuefi \
	/usr/lib/gnuefi/x64 /usr/lib64/efi
EFI_CRT0 := $(firstword $(wildcard $(foreach d,$(EFI_LIBDIRS),$d/crt0-efi-x86_64.o $d/crt0-efi-x64.o)))
EFI_LIB  := $(firstword $(wildcard $(addsuffix /libgnuefi.a,$(EFI_LIBDIRS))))

# A newer compiler may report more: `make WERROR=` makes its findings warnings.
WERROR ?= -Werror
WARN   := -Wall -Wextra $(WERROR) -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wundef
CFLAGS_IMAGE := -std=c11 -ffreestanding -O2 -g -fPIE -fshort-wchar -mno-red-zone \
	-fno-stack-protector -fcf-protection=none -fno-strict-aliasing -fno-math-errno \
	-fvisibility=hidden -fno-omit-frame-pointer -ffunction-sections -fdata-sections \
	-fno-asynchronous-unwind-tables $(call quoted,-ffile-prefix-map=$(CURDIR)=.) $(WARN) -I. -I$(GEN)
# Only boot/ calls firmware, in its own calling convention.
CFLAGS_BOOT := -DGNU_EFI_USE_MS_ABI -isystem $(call given,EFI_INC) -isystem $(call given,EFI_INC)/x86_64
IS_CLANG := $(findstring clang,$(shell $(CC) --version 2>/dev/null | head -n 1))
ifeq ($(IS_CLANG),)
CFLAGS_BOOT += -maccumulate-outgoing-args
endif
LDFLAGS_IMAGE := -nostdlib -O2 -pie --no-dynamic-linker -z text -z noexecstack -z max-page-size=4096 \
	-Bsymbolic --no-undefined --gc-sections --build-id=none --fatal-warnings -T linker.ld
# .reloc tells firmware that the image can be moved; crt0 applies the relocations.
PE_SECTIONS := $(addprefix -j ,.text .rodata .data .dynamic .rela .reloc .sbat)

# A file's own flags: CFLAGS_<path> := ...
# As shared libraries are compiled (bench/suites/calls/pic.h).
PIC_OF = $(addsuffix .c,$(addprefix CFLAGS_bench/suites/calls/pic_,$1))
$(foreach f,$(call PIC_OF,plt symbolic callee callee_symbolic),$(eval $f := -fPIC))
CFLAGS_bench/suites/calls/virtual_pic.c := -fPIC
$(foreach f,$(call PIC_OF,plt_endbr callee_endbr),$(eval $f := -fPIC -fcf-protection=branch))
# clang would load the slot once, before the loop, and call by register.
CFLAGS_bench/suites/calls/pic_got.c := -fPIC -fno-plt $(if $(IS_CLANG),-mllvm -disable-machine-licm)
CFLAGS_bench/suites/calls/retpoline.c := $(if $(IS_CLANG),-mretpoline,-mindirect-branch=thunk)
# As FreeBSD's dynamic linker is compiled: vector registers may hold a function's arguments.
CFLAGS_bench/suites/calls/lazy_fixup.c := -mgeneral-regs-only
# Each in one section, in which the functions keep their order.
CFLAGS_bench/suites/compiler/moved.c := -fno-function-sections -falign-functions=32 -falign-loops=16
CFLAGS_bench/suites/compiler/moved_unused.c := $(CFLAGS_bench/suites/compiler/moved.c)
# As a program is normally compiled: with memset and memcpy known; with functions cloned.
CFLAGS_bench/suites/compiler/memory.c := -fhosted -fbuiltin
CFLAGS_bench/suites/compiler/noclone.c := -O3
# Loops of a known length are unrolled by gcc too.
CFLAGS_bench/suites/compiler/ctype.c := -O3
CFLAGS_BODY := -fomit-frame-pointer

in_rooms = $(filter $(addsuffix /%,$1),$2)
own_flags = $(if $(call in_rooms,boot,$1),$(CFLAGS_BOOT)) \
	$(if $(call in_rooms,$(GENERAL_ROOMS),$(filter-out $(SSE_FILES),$1))$(filter $(GENERAL_FILES),$1),-mgeneral-regs-only) \
	$(if $(call in_rooms,$(BODY_ROOMS),$1),$(CFLAGS_BODY)) $(CFLAGS_$1)
flags = $(CFLAGS_IMAGE) $(call own_flags,$1)

# --- the image -----------------------------------------------------------------------------------

.PHONY: all run hosted replay silicon image iso signed test test-others test-conditions unit unit-build check lint
.PHONY: clean dist deb help FORCE
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules

all: $(EFI) $(IA32)

$(IA32): $(IA32_SRC)
	@mkdir -p $(@D)
	$(call say,NASM $<)$(NASM) -f bin -Werror -o $@ $<

$(OBJ)/%.c.o: %.c $(OBJ)/flags | $(GEN)/build_id.h $(GEN)/font.h
	@mkdir -p $(@D)
	$(call say,CC $<)$(CC) $(call flags,$<) -MMD -MP -c -o $@ $<

# With -MD, NASM 2.16 writes the dependencies without the included files; with -M it names them.
nasmflags = -f elf64 -I ./ -Werror $(NASMFLAGS_$1)
$(OBJ)/%.asm.o: %.asm $(OBJ)/flags
	@mkdir -p $(@D)
	$(call say,NASM $<)$(NASM) $(call nasmflags,$<) -o $@ $<
	@$(NASM) $(call nasmflags,$<) -M -MP -MT $@ $< >$(@:.o=.d)

# The rows' functions, with their relocations, as bytes in the program: the measured code is placed from these
# (bench/engine/compiled.h). Each section of code or data remains separate. The functions that they call outside of their
# own objects are linked in. Sources without rows of FORM_FUNCTION are left out: nothing of these rows is placed.
NOT_PLACED  := $(addprefix $(OBJ)/bench/suites/,devices/% events/% exits/% privileged/% translation/% wakeup/% $(addsuffix .c.o,cores datasheet summary_rows insn limits memory quiet))
SUITES      := $(OBJ)/suites.o
SUITES_OBJS := $(filter-out $(NOT_PLACED),$(filter $(OBJ)/bench/suites/%,$(OBJS))) $(patsubst %,$(OBJ)/%.c.o,bench/api/counted lib/object/gnu_hash lib/text/mem lib/text/str)
NASMFLAGS_bench/objects/suites_object.asm := -DSUITES_OBJECT=$(call quoted,"$(SUITES)")
$(SUITES): $(SUITES_OBJS) bench/objects/suites.ld scripts/build/thin_suites $(OBJ)/suites
	$(call say,LD $@)$(LD) -r --unique -T bench/objects/suites.ld -o $@.tmp $(SUITES_OBJS)
	@$(OBJCOPY) --strip-debug -R baretick_rows -R baretick_summary -R .comment -R .note.GNU-stack $@.tmp
	@$(PYTHON) scripts/build/thin_suites $@.tmp
	@mv $@.tmp $@
$(OBJ)/bench/objects/suites_object.asm.o: $(SUITES)

$(B)/baretick.elf: $(OBJS) linker.ld $(B)/linked
	$(if $(EFI_CRT0),,$(error GNU-EFI's crt0-efi-x86_64.o is in none of: $(EFI_LIBDIRS); run ./scripts/setup))
	$(call say,LD $@)$(LD) $(LDFLAGS_IMAGE) -o $@ $(EFI_CRT0) $(OBJS) $(EFI_LIB)

$(EFI): $(B)/baretick.elf scripts/build/pe_finish scripts/tools/pe.py
	$(call say,PE $@)$(OBJCOPY) -S $(PE_SECTIONS) --target efi-app-x86_64 --subsystem=10 $< $@.tmp
	@$(PYTHON) scripts/build/pe_finish $< $@.tmp
	@mv $@.tmp $@

# Stamps that change only if their text, of at most 128 KiB, does: the flags of this compiler's objects, the list of
# linked objects (another compiler, or a removed source, must link again), the build's name.
writable = mkdir -p $(@D) 2>/dev/null && [ -w $(@D) ] || { \
	echo "make: $(@D) cannot be written: \`make B=FOLDER\` builds in another folder (\`make run\`: also OUT=FOLDER)" >&2; exit 1; }
stamp = $(writable); printf '%s\n' $(call quoted,$1) >$@.$$$$; \
	if cmp -s $@.$$$$ $@; then rm $@.$$$$; else mv $@.$$$$ $@; fi

$(OBJ)/flags: FORCE
	$(foreach tool,$(firstword $(CC)) $(NASM),$(if $(shell command -v $(tool) 2>/dev/null),,$(error $(tool) is not installed: run ./scripts/setup)))
	@$(call stamp,$(CC) $(CFLAGS_IMAGE) $(foreach f,$(C_SRC),$f $(call own_flags,$f)))
$(OBJ)/suites: FORCE
	@$(call stamp,$(LD) $(OBJCOPY) $(SUITES_OBJS))
$(B)/linked: FORCE
	@$(call stamp,$(LD) $(LDFLAGS_IMAGE) $(OBJS))
$(GEN)/build_id.h: FORCE
	@$(writable)
	@scripts/build/build_id >$@.$$$$ && if cmp -s $@.$$$$ $@; then rm $@.$$$$; else mv $@.$$$$ $@; fi
$(GEN)/font.h: scripts/build/font scripts/tools/fonts.py $(GEN)/font
	$(call say,FONT $@)$(PYTHON) scripts/build/font $(call option,--font,FONT) >$@
$(GEN)/font: FORCE
	@$(call stamp,$(call file_stamp,FONT))
FORCE:

-include $(OBJS:.o=.d)

# --- the same engine and suites as a Linux program ------------------------------------------------

# The image's own objects, including its memcpy and the code of its bodies: the same code is measured.
IMAGE_LIB   := $(filter $(OBJ)/lib/%,$(OBJS)) $(OBJ)/bench/suites/datasheet.c.o
HOSTED      := $(B)/hosted/baretick
HOSTED_OBJS := $(patsubst %,$(OBJ)/%.o,$(sort $(wildcard hosted/*.c hosted/platform/*.c))) $(IMAGE_LIB) \
	$(filter $(OBJ)/bench/%,$(OBJS))
# Decodes recorded bytes with lib/.
REPLAY      := $(B)/hosted/replay
REPLAY_SRC  := $(sort $(wildcard hosted/replay/*.c))
REPLAY_OBJS := $(REPLAY_SRC:%=$(OBJ)/%.o) $(OBJ)/bench/engine/row_figure.c.o $(IMAGE_LIB)
# Writes baretick.conf with every option as a comment.
CONF_TOOL   := $(B)/hosted/conf
# Prints the schema of the report.
FIELDS_TOOL := $(B)/hosted/fields
# Prints the intervals of recorded launches: for the test of their coverage.
COVERAGE    := $(B)/hosted/coverage
# The program with a counter of core cycles on every machine, for tests.
COUNTED  := $(B)/hosted/counted
# Runs a function of any relocatable object: for tests of compilers' output.
OBJECT_TOOL := $(B)/hosted/object
# Prints what a machine will say about a user object.
CHECK_OBJECT := $(B)/hosted/check_object
# What a program needs to place a row as the Linux program does.
PLACES_ROWS := $(patsubst %,$(OBJ)/hosted/platform/%.c.o,buffers exit_guard fault folder output process signal_guard)
# Prints what an instruction reads and writes, and the same one with other operands: for scripts/assembly/waits.py.
OPERANDS := $(B)/hosted/operands
# Traces a row's body step by step: dead stores, silent stores, silent loads. Uses Zydis to decode.
STORES      := $(B)/hosted/stores
STORES_OBJS := $(patsubst %,$(OBJ)/%.o,$(sort $(wildcard hosted/stores/*.c))) $(PLACES_ROWS)
# Prints lib/insn/table.def: the forms of instructions that Zydis' decoder knows.
INSN_TABLE      := $(B)/hosted/insn_table
INSN_TABLE_OBJS := $(patsubst %,$(OBJ)/%.o,$(sort $(wildcard hosted/tools/insn_*.c)))
# Prints copies of every form, for the tests to disassemble.
INSN_COPIES := $(B)/hosted/insn_copies
# Executes every form that this CPU has, once.
INSN_RUN    := $(B)/hosted/insn_run
HAS_ZYDIS   := $(wildcard $(addsuffix /include/Zydis/Zydis.h,/usr /usr/local))
# A program for comparison: for scripts/silicon.
PEER     := $(B)/hosted/peer_google_benchmark
HAS_GOOGLE_BENCHMARK := $(wildcard $(addsuffix /include/benchmark/benchmark.h,/usr /usr/local))

# The folder of the rows' own objects, with their line numbers.
CFLAGS_hosted/stores/show.c := $(call quoted,-DROWS_OBJECTS="$(OBJ)")
# The host's libc, and addresses that stay the same in a relaunch. No stack canary: it is read through FS, which a body
# can have changed when a signal's handler begins.
CFLAGS_HOSTED  := -std=c11 -D_GNU_SOURCE -O2 -g -fno-pie -fno-stack-protector \
	$(call quoted,-ffile-prefix-map=$(CURDIR)=.) $(WARN) -I. -I$(GEN)
LDFLAGS_HOSTED := -no-pie -Wl,-z,noexecstack

hosted: $(HOSTED) $(COUNTED) $(OBJECT_TOOL) $(CHECK_OBJECT) $(INSN_COPIES) $(INSN_RUN) $(if $(HAS_ZYDIS),$(STORES) $(OPERANDS) $(INSN_TABLE))
replay: $(REPLAY)
define hosted_object
	@mkdir -p $(@D)
	$(call say,CC $<)$(CC) $(CFLAGS_HOSTED) $(CFLAGS_$<) -MMD -MP -c -o $@ $<
endef
$(OBJ)/hosted/%.c.o: hosted/%.c $(OBJ)/hosted/flags | $(GEN)/build_id.h
	$(hosted_object)
$(OBJ)/tests/%.c.o: tests/%.c $(OBJ)/hosted/flags | $(GEN)/build_id.h
	$(hosted_object)
$(HOSTED): $(HOSTED_OBJS)
$(REPLAY): $(REPLAY_OBJS)
$(CONF_TOOL): $(OBJ)/hosted/tools/conf.c.o $(IMAGE_LIB)
$(FIELDS_TOOL): $(OBJ)/hosted/tools/fields.c.o $(IMAGE_LIB)
$(COVERAGE): $(OBJ)/tests/hosted/tools/coverage.c.o $(IMAGE_LIB)
$(COUNTED): $(OBJ)/tests/hosted/tools/made_counter.c.o $(filter-out %/hosted/platform/counter.c.o,$(HOSTED_OBJS))
$(OBJECT_TOOL): $(OBJ)/tests/hosted/tools/object.c.o $(IMAGE_LIB)
$(INSN_COPIES): $(OBJ)/tests/hosted/tools/insn_copies.c.o $(IMAGE_LIB)
$(INSN_RUN): $(OBJ)/tests/hosted/tools/insn_run.c.o $(IMAGE_LIB)
$(CHECK_OBJECT): $(OBJ)/hosted/tools/check_object.c.o $(PLACES_ROWS) $(filter-out $(OBJ)/hosted/%,$(HOSTED_OBJS))
$(HOSTED) $(COUNTED) $(REPLAY) $(CONF_TOOL) $(FIELDS_TOOL) $(COVERAGE) $(OBJECT_TOOL) $(CHECK_OBJECT) $(INSN_COPIES) $(INSN_RUN): $(B)/hosted/linked
	$(call say,LD $@)$(CC) $(LDFLAGS_HOSTED) -o $@ $(filter %.o,$^)
$(STORES): $(STORES_OBJS) $(filter-out $(OBJ)/hosted/%,$(HOSTED_OBJS)) $(STORES).linked
	$(call say,LD $@)$(CC) $(LDFLAGS_HOSTED) -o $@ $(filter %.o,$^) -lZydis
$(OPERANDS): $(OBJ)/hosted/tools/operands.c.o $(IMAGE_LIB) $(STORES).linked
	$(call say,LD $@)$(CC) $(LDFLAGS_HOSTED) -o $@ $(filter %.o,$^) -lZydis
$(INSN_TABLE): $(INSN_TABLE_OBJS) $(STORES).linked
	$(call say,LD $@)$(CC) $(LDFLAGS_HOSTED) -o $@ $(filter %.o,$^) -lZydis
$(PEER): tests/hosted/peers/google_benchmark.cc
	@mkdir -p $(@D)
	$(call say,CXX $@)$(CXX) -std=c++17 -O2 -Wall -Wextra -o $@ $< -lbenchmark -lpthread

$(OBJ)/hosted/flags: FORCE
	@$(call stamp,$(CC) $(CFLAGS_HOSTED))
$(B)/hosted/linked: FORCE
	@$(call stamp,$(CC) $(LDFLAGS_HOSTED) $(HOSTED_OBJS) $(REPLAY_OBJS))
$(STORES).linked: FORCE
	@$(call stamp,$(CC) $(LDFLAGS_HOSTED) $(STORES_OBJS) $(INSN_TABLE_OBJS))
-include $(shell find $(OBJ)/hosted $(OBJ)/tests -name '*.d' 2>/dev/null)

# Prints what a machine will say about a user object, or all objects of a folder.
.PHONY: check-object
# `make check-object FILE.o` too.
ifeq (check-object,$(firstword $(MAKECMDGOALS)))
ifneq (,$(wordlist 2,2,$(MAKECMDGOALS)))
OBJECT := $(word 2,$(MAKECMDGOALS))
.PHONY: $(OBJECT)
$(OBJECT): ; @:
endif
endif
check-object: $(CHECK_OBJECT)
	@$(CHECK_OBJECT) $(call given,OBJECT)

stores: $(if $(HAS_ZYDIS),$(STORES),no-zydis)
.PHONY: stores no-zydis insn-table
no-zydis:
	@echo "Zydis, which decodes instructions, is not installed: ./scripts/setup --test installs it" >&2
	@echo "(libzydis-dev, zydis-devel or zydis); only make stores and make insn-table need it" >&2
	@exit 1

# The forms of instructions, from the decoder: after a change to hosted/tools/insn_*.c or lib/insn/form.h.
insn-table: $(if $(HAS_ZYDIS),$(INSN_TABLE),no-zydis)
	@$(INSN_TABLE) >lib/insn/table.def.tmp && mv lib/insn/table.def.tmp lib/insn/table.def || \
		{ rm -f lib/insn/table.def.tmp; exit 1; }

silicon: $(HOSTED) $(REPLAY) $(if $(HAS_GOOGLE_BENCHMARK),$(PEER))
	+@tests=0; $(PYTHON) scripts/test silicon || tests=1; $(PYTHON) scripts/silicon && exit $$tests

# --- running it ----------------------------------------------------------------------------------

run: $(EFI)
	@$(PYTHON) scripts/run --efi=$(call quoted,$(EFI)) $(call option,--accel,ACCEL) $(call option,--icount,ICOUNT) \
		$(call option,--smp,SMP) $(call option,--mem,MEM) $(call option,--out,OUT) \
		$(call option,--cpu,CPU) $(call option,--timeout,TIMEOUT) $(call option,--objects,OBJECTS) -- \
		$(foreach w,$(value ARGS),$(call quoted,$w))

# --- what it boots from: a disk, a CD; signed where Secure Boot is on ------------------------------

# Every option as a comment, unless CONF= names another file; scripts/image reports a missing one.
MEDIA_CONF := $(if $(value CONF),$(call given,CONF),$(B)/baretick.conf)
MEDIA_NEED := scripts/image scripts/tools/pe.py $(IA32) $(if $(value CONF),,$(B)/baretick.conf) $(B)/media
$(B)/baretick.conf: $(CONF_TOOL)
	@$(CONF_TOOL) >$@

# The documentation's table of options, from the program.
.PHONY: options-table fields
options-table: $(CONF_TOOL)
	@$(PYTHON) scripts/build/options_table $(CONF_TOOL)

# The tables of docs/report.md, and the schema with which the scripts check a report.
fields: $(FIELDS_TOOL)
	@$(PYTHON) scripts/build/fields $(FIELDS_TOOL)

# The README's pictures, from reports of this machine.
.PHONY: pictures
PICTURES := $(B)/pictures
pictures: $(PICTURES)/datasheet.jsonl $(PICTURES)/calls.jsonl
	@$(PYTHON) scripts/pictures $^ docs/pictures
$(PICTURES)/datasheet.jsonl: WORDS := datasheet
$(PICTURES)/calls.jsonl: WORDS := suite=calls
$(PICTURES)/%.jsonl: $(HOSTED)
	@mkdir -p $(@D)
	@$(HOSTED) $(WORDS) format=jsonl >$@.tmp
	@mv $@.tmp $@

image: $(B)/baretick.img
iso: $(B)/baretick.iso
$(B)/baretick.img $(B)/baretick.iso: $(EFI) $(MEDIA_NEED)
	@scripts/image $(call option,--sector,SECTOR) $(EFI) $(MEDIA_CONF) $@ $(if $(value OBJECTS),$(call given,OBJECTS))
$(B)/media: FORCE
	@$(call stamp,$(call file_stamp,CONF) $(value SECTOR) $(call files_stamp,OBJECTS))

# Separate, because a signature contains its time, so no two are equal.
SIGNED := $(B)/signed
signed: $(SIGNED)/baretick.img
$(SIGNED)/baretick.efi: $(EFI) scripts/sign scripts/tools/pe.py $(SIGNED)/keys
	@scripts/sign $(EFI) $@ $(call given,KEY) $(call given,CERT)
$(SIGNED)/baretick.img: $(SIGNED)/baretick.efi $(MEDIA_NEED)
	@scripts/image $(call option,--sector,SECTOR) $< $(MEDIA_CONF) $@ $(if $(value OBJECTS),$(call given,OBJECTS))
$(SIGNED)/keys: FORCE
	@$(call stamp,$(call file_stamp,KEY) $(call file_stamp,CERT))

# --- tests: on the host, under the sanitizers; with clang in `make test-others` -------------------

UNIT := $(B)/unit/$(CC_ID)
# What the tests link: archives, of which the linker takes the units with functions that a test calls and does not define
# itself. Helpers of the tests are in lib.a too. The host's libc replaces lib/text/mem.c.
UNIT_SUITES := $(addprefix calls/,many switch) insn limits memory privileged/tables sum/body truth/table \
	$(addprefix compiler/,body callee ctype letters loops memory noclone split)
UNIT_KERNEL := $(filter kernel/devices/% kernel/memory/%,$(C_SRC)) $(patsubst %,kernel/%.c, \
	console/display console/serial cores/run cores/nmi_timer cores/own_timers cpu/area_map cpu/msr_setup cpu/paging cpu/row_state cpu/throttling)
UNIT_HOSTED := $(patsubst %,hosted/%.c,platform/area platform/counter platform/nodes platform/process stores/counts stores/hash_table \
	$(if $(HAS_ZYDIS),stores/operands))
UNIT_LIB := $(filter-out lib/text/mem.c,$(filter lib/%,$(C_SRC))) bench/suites/datasheet.c $(patsubst %,hosted/replay/replay_%.c,acpi cpuid machine) \
	$(sort $(wildcard tests/unit/*.c))
UNIT_UPPER := $(filter-out bench/suites/% bench/run/run%,$(filter bench/%,$(C_SRC))) \
	$(UNIT_SUITES:%=bench/suites/%.c) $(UNIT_KERNEL) $(UNIT_HOSTED) $(filter-out hosted/replay/replay.c $(UNIT_LIB),$(REPLAY_SRC))
UNIT_ASM := $(filter-out %/suites_object.asm.o,$(filter $(OBJ)/bench/%.asm.o,$(OBJS)))
# One program per test, build/unit/COMPILER/NAME; the tests are in folders like those of the code that they test.
UNIT_TESTS := $(sort $(shell find tests/unit -name 'test_*.c' -o -name 'fuzz_*.c' ! -name fuzz_main.c))
UNIT_NAMES := $(basename $(notdir $(UNIT_TESTS)))
UNIT_TWICE := $(shell printf '%s\n' $(UNIT_NAMES) | sort | uniq -d)
$(if $(UNIT_TWICE),$(error tests/unit has two programs of one name: $(UNIT_TWICE)))
unit_object = $(filter %/$1.o,$(UNIT_TESTS:%.c=$(UNIT)/%.o))
CFLAGS_UNIT := -std=c11 -g1 -O0 -fsanitize=address,undefined -fno-sanitize-recover=all \
	-fno-omit-frame-pointer $(WARN) -I. -I$(GEN)
# Optimised, because tests call them millions of times; the rest would take longer to compile than that saves.
UNIT_FAST := $(addprefix lib/,stats/% text/% insn/% curve/%) bench/kinds/insn_forms.c
# A test may define the TSC of the units that it links, and the privileged instructions of those in kernel/.
# A function that stands in for another has its parameters and often ignores them.
unit_flags = $(if $(filter tests/%,$1),-Wno-unused-parameter) $(if $(filter $(UNIT_FAST),$1),-O1) \
	$(if $(filter kernel/%,$1),-include tests/unit/kernel/fake_cpu.h) \
	$(if $(filter hosted/platform/% tests/unit/hosted/%,$1),-D_GNU_SOURCE) \
	$(if $(filter bench/% hosted/platform/%,$1),-include tests/unit/linked_tsc.h)
# Functions that a test replaces even for their own units: its __wrap_NAME. They are still there as __real_NAME.
wrapped = $(patsubst %,-Xlinker --wrap=%,$1)
$(UNIT)/test_area: UNIT_LIBS := $(call wrapped,mmap memfd_create madvise)
$(UNIT)/test_core_witness: UNIT_LIBS := $(call wrapped,witness_read_before witness_read witness_is_shared)
$(UNIT)/test_nodes: UNIT_LIBS := $(call wrapped,syscall)
$(UNIT)/test_memory_forward: UNIT_LIBS := $(call wrapped,needs_sizes)
$(UNIT)/test_memory_together: UNIT_LIBS := $(call wrapped,gate_patience)
$(UNIT)/test_counter: UNIT_LIBS := $(call wrapped,syscall read close mmap munmap)
# Its page tables map its own memory to itself, which must be where physical memory can be.
$(UNIT)/test_paging: UNIT_LIBS := -no-pie -Xlinker --defsym=_text=0x400000 -Xlinker --defsym=_data=0x401000
$(UNIT)/test_stores_operands: UNIT_LIBS := $(if $(HAS_ZYDIS),-lZydis)
# Suites whose rows these test: nothing calls those.
$(UNIT)/test_many: $(UNIT)/bench/suites/calls/many.o
$(UNIT)/test_memory_suite: $(patsubst %,$(UNIT)/bench/suites/%.o,limits memory)
$(addprefix $(UNIT)/test_,sheet summary): $(patsubst %,$(UNIT)/bench/suites/%.o,insn limits memory)
# Helpers that replace functions of the engine.
$(addprefix $(UNIT)/test_,curve curve_loads limit memory_forward memory_together): $(UNIT)/tests/unit/bench/machine.o
$(addprefix $(UNIT)/test_,curve curve_loads): $(UNIT)/tests/unit/bench/kinds/made_memory.o

$(UNIT)/%.o: %.c $(UNIT)/flags | $(GEN)/build_id.h $(GEN)/font.h
	@mkdir -p $(@D)
	$(call say,CC $<)$(CC) $(CFLAGS_UNIT) $(call unit_flags,$<) -MMD -MP -c -o $@ $<
$(UNIT)/lib.a: $(UNIT_LIB:%.c=$(UNIT)/%.o) $(UNIT)/sources
$(UNIT)/upper.a: $(UNIT_UPPER:%.c=$(UNIT)/%.o) $(UNIT_ASM) $(UNIT)/sources
$(UNIT)/%.a:
	@rm -f $@
	@ar rcT $@ $(filter %.o,$^)
# lib/ calls no other floor: its tests are not linked again after a change to one.
$(patsubst %.c,$(UNIT)/%,$(notdir $(filter-out tests/unit/lib/%,$(UNIT_TESTS)))): $(UNIT)/upper.a
.SECONDEXPANSION:
$(UNIT)/test_%: $$(call unit_object,$$(@F)) $(UNIT)/lib.a
	$(call say,LD $@)$(CC) $(CFLAGS_UNIT) -o $@ $(filter %.o,$^) $(filter %upper.a,$^) $(UNIT)/lib.a -lcmocka $(UNIT_LIBS)
$(UNIT)/fuzz_%: $$(call unit_object,$$(@F)) $(UNIT)/tests/unit/fuzz/fuzz_main.o $(UNIT)/lib.a
	$(call say,LD $@)$(CC) $(CFLAGS_UNIT) -o $@ $(filter %.o,$^) $(filter %upper.a,$^) $(UNIT)/lib.a
.SECONDARY:

$(UNIT)/flags: FORCE
	@$(call stamp,$(CC) $(CFLAGS_UNIT) $(foreach f,$(UNIT_LIB) $(UNIT_UPPER),$f $(call unit_flags,$f)))
$(UNIT)/sources: FORCE
	@$(call stamp,$(UNIT_LIB) $(UNIT_UPPER) $(UNIT_ASM))
unit-build: $(UNIT_NAMES:%=$(UNIT)/%)
# Not those next to the programs, where a former layout had them: make would remake them as programs.
-include $(shell find $(UNIT) -mindepth 2 -name '*.d' 2>/dev/null)

# --- the impersonator: shows a booted program a recorded machine (tests/boot/README.md) -----------

# It copies itself in memory, so it has no relocations.
IMPERSONATOR := $(B)/tests/impersonator.efi
IMPERSONATOR_SRC := $(sort $(wildcard tests/boot/impersonator/*.c tests/boot/impersonator/*.asm))
$(foreach f,$(filter %.c,$(IMPERSONATOR_SRC)),$(eval CFLAGS_$f = $$(CFLAGS_BOOT) -mgeneral-regs-only))
$(IMPERSONATOR): $(IMPERSONATOR_SRC:%=$(OBJ)/image/%.o) linker.ld
	@mkdir -p $(@D)
	$(call say,LD $@)$(LD) $(LDFLAGS_IMAGE) -o $@.elf $(EFI_CRT0) $(filter %.o,$^) $(EFI_LIB)
	@! readelf -rW $@.elf | grep R_X86_64 || { echo "$@: relocations of a program that copies itself" >&2; exit 1; }
	@$(OBJCOPY) -S $(PE_SECTIONS) --target efi-app-x86_64 --subsystem=10 $@.elf $@.tmp
	@mv $@.tmp $@
$(OBJ)/image/tests/%.c.o: tests/%.c $(OBJ)/flags | $(GEN)/build_id.h
	@mkdir -p $(@D)
	$(call say,CC $<)$(CC) $(CFLAGS_IMAGE) $(CFLAGS_$<) -MMD -MP -c -o $@ $<
$(OBJ)/image/tests/%.asm.o: tests/%.asm $(OBJ)/flags
	@mkdir -p $(@D)
	$(call say,NASM $<)$(NASM) $(nasmflags) -o $@ $<
-include $(IMPERSONATOR_SRC:%=$(OBJ)/image/%.d)

unit:
	+@$(PYTHON) scripts/test unit --compiler $(call quoted,$(CC))
test:
	+@$(PYTHON) scripts/test unit hosted replay boot --compiler $(call quoted,$(CC))
test-others:
	+@$(PYTHON) scripts/test unit hosted boot --marked others --compiler clang
test-conditions: hosted replay
	+@$(PYTHON) scripts/test-conditions
check:
	+@$(PYTHON) scripts/test unit boot lint --marked check --compiler gcc --stated $(CHECK_CPU_S)
lint:
	@scripts/lint

# The committed files, as a tarball that builds without git: the file VERSION names its build.
DIST := baretick-$(shell cat VERSION)
dist:
	@mkdir -p $(B)
	@git archive --format=tar.gz --prefix=$(DIST)/ -o $(B)/$(DIST).tar.gz HEAD
	@echo "$(B)/$(DIST).tar.gz"

# Its Debian packages.
deb: dist
	@scripts/build/deb $(B)/$(DIST).tar.gz $(B)/deb

clean:
	rm -rf $(B)

help:
	@echo "make                 builds build/baretick.efi (CC=clang works too)"
	@echo "make run             boots it in QEMU and shows the report"
	@echo "                     ARGS=\"suite=calls samples=4096\" ACCEL=auto|kvm|tcg ICOUNT=auto|0|1"
	@echo "                     SMP=1 CPU=model MEM=512 OUT=build/run TIMEOUT=90"
	@echo "                     OBJECTS=dir: also runs user rows (docs/own-code.md); image and iso take it too"
	@echo "make hosted          builds build/hosted/baretick: the same engine and suites as a Linux program"
	@echo "make replay          builds build/hosted/replay: decodes recorded CPUID dumps, ACPI tables and windows"
	@echo "make stores          builds build/hosted/stores: redundant stores and loads (scripts/baretick stores --help)"
	@echo "make check-object    prints what a machine will say about a user object (OBJECT=file.o)"
	@echo "make image           makes build/baretick.img, for a USB stick (CONF=file: its baretick.conf)"
	@echo "                     SECTOR=4096: for a device with sectors of 4096 bytes"
	@echo "make iso             makes build/baretick.iso, for a CD, a virtual CD or a stick"
	@echo "make dist            makes build/baretick-VERSION.tar.gz, which builds without git"
	@echo "make deb             makes Debian packages of the last commit in build/deb"
	@echo "make signed          makes build/signed/baretick.efi and .img, for Secure Boot (KEY=file CERT=file, PEM)"
	@echo "make test            runs all tests with gcc and QEMU"
	@echo "make check           runs lint, the unit tests and three boots, in less than $(CHECK_CPU_S) s of CPU time"
	@echo "make unit            runs the unit tests"
	@echo "make lint            checks the form of the sources"
	@echo "make test-others     runs the unit tests with clang, other emulators, and the image as clang makes it"
	@echo "make test-conditions runs the Linux program's tests on one CPU, on busy ones, without counters, emulated"
	@echo "make silicon         launches the Linux program some 200 times and checks its figures on this CPU"
	@echo "make options-table   regenerates the table of docs/options.md, after a new option"
	@echo "make fields          regenerates the tables of docs/report.md, after a new field"
	@echo "make insn-table      regenerates lib/insn/table.def: the forms of instructions that Zydis knows"
	@echo "make pictures        measures, and draws the README's pictures"
	@echo "make clean           removes build/"

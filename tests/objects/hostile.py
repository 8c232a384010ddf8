"""The results of the rows of hostile.asm: each is reported by name, and the canary after it is right."""

PRODUCTS = 10  # instructions of a canary's operation
CANARY = "_after"

# Row: what its message must have in it. The row fails.
FAILS = {
    "r15": ["changed r15"],
    "rbp": ["changed rbp"],
    "rbx": ["changed rbx"],
    "r12": ["changed r12"],
    "r13_r14": ["changed r13, r14"],
    "rsp": ["changed rsp"],
    "df": ["changed RFLAGS.DF"],
    "fs": ["changed", "FS base"],
    "gs": ["changed", "GS base"],
}
# Functions around the windows, which change what they must leave: names (changed_by), and instructions that change it.
KEPT = {"rbx": "mov $0x77, %rbx", "rbp": "mov $0x77, %rbp", "r12": "not %r12", "r13_r14": "not %r13; not %r14",
        "r15": "xor %r15d, %r15d", "rsp": "pop %rcx; sub $64, %rsp; jmp *%rcx", "df": "std"}
AROUND = ("setup", "check", "before")


def changed_by(field, name):
    """What is said of such a function."""
    return f"{field} changed " + {"df": "RFLAGS.DF"}.get(name, name.replace("_", ", "))


def around_source():
    """Rows whose setup or check does so, each with a canary after it."""
    rows = []
    for name, instructions in KEPT.items():
        rows.append(f"""void change_{name}(struct baretick_object *o); const char *wrong_{name}(const struct baretick_object *, uint64_t);
            __asm__(".text; .globl change_{name}, wrong_{name}; change_{name}: wrong_{name}: xor %eax, %eax; {instructions}; ret");""")
        rows += [f"""BARETICK_STATEMENT(around, {field}_{name}, "a count", 8, .{field} = {function}_{name}) {{ o->counter++; }}
            BARETICK_STATEMENT(around, {field}_{name}{CANARY}, "a count", 8, .check = baretick_counted) {{ o->counter++; }}"""
                 for field, function in zip(AROUND, ("change", "wrong", "change"))]
    return "\n".join(rows)


def judge_around(rows):
    assert set(rows) == {f"{field}_{name}{end}" for field in AROUND for name in KEPT for end in ("", CANARY)}, sorted(rows)
    for field in AROUND:
        for name in KEPT:
            row, canary = rows[f"{field}_{name}"], rows[f"{field}_{name}{CANARY}"]
            assert row["status"] == "wrong" and f"{changed_by(field, name)}," in row["why"], row
            assert canary["status"] == "ok" and "changed" not in canary, canary


def judge_stores_around(traces, refused):
    """A check comes after the trace; what comes before it is refused."""
    for field in AROUND:
        for name in KEPT:
            said = changed_by(field, name)
            if field == "check":
                assert said in traces[f"{field}_{name}"]["wrong"], traces
            else:
                assert any(f"around/{field}_{name}:" in why and said in why for why in refused), refused
            assert "wrong" not in traces[f"{field}_{name}{CANARY}"], traces


# On the bare machine the selector changes, too.
FAILS_BOOTED = {**FAILS, "fs": ["changed FS"]}

# The same, of the bodies that take ring 0. Each message also says that it was restored.
FAILS_RING0 = {
    "gs_null": ["the GS base"],
    "gs_elsewhere": ["the GS base"],
    "swapgs": ["the GS base", "KERNEL_GS_BASE"],
    "ds_null": ["changed DS,"],
    "es_null": ["changed ES,"],
    "ss_null": ["changed SS,"],
    "gs_endless": ["the GS base", "deadline="],
    "gs_ud2": ["the GS base"],
    "cr0_ts": ["CR0 (TS set)"],
    "cr0_ts_used": ["CR0 (TS set)"],
    "cr0_em": ["CR0 (EM set)"],
    "cr0_mp": ["CR0 (MP cleared)"],
    "cr0_wp": ["CR0 (WP cleared)"],
    "cr3_pcd": ["CR3"],
    "cr4_osfxsr": ["CR4 (OSFXSR cleared)"],
    "cr4_osxsave": ["CR4 (OSXSAVE cleared)"],
    "cr4_pge_tsd": ["CR4 (TSD set, PGE set)"],
    "cr8": ["CR8"],
    "xcr0": ["XCR0 (SSE cleared, AVX cleared"],
    "xcr0_used": ["XCR0 (SSE cleared, AVX cleared"],
    "efer_nxe": ["EFER (NXE cleared)"],
    "efer_nxe_flushed": ["EFER (NXE cleared)"],
    "efer_sce": ["EFER (SCE"],
    "dr7": ["DR7", "DR0"],
    "dr7_met": ["DR7", "DR1"],
    "dr6": ["changed DR6,"],
    "dr7_gd": ["DR7"],
    "gdtr": ["GDTR"],
    "idtr": ["IDTR"],
    "ltr": ["changed TR,"],
    "cs": ["changed CS,"],
    "lldt": ["changed LDTR,"],
}

# Row: what the report says that it changed. It passes, because that is restored after each window.
TOLD = {
    "mxcsr": ["MXCSR"],
    "unmasked": ["MXCSR", "the x87 control word"],
    "x87_stack": ["x87 stack"],
    "x87_overflow": ["x87 stack"],
    "x87_underflow": ["x87 stack"],
    "mmx": ["MMX"],
    "ymm": [],  # not reported: a function may change them
    "pkru": [],  # reported in a process on a CPU that has it
    "nt": ["NT"],
    "ac": ["AC"],
}

TOLD_BOOTED = {**TOLD, "sti": ["IF"], "iopl": ["IOPL"]}

# The same bodies as snippets of `asm`, by the names above; each copy does it. A snippet may change all registers and
# the direction flag, so what only does that passes.
SNIPPETS = {
    "r15": "mov r15, 0x123456789abcdef",
    "rbp": "xor ebp, ebp",
    "rbx": "mov rbx, -1",
    "r12": "inc r12",
    "r13_r14": "not r13; not r14",
    "rsp": "sub rsp, 64",
    "df": "std",
    "fs": "mov ecx, ss; mov fs, ecx",
    "gs": "mov ecx, ss; mov gs, ecx",
    "mxcsr": "push 0xffc0; ldmxcsr [rsp]; pop rax",
    "unmasked": "push 0; ldmxcsr [rsp]; fldcw [rsp]; pop rax",
    "x87_stack": "fld1; fldpi",
    "x87_overflow": "times 9 fld1",
    "x87_underflow": "fadd st0, st0; fld1",
    "mmx": "pxor mm0, mm0",
    "nt": "pushfq; or dword [rsp], 0x4000; popfq",
    "ac": "pushfq; or dword [rsp], 0x40000; popfq",
}


def _change(register, instruction, bits):
    return f"mov rax, {register}; {instruction} rax, {bits}; mov {register}, rax"


def _efer(instruction, bits):
    return f"mov ecx, 0xc0000080; rdmsr; {instruction} eax, {bits}; wrmsr"


# Without those whose second copy undoes the first (swapgs), or does more of the same until a table is gone (gdtr), and
# those that are the same in an object (ltr, lldt, cs).
SNIPPETS_RING0 = {
    "gs_null": "xor ecx, ecx; mov gs, ecx",
    "gs_elsewhere": "mov rax, r14; mov rdx, r14; shr rdx, 32; mov ecx, 0xc0000101; wrmsr",
    "ds_null": "xor ecx, ecx; mov ds, ecx",
    "es_null": "xor ecx, ecx; mov es, ecx",
    "ss_null": "xor ecx, ecx; mov ss, ecx",
    "gs_endless": "xor ecx, ecx; mov gs, ecx; jmp $",
    "gs_ud2": "xor ecx, ecx; mov gs, ecx; ud2",
    "cr0_ts": _change("cr0", "or", "1 << 3"),
    "cr0_ts_used": _change("cr0", "or", "1 << 3") + "; fninit",
    "cr0_em": _change("cr0", "or", "1 << 2"),
    "cr0_mp": _change("cr0", "and", "~(1 << 1)"),
    "cr0_wp": _change("cr0", "and", "~(1 << 16)"),
    "cr3_pcd": _change("cr3", "or", "1 << 4"),
    "cr4_osfxsr": _change("cr4", "and", "~(1 << 9)"),
    "cr4_osxsave": _change("cr4", "and", "~(1 << 18)"),
    "cr4_pge_tsd": _change("cr4", "or", "1 << 7 | 1 << 2"),
    "cr8": _change("cr8", "and", "1"),
    "xcr0": "xor ecx, ecx; xor edx, edx; mov eax, 1; xsetbv",
    "xcr0_used": "xor ecx, ecx; xor edx, edx; mov eax, 1; xsetbv; vpxor xmm0, xmm0, xmm0",
    "efer_nxe": _efer("and", "~(1 << 11)"),
    "efer_nxe_flushed": _efer("and", "~(1 << 11)") + "; mov rax, cr3; mov cr3, rax",
    "efer_sce": _efer("or", "1"),
    "sti": "sti",
    "iopl": "pushfq; or dword [rsp], 0x3000; popfq",
    "dr7": "mov dr0, r14; mov eax, 0x401; mov dr7, rax",
    "dr7_met": "lea rax, [rel $ + 17]; mov dr1, rax; mov eax, 0x404; mov dr7, rax; nop",
    "dr6": "mov eax, 0xffff0ff1; mov dr6, rax",
    "dr7_gd": "mov eax, 0x2400; mov dr7, rax",
}


# System calls that bodies may not make: numbers of asm/unistd_64.h, unistd_x32.h and unistd_32.h.
CALLS = {
    "exit": (60, 60, 1), "exit_group": (231, 231, 252), "execve": (59, 520, 11), "execveat": (322, 545, 358),
    "fork": (57, 57, 2), "vfork": (58, 58, 190), "clone": (56, 56, 120), "clone3": (435, 435, 435),
    "rt_sigaction": (13, 512, 174), "rt_sigprocmask": (14, 14, 175), "rt_sigreturn": (15, 513, 173),
    "sigaltstack": (131, 525, 186), "rt_sigtimedwait": (128, 523, 177), "rt_sigtimedwait_time64": (None, None, 421),
    "signalfd": (282, 282, 321), "signalfd4": (289, 289, 327), "signal": (None, None, 48),
    "sigaction": (None, None, 67), "ssetmask": (None, None, 69), "sigprocmask": (None, None, 126),
    "sigreturn": (None, None, 119), "rt_sigsuspend": (130, 130, 179), "sigsuspend": (None, None, 72),
    "ppoll": (271, 271, 309), "ppoll_time64": (None, None, 414), "pselect6": (270, 270, 308),
    "pselect6_time64": (None, None, 413), "epoll_pwait": (281, 281, 319), "epoll_pwait2": (441, 441, 441),
    "io_pgetevents": (333, 333, 385), "io_pgetevents_time64": (None, None, 416), "kill": (62, 62, 37),
    "tkill": (200, 200, 238), "tgkill": (234, 234, 270), "rt_sigqueueinfo": (129, 524, 178),
    "rt_tgsigqueueinfo": (297, 536, 335), "pidfd_send_signal": (424, 424, 424), "setitimer": (38, 38, 104),
    "alarm": (37, 37, 27), "timer_create": (222, 526, 259), "sched_setparam": (142, 142, 154),
    "sched_setscheduler": (144, 144, 156), "sched_setaffinity": (203, 203, 241), "sched_setattr": (314, 314, 351),
    "setpriority": (141, 141, 97), "nice": (None, None, 34), "setrlimit": (160, 160, 75),
    "prlimit64": (302, 302, 340), "seccomp": (317, 317, 354), "prctl": (157, 157, 172), "rseq": (334, 334, 386), "ptrace": (101, 521, 26),
    "userfaultfd": (323, 323, 374),
    "munlockall": (152, 152, 153), "process_madvise": (440, 440, 440),
}
BUFFERS = 0x400000000000  # PLATFORM_CODE_VA
# The same with the first argument that they may not have.
WITH_FIRST = {
    "arch_prctl": ((158, 158, 384), 0x1012), "mmap": ((9, 9, None), BUFFERS), "munmap": ((11, 11, None), BUFFERS),
    "mprotect": ((10, 10, None), BUFFERS), "pkey_mprotect": ((329, 329, None), BUFFERS),
    "mremap": ((25, 25, None), BUFFERS), "madvise": ((28, 28, None), BUFFERS), "mseal": ((462, 462, None), BUFFERS),
    "munlock": ((150, 150, None), BUFFERS), "mbind": ((237, 237, None), BUFFERS),
    "remap_file_pages": ((216, 216, None), BUFFERS), "write": ((1, 1, 4), 1),
    "writev": ((20, 516, 146), 1), "pwrite64": ((18, 18, 181), 1), "pwritev": ((296, 535, 334), 1),
    "pwritev2": ((328, 547, 379), 1), "sendfile": ((40, 40, 187), 1), "sendfile64": ((None, None, 239), 1),
}
X32 = 0x40000000
PATH = "/bin/true"  # ends with status 0


def calls():
    """(row, its call, whether it is i386's, number, first argument) of each, in each ABI that has it."""
    for name, (numbers, first) in {**{name: (n, 0) for name, n in CALLS.items()}, **WITH_FIRST}.items():
        for abi, number in zip(("64", "x32", "386"), numbers):
            if number is not None:
                yield f"{name}_{abi}", name, abi == "386", number | (X32 if abi == "x32" else 0), first


def parts(many, most):
    """Lists of at most this number: a run takes 128 rows of objects."""
    many = list(many)
    return [many[i:i + most] for i in range(0, len(many), most)]


def calls_source(some):
    """Rows that call so, each with a canary after it. The path is for execve in rdi, for execveat in rsi."""
    rows = []
    for row, name, i386, number, value in some:
        first = "path" if name == "execve" else "-100L" if name == "execveat" else f"{value}L"
        instruction, inputs = (("int $0x80", f'"b"({value}L)') if i386 else
                               ("syscall", f'"D"({first}), "S"({"path" if name == "execveat" else "0L"}), "d"(0L)'))
        rows.append(f"""BARETICK_STATEMENT(calls, {row}, "a call", 8) {{
            static const char path[] = "{PATH}"; (void)path; (void)o; register long r10 __asm__("r10") = 0;
            __asm__ volatile("{instruction}" : : "a"({number}L), {inputs}, "r"(r10) : "rcx", "r11", "memory"); }}
            BARETICK_STATEMENT(calls, {row}{CANARY}, "a count", 8, .check = baretick_counted) {{ o->counter++; }}""")
    return "\n".join(rows)


def snippets_of_calls(some):
    return {row: f"mov eax, {number}; {f'mov ebx, {first}; int 0x80' if i386 else f'mov rdi, {first}; syscall'}"
            for row, _, i386, number, first in some}


def snippet_lines(snippets):
    """Lines of a file of `asm`: each snippet, and a canary after it."""
    return [line for name, text in snippets.items() for line in (f"@{name} {text}", f"@{name}{CANARY} imul rax, rax")]


def judge_snippets(said, snippets, fails):
    """said: what `asm --json` printed of snippet_lines(snippets); fails: the message of each of them that fails."""
    rows = {one["row"]["name"]: one["row"] for one in said}
    assert set(rows) == {name + end for name in snippets for end in ("", CANARY)}, sorted(rows)
    for name in snippets:
        row, canary = rows[name], rows[name + CANARY]
        if name in fails:
            assert row["status"] == "wrong" and all(word in row["why"] for word in fails[name]), row
        else:
            assert row["status"] == "ok", row
            assert all(word in row["changed"] for word in TOLD_BOOTED.get(name, [])), row
        assert canary["status"] == "ok" and not {"changed", "x87_stack_fault"} & set(canary), canary
        assert canary["per_op"]["instructions"] == 1, canary


def judge(rows, fails=None, told=None):
    """rows: {name: record} of the suite."""
    fails, told = FAILS if fails is None else fails, TOLD if told is None else told
    assert set(rows) == {name + end for name in (*fails, *told) for end in ("", CANARY)}, sorted(rows)
    for name, words in told.items():
        assert rows[name]["status"] == "ok", rows[name]
        assert all(word in rows[name]["changed"] for word in words), rows[name]
    for name, words in fails.items():
        row = rows[name]
        assert row["status"] == "wrong" and "per_op" not in row, row
        assert all(word in row["why"] for word in words), row
    for name, row in rows.items():
        if name.endswith(CANARY):
            assert row["status"] == "ok" and row["errors"] == 0 and "changed" not in row, row
            assert row["per_op"]["instructions"] == PRODUCTS, row

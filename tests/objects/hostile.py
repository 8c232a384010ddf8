"""What the rows of hostile.asm come to: each is told of by name, and the canary after it is right."""

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
# On the bare machine the selector changes, too.
FAILS_BOOTED = {**FAILS, "fs": ["changed FS"]}

# The same, of the bodies that take ring 0. Each message also says that it has been put back.
FAILS_RING0 = {
    "gs_null": ["the GS base"],
    "gs_elsewhere": ["the GS base"],
    "swapgs": ["the GS base", "KERNEL_GS_BASE"],
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
    "dr7_gd": ["DR7"],
    "gdtr": ["GDTR"],
    "idtr": ["IDTR"],
}

# Row: what it is told that it changed. It passes, since what it changed is put back after each window.
TOLD = {
    "mxcsr": ["MXCSR"],
    "unmasked": ["MXCSR", "the x87 control word"],
    "x87_stack": ["x87 stack"],
    "x87_overflow": ["x87 stack"],
    "x87_underflow": ["x87 stack"],
    "mmx": ["MMX"],
    "nt": ["NT"],
    "ac": ["AC"],
}


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

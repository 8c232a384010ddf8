"""Rows of hostile bodies, and system calls as assembly: for the tests of hostile code."""

CHECK_FAILED, FAULTED = 2, 4


def rows_of(ended):
    report = ended.report()
    assert ended.status == CHECK_FAILED and report.end["verdict"] == "fail", ended.err
    return {name.partition("/")[2]: row for name, row in report.rows.items()}


def call(number, *operands):
    """A system call: its number, and its operands after it."""
    words = ", ".join(f'"{r}"((long)({v}))' for r, v in zip("DSd", operands))
    more = {r: v for r, v in zip(("r10", "r8", "r9"), operands[3:])}
    named = "".join(f'register long {r} __asm__("{r}") = (long)({v}); ' for r, v in more.items())
    words += "".join(f', "r"({r})' for r in more)
    return named + f'__asm__ volatile("syscall" : "=a"(got) : "a"({number}L), {words} : "rcx", "r11", "memory");'

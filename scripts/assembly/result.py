"""Prints the result of a snippet for `baretick asm`."""
import json
import re

from assembly import copies, snippet
from read import interval

# Faults of code with operands that were not set, in a process and on the machine: division by 0, and address 0 with a
# small displacement.
_BAD_OPERAND = re.compile(r"SIGFPE at|#DE|(SIGSEGV|#PF).* address [0-9a-f]{1,3}\b")
# Of a process and of the machine.
_UNDEFINED = re.compile(r"SIGILL|#UD")


def digits(value):
    return f"{value:.3f}" if abs(value) < 1000 else f"{value:.1f}"


def figure(row, run):
    """Returns the figure of a measured row in words."""
    per_op = row.get("per_op", {})
    if "ticks" not in per_op:
        return None
    if run.get("execution") == "instructions":
        return f"{digits(per_op['instructions'])} instructions a copy, counted by the emulator: not time"
    if run.get("execution") == "emulated":
        return f"{digits(per_op['ticks'])} ticks a copy, of an emulator's clock: not any CPU's time"
    if per_op.get("cycles") is None:
        return f"{digits(per_op['ticks'])} ticks of the TSC a copy; core cycles are not known here"
    text = f"{digits(per_op['cycles'])} cycles a copy"
    if per_op.get("cycles_lo") is not None:
        level = interval.heading_of([row], "")
        text += f" ({digits(per_op['cycles_lo'])} to {digits(per_op['cycles_hi'])}{level and ', '}{level})"
    return text


def instructions(row, run):
    """Returns the stepped count in words, or None."""
    steps, per_op = row.get("stepped"), row["per_op"]
    if steps is None or run.get("execution") == "instructions":
        return None
    if "why" in steps:
        return f"instructions not counted: {steps['why']}"
    text = f"{digits(per_op['instructions'])} instructions a copy"
    if steps.get("iterations"):
        text += f", {digits(steps['iterations'])} iterations of repeated string instructions"
    return text + (f", {per_op['ipc']:.3g} a cycle" if "ipc" in per_op else "")


def compared(s, row, check, checked):
    """Returns in words how the row with another number of copies differs, or None."""
    if not checked or not copies.differ(row, checked):
        return None
    figures = [digits(r["per_op"]["cycles"]) for r in (row, checked)]
    return (f"it depends on how many copies there are: {figures[0]} with {copies.said(s)}, {figures[1]} with "
            f"{copies.said(check)}")


def tell(s, row, run, check=None, checked=None):
    """Prints a snippet's result. Returns whether it was measured."""
    print(snippet.what(s))
    for note in s.notes:
        print(f"    {note}")
    if row is None:
        print("    not measured")
        return False
    if row["status"] != "ok":
        print(f"    {row['status']}: {row.get('why', '')}")
        if run.get("platform") == "hosted" and "SIGSEGV at" in row.get("why", ""):
            print("    (causes: a privileged instruction, which a process may not execute: run it without --hosted; or an operand in\n"
                  "    memory that must be aligned: the areas begin at multiples of 64)")
        if _UNDEFINED.match(row.get("why", "")):
            print("    (the CPU does not have this instruction, or it is not enabled"
                  f"{s.extension and f'; it belongs to {s.extension}, by Zydis'})")
        if not s.init and not s.late_init and _BAD_OPERAND.search(row.get("why", "")):
            print("    (registers that are not set are 0: set operands with --init, for example \"mov ebx, 3\" for a divisor, "
                  '"mov rbx, r14" for an address)')
        return False
    text = figure(row, run)
    if text is None:
        print(f"    no figure: {row.get('disturbed', 0)} of {row.get('windows', 0)} windows were disturbed")
        return False
    print(f"    {text}")
    differs = compared(s, row, check, checked)
    if differs:
        print(f"    {differs}")
    if row.get("changed"):
        print(f"    it changed {row['changed']}, which was restored")
    if row.get("x87_stack_fault"):
        print("    it overflowed or underflowed the x87 stack, and the figure includes the CPU's handling of that;\n"
              '    set operands, for example --init "fld1; fld1", and let it pop what it pushes')
    if row.get("exclusive") is False:
        print(f"    the core was shared in {row['shared']:.0%} of the blocks, even after repeating them")
    counted = instructions(row, run)
    if counted:
        print(f"    {counted}")
    if row.get("modes") and len(row["modes"]) > 1:
        print("    modes: " + ", ".join(f"{digits(m['cycles'])} ({m['share']:.0%})" for m in row["modes"]))
    return True


def print_json(s, row, run, check, checked):
    """Prints a snippet's result as one JSON object."""
    kept = {"copies": check.unroll, "iterations": check.loop, "row": checked} if checked else None
    print(json.dumps({"snippet": snippet.what(s), "notes": s.notes, "execution": run["execution"], "copies": s.unroll,
                      "iterations": s.loop, "row": row, "check": kept}))
    return bool(row) and row["status"] == "ok" and "ticks" in row.get("per_op", {})

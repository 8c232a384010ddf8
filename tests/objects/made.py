"""Objects with rows, compiled from the sources next to this file, as a person would."""

import shutil
from pathlib import Path

from commands import output_of


HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
API = ROOT / "bench/api"

C = "-O2 -fPIE -ffreestanding -Wall -Wextra -Wpedantic -Werror"
CXX = f"{C} -fno-exceptions -fno-rtti"
RUST = "--edition 2021 --crate-type lib --emit obj -C opt-level=2 -C panic=abort -C codegen-units=1"
# What a person runs; the object's name comes last.
COMMANDS = {
    "clangxx17": f"clang++ {CXX} -std=c++17 -DSUITE=clangxx17 -c own.cc -o",
    "gcc": f"gcc {C} -std=c11 -DSUITE=gcc -c own.c -o",
    "clang": f"clang {C} -std=c11 -DSUITE=clang -c own.c -o",
    "gxx17": f"g++ {CXX} -std=c++17 -DSUITE=gxx17 -c own.cc -o",
    "gxx20": f"g++ {CXX} -std=c++20 -DSUITE=gxx20 -c own.cc -o",
    "clangxx20": f"clang++ {CXX} -std=c++20 -DSUITE=clangxx20 -c own.cc -o",
    "nasm": "nasm -f elf64 -Werror -DSUITE=nasm own.asm -o",
    "rust": f"rustc {RUST} own.rs -o",
    "grows": f"gcc {C} -std=c11 -c grows.c -o",
    "steps": f"gcc {C} -std=c11 -c steps.c -o",
    "faults": f"gcc {C} -std=c11 -c faults.c -o",
    "history": "nasm -f elf64 -Werror history.asm -o",
    "hostile": "nasm -f elf64 -Werror hostile.asm -o",
    "hostile_ring0": "nasm -f elf64 -Werror -DRING0 hostile.asm -o",
    "stores_gcc": f"gcc -g {C} -std=c11 -DSUITE=stores_gcc -c stores.c -o",
    "stores_clang": f"clang -g {C} -std=c11 -DSUITE=stores_clang -c stores.c -o",
}
KINDS = [kind for kind in COMMANDS if kind not in ("faults", "grows", "history", "hostile", "hostile_ring0", "steps") and not kind.startswith("stores_")]


def at_hand(kind):
    """Whether its compiler is here."""
    return shutil.which(COMMANDS[kind].split()[0]) is not None


def include(command):
    """Where the header, or NASM's file, is found. Rust has neither."""
    return {"rustc": [], "nasm": ["-I", f"{API}/"]}.get(command, ["-I", str(API)])


def own(kind, folder, *flags):
    """folder/KIND.o"""
    words = COMMANDS[kind].split()
    path = Path(folder) / f"{kind}.o"
    output_of(words[0], *include(words[0]), *flags, *words[1:], path, cwd=HERE)
    return path


def of_source(folder, name, source, flags=C):
    """folder/NAME.o of C source, which has baretick.h included."""
    path = Path(folder) / f"{name}.o"
    text = path.with_suffix(".c")
    text.write_text('#include "baretick.h"\n' + source)
    output_of("gcc", *flags.split(), "-I", API, "-c", text, "-o", path)
    return path

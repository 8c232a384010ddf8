"""Runs commands for the tests: with both streams as text, without input unless it is given, and bounded in time. And
imports them."""

import importlib.machinery
import importlib.util
import os
import subprocess

SECONDS = 300


def run_command(*words, timeout=SECONDS, **how):
    """Returns the exit status and both streams, whatever the status is."""
    how = how if "input" in how else {**how, "stdin": subprocess.DEVNULL}
    return subprocess.run([*map(str, words)], capture_output=True, text=True, timeout=timeout, check=False, **how)


def output_of(*words, **how):
    """Returns the standard output of a command that must succeed."""
    done = run_command(*words, **how)
    assert done.returncode == 0, f"{' '.join(done.args)}: exit status {done.returncode}: {done.stdout}{done.stderr}"
    return done.stdout


def module_of(script):
    """Imports a script whose name ends in no .py."""
    loader = importlib.machinery.SourceFileLoader(f"{os.path.basename(script)}_command", str(script))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module

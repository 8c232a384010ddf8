"""Layout of the help of a command."""
import argparse
import itertools
import textwrap


def _is_laid_out(line):
    """Tests for a blank line, or one that begins with a blank: an example, or an item of a list."""
    return not line or line[0] == " "


class Paragraphs(argparse.HelpFormatter):
    """Wraps the paragraphs of a description or epilog at the width of the terminal. Keeps blank lines, and lines that
    begin with a blank."""

    def _fill_text(self, text, width, indent):
        filled = []
        for laid_out, lines in itertools.groupby(text.strip("\n").splitlines(), _is_laid_out):
            filled += lines if laid_out else textwrap.wrap(" ".join(lines), width)
        return "\n".join(indent + line for line in filled)

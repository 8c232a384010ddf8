"""How the help of a command is laid out."""
import argparse
import itertools
import textwrap


def _is_laid_out(line):
    """A blank line, or one that begins with a blank: an example, a line of a list."""
    return not line or line[0] == " "


class Paragraphs(argparse.HelpFormatter):
    """Wraps the paragraphs of a description or epilog at the width of the terminal. Keeps lines that begin with a
    blank, and blank lines, as they are."""

    def _fill_text(self, text, width, indent):
        filled = []
        for laid_out, lines in itertools.groupby(text.strip("\n").splitlines(), _is_laid_out):
            filled += lines if laid_out else textwrap.wrap(" ".join(lines), width)
        return "\n".join(indent + line for line in filled)

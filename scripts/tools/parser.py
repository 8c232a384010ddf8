"""A parser of command lines that suggests similar words for unknown ones."""
import argparse
import difflib
import re
import sys


def _like(word, known, most):
    near = difflib.get_close_matches(word, known, most)
    return f" (did you mean {' or '.join(near)}?)" if near else ""


class Parser(argparse.ArgumentParser):
    """A parser that suggests similar words, and so do its subparsers. Python 3.14 does that for choices by itself."""
    _given = ()  # the words that are parsed

    def _unknown(self, words):
        """Returns text about words that are unknown options, with the similar option of each."""
        options = [name for action in self._actions for name in action.option_strings]
        return ", ".join(word + _like(word.partition("=")[0], options, 1) if word.startswith("-") else word for word in words)

    def error(self, message):
        choice = re.search(r"invalid choice: '([^']*)' \(choose from (.*)\)", message)
        if choice:
            message += _like(choice[1], re.findall(r"[\w-]+", choice[2]), 3)
        elif "arguments are required" in message:
            unknown = [word for word in self._given if word.startswith("--") and not any(
                name.startswith(word.partition("=")[0]) for name in self._option_string_actions)]
            message += f"; unrecognized arguments: {self._unknown(unknown)}" if unknown else ""
        super().error(message)

    def parse_known_args(self, args=None, namespace=None):
        """Treats unknown words of a command as an error of that command, and prints its usage and options."""
        self._given = sys.argv[1:] if args is None else args
        namespace, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {self._unknown(unknown)}")
        return namespace, unknown

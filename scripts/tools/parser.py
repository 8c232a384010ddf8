"""A parser of command lines: it suggests similar words for unknown ones, lays out help texts, and knows which options name
an output."""
import argparse
import contextlib
import difflib
import itertools
import math
import re
import sys
import textwrap


class Output(str):
    """The value of an option that names a file or a folder to write. `-` is standard output."""
    _stream = None

    @property
    def is_standard(self):
        return self == "-"

    def take_standard(self):
        """Keeps standard output for this; what is printed for people goes to standard error from here on."""
        self._stream, sys.stdout = sys.stdout, sys.stderr

    @contextlib.contextmanager
    def opened(self):
        """Yields the file, for bytes."""
        if not self.is_standard:
            with open(self, "wb") as f:
                yield f
            return
        stream = self._stream or sys.stdout
        stream.flush()
        yield stream.buffer
        stream.buffer.flush()

    def write(self, data):
        """Writes text, or bytes."""
        with self.opened() as f:
            f.write(data.encode() if isinstance(data, str) else data)


def number(low, high=None, *words):
    """Returns the type of an argument that is a whole number within these limits, or one of the words."""
    def parse(text):
        if text in words:
            return text
        try:
            value = int(text, 0)
        except ValueError:
            value = low - 1
        if value < low or high is not None and value > high:
            allowed = f"a number from {low} {'on' if high is None else f'to {high}'}"
            raise argparse.ArgumentTypeError(f"{text!r}: {' or '.join([*words, allowed])} is allowed")
        return value
    return parse


def seconds(text):
    """The type of an argument that is a time."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r}: a finite number of seconds above 0 is allowed")
    return value


def some_of(known):
    """Returns the type of an argument that is a list of known words, with commas."""
    def parse(text):
        for word in text.split(","):
            if word not in known:
                raise argparse.ArgumentTypeError(f"{word!r}: allowed: {', '.join(known)}")
        return text.split(",")
    return parse


class Paragraphs(argparse.HelpFormatter):
    """Wraps the paragraphs of a description or epilog at the width of the terminal. Keeps blank lines, and lines that
    begin with a blank."""

    def _fill_text(self, text, width, indent):
        filled = []
        for laid_out, lines in itertools.groupby(text.strip("\n").splitlines(), lambda line: line[:1] in ("", " ")):
            filled += lines if laid_out else textwrap.wrap(" ".join(lines), width)
        return "\n".join(indent + line for line in filled)


def _like(word, known, most):
    near = difflib.get_close_matches(word, known, most)
    return f" (did you mean {' or '.join(near)}?)" if near else ""


class Parser(argparse.ArgumentParser):
    """A parser that suggests similar words, and so do its subparsers. Python 3.14 does that for choices by itself."""
    _given = ()  # the words that are parsed

    def __init__(self, *words, **how):
        super().__init__(*words, **{"formatter_class": Paragraphs, **how})

    def parse_args(self, args=None, namespace=None):
        found = super().parse_args(args, namespace)
        for value in vars(found).values():
            if isinstance(value, Output) and value.is_standard:
                value.take_standard()
        return found

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


# --- completion in a shell ------------------------------------------------------------------------

# Shell completion, derived from the parser: commands, their options, the options' choices; file names for
# everything else.

SHELLS = ("bash", "zsh", "fish")


def _commands(parser):
    for action in parser._actions:  # argparse has no public interface for this
        if isinstance(action, argparse._SubParsersAction):
            return action.choices
    return {}


def _options(parser):
    return [action for action in parser._actions if action.option_strings]


def _words(parser):
    return " ".join(name for action in _options(parser) for name in action.option_strings)


def bash(parser):
    name = parser.prog
    lines = [f"_{name}() {{", "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}",
             "    local words=", '    case "${COMP_WORDS[1]} $before" in']
    for command, sub in _commands(parser).items():
        lines += [f"    '{command} {action.option_strings[-1]}') words='{' '.join(map(str, action.choices))}' ;;"
                  for action in _options(sub) if action.choices]
    lines += ["    *)", '        case "${COMP_WORDS[1]}" in']
    lines += [f"        {command}) words='{_words(sub)}' ;;" for command, sub in _commands(parser).items()]
    lines += ["        esac ;;", "    esac",
              f"    [ \"$COMP_CWORD\" -gt 1 ] || words='{' '.join(_commands(parser))} {_words(parser)}'",
              '    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")', "}",
              f"complete -o default -F _{name} {name}"]
    return "\n".join(lines)


def fish(parser):
    name, quote = parser.prog, "'"
    lines = [f"complete -c {name} -n __fish_use_subcommand -xa '{' '.join(_commands(parser))}'"]
    for command, sub in _commands(parser).items():
        for action in _options(sub):
            long = action.option_strings[-1].lstrip("-")
            choices = f" -xa '{' '.join(map(str, action.choices))}'" if action.choices else ""
            text = (action.help or "").replace("\\", "\\\\").replace(quote, "\\'").replace("%%", "%")
            lines.append(f"complete -c {name} -n '__fish_seen_subcommand_from {command}' -l {long}{choices} "
                         f"-d '{text}'")
    return "\n".join(lines)


def completion(parser, shell):
    """Returns the code with which a shell completes the words of this parser."""
    return fish(parser) if shell == "fish" else ("autoload -U +X bashcompinit && bashcompinit\n" if shell == "zsh" else "") + bash(parser)

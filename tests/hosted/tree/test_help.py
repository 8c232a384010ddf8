"""The help of scripts/baretick has every command, every option, and the words that an option allows. The wording is not
checked."""

import re
import runpy

from commands import output_of, run_command
import pytest
from conftest import ROOT
from made_reports import COMMAND, baretick

COLUMNS = 79


COMMANDS = next(a.choices for a in COMMAND.parser()._actions if isinstance(a.choices, dict))
CHOICES = [(name, action) for name, command in COMMANDS.items() for action in command._actions
           if action.choices and action.option_strings]


@pytest.fixture(scope="module")
def help_of():
    """help_of(command): the output of its --help on a terminal of 80 columns."""
    said = {}

    def ask(*words):
        if words not in said:
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("COLUMNS", str(COLUMNS + 1))
                ran = baretick(*words, "--help")
            assert (ran.returncode, ran.stderr) == (0, "")
            said[words] = ran.stdout
        return said[words]

    return ask


def entry(said, name):
    """Returns a list's text about an option, a word or a command: it begins two or four columns in and continues
    further in."""
    found = re.search(rf"^ {{2,4}}(?:-\w(?: \w+)?, )?{re.escape(name)}(?![\w-])(.*(?:\n {{5,}}\S.*)*)", said, re.MULTILINE)
    assert found, f"{name} is not listed in:\n{said}"
    return found[1]


@pytest.mark.parametrize("command", COMMANDS)
def test_each_line_fits_the_terminal(command, help_of):
    assert [line for line in help_of(command).splitlines() if len(line) > COLUMNS] == []
    assert [line for line in help_of().splitlines() if len(line) > COLUMNS] == []


@pytest.mark.parametrize("command", COMMANDS)
def test_each_option_has_a_description(command, help_of):
    for action in COMMANDS[command]._actions:
        if action.option_strings:
            assert re.search(r"(  |\n +)\S", entry(help_of(command), action.option_strings[-1])), action.option_strings


@pytest.mark.parametrize("command, action", CHOICES, ids=lambda x: x if isinstance(x, str) else x.option_strings[-1])
def test_the_words_that_an_option_allows_are_named(command, action, help_of):
    """In the help, and in the error about another word."""
    option = action.option_strings[-1]
    ran = baretick(command, option, "no-such-word")
    assert ran.returncode == 2 and not ran.stdout and option in ran.stderr and "no-such-word" in ran.stderr
    for word in map(str, action.choices):
        assert re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", help_of(command)), word
        assert word in ran.stderr


def test_every_command_is_named_with_what_it_does(help_of):
    assert {"run", "compare", "gate"} <= set(COMMANDS)
    for command in COMMANDS:
        assert re.search(r"(  |\n +)\S", entry(help_of(), command)), command


def test_there_is_a_man_page_per_command_with_its_options(tmp_path):
    output_of(ROOT / "scripts/build/man", ROOT / "scripts", tmp_path)
    assert {page.name for page in tmp_path.iterdir()} == {"baretick.1", *(f"baretick-{name}.1" for name in COMMANDS)}
    for name, command in COMMANDS.items():
        text = (tmp_path / f"baretick-{name}.1").read_text().replace("\\-", "-")
        assert text.startswith(f".TH BARETICK-{name.upper()} 1 ") and "\n.SH NAME\n" in text
        for action in command._actions:
            assert all(option in text for option in action.option_strings), (name, action.option_strings)


def test_a_man_page_escapes_what_roff_would_interpret(tmp_path):
    man = runpy.run_path(str(ROOT / "scripts/build/man"))
    assert man["escaped"]("a\\b --c\n.d\n'e") == "a\\eb \\-\\-c\n\\&.d\n\\&'e"
    assert list(man["paragraphs"]("one\ntwo\n\n  as it is\nthree\n")) == [
        ".PP", "one", "two", ".PP", ".nf", "  as it is", ".fi", "three"]


def test_paragraphs_are_wrapped_and_examples_are_kept(help_of):
    said = help_of("compare")
    assert re.search(r"^examples:\n  baretick compare old.jsonl new.jsonl --fail-if-slower 2%\n", said, re.MULTILINE)
    paragraph = re.search(r"\n\nExit status[^\n]*(\n\S[^\n]*)*", said)[0].strip().splitlines()
    assert len(paragraph) > 2 and all(len(line) > COLUMNS - 20 for line in paragraph[:-1]), paragraph


@pytest.mark.parametrize("words, said", [
    (["compar"], ["compare"]), (["shwo"], ["show"]), (["qqqq"], []), (["completion", "bsh"], ["bash", "zsh"]),
    (["asm", "nop", "--thruput"], ["--throughput"]), (["asm", "--thruput"], ["--throughput"]), (["--hlep"], ["--help"]),
    (["run", "--qqqq"], []), (["run", "--icuont=1"], ["--icount"]), (["compare", "--hsitory", "b"], ["--history"]), (["show", "--revrse"], ["--reverse"]),
])
def test_a_word_like_a_known_one_is_asked_about(words, said):
    ran = baretick(*words)
    assert ran.returncode == 2 and not ran.stdout
    asked = re.search(r"did you mean (.*)\?", ran.stderr)
    assert (asked[1].split(" or ") if asked else []) == said, ran.stderr


@pytest.mark.parametrize("script, word, said", [
    ("run", "--icuont", "--icount"), ("test", "--onyl", "--only"), ("silicon", "--launchs", "--launches"),
    ("test-conditions", "--whithin", "--within"), ("build/font", "--fnot", "--font"),
])  # fmt: skip
def test_every_script_asks_about_an_option_like_its_own(script, word, said):
    ran = run_command(ROOT / "scripts" / script, word)
    assert ran.returncode == 2 and not ran.stdout and f"did you mean {said}?" in ran.stderr, ran.stderr


def test_the_version_is_that_of_the_tree():
    ran = baretick("--version")
    assert ran.returncode == 0 and (ROOT / "VERSION").read_text().strip() in ran.stdout.split()

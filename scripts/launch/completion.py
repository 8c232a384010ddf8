"""Shell completion, derived from the parser: commands, their options, the options' choices; file names for
everything else.
"""
import argparse

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


def _choices(parser):
    """Returns (the option's long name, its choices)."""
    return [(action.option_strings[-1], " ".join(map(str, action.choices)))
            for action in _options(parser) if action.choices]


def bash(parser):
    name = parser.prog
    lines = [f"_{name}() {{", "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}",
             "    local words=", '    case "${COMP_WORDS[1]} $before" in']
    for command, sub in _commands(parser).items():
        lines += [f"    '{command} {option}') words='{choices}' ;;" for option, choices in _choices(sub)]
    lines += ["    *)", '        case "${COMP_WORDS[1]}" in']
    lines += [f"        {command}) words='{_words(sub)}' ;;" for command, sub in _commands(parser).items()]
    lines += ["        esac ;;", "    esac",
              f"    [ \"$COMP_CWORD\" -gt 1 ] || words='{' '.join(_commands(parser))} {_words(parser)}'",
              '    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")', "}",
              f"complete -o default -F _{name} {name}"]
    return "\n".join(lines)


def zsh(parser):
    return "\n".join(["autoload -U +X bashcompinit && bashcompinit", bash(parser)])


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


def script(parser, shell):
    return {"bash": bash, "zsh": zsh, "fish": fish}[shell](parser)

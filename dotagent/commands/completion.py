"""Print a shell completion script for bash, zsh or fish.

For bash, add `eval "$(dotagent completion bash)"` to ~/.bashrc. For zsh, add `source <(dotagent completion zsh)` to
~/.zshrc, after the line with compinit. For fish, run `dotagent completion fish >
~/.config/fish/completions/dotagent.fish` once.

Each time that you press Tab, the shell runs `completion words`. So the shell always offers the agents and rooms that
exist at that moment.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence

from dotagent import commands, extensions
from dotagent.store import home, lives
from dotagent.text import times
from dotagent.text.reference import short

GROUP = "setup"

SHELLS = {
    "bash": r"""
_dotagent() {
    local word about
    COMPREPLY=()
    while IFS=$'\t' read -r word about; do
        case $word in
            :FILE) compopt -o default ;;
            :DIR) compopt -o dirnames ;;
            *) COMPREPLY+=("$word") ;;
        esac
    done < <(printf '%s\n' "${COMP_WORDS[@]:1:COMP_CWORD}" | dotagent completion words 2>/dev/null)
}
complete -F _dotagent dotagent
""",
    "zsh": r"""
_dotagent() {
    local word about
    local -a found
    while IFS=$'\t' read -r word about; do
        case $word in
            :FILE) _files ;;
            :DIR) _files -/ ;;
            *) found+=("${word//:/\\:}:$about") ;;
        esac
    done < <(printf '%s\n' "${(@)words[2,CURRENT]}" | dotagent completion words 2>/dev/null)
    (( $#found )) && _describe dotagent found
}
compdef _dotagent dotagent
""",
    "fish": r"""
function __dotagent_words
    for line in (begin; commandline -opc; commandline -ct; end | tail -n +2 | dotagent completion words 2>/dev/null)
        switch $line
            case ':FILE*'
                __fish_complete_path (commandline -ct)
            case ':DIR*'
                __fish_complete_directories (commandline -ct) ''
            case '*'
                echo $line
        end
    end
end
complete -c dotagent -f -a '(__dotagent_words)'
""",
}
Found = tuple[str, str]
"""A possible word and its meaning. `:FILE` and `:DIR` mean that the shell completes a path."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the shell, or `words`."""
    told = "the shell; or `words`: print the words that can complete the last line of standard input"
    parser.add_argument("shell", choices=(*SHELLS, "words"), help=told)


def run(asked: argparse.Namespace) -> int:
    """Print the script or the possible words."""
    if asked.shell in SHELLS:
        print(SHELLS[asked.shell].strip())
        return 0
    words = sys.stdin.read().removesuffix("\n").split("\n")
    for word, about in candidates(words[:-1], words[-1]):
        if word.startswith((words[-1], ":")):
            print(f"{word}\t{about}")
    return 0


def candidates(before: Sequence[str], begun: str) -> Iterator[Found]:
    """Yield the words that can follow these words after `dotagent`. `begun` is the beginning that is already typed."""
    words, where = list(before), ""
    while words and words[0] == "--home":
        where, words = "".join(words[1:2]), words[2:]
        if len(before) == 1:
            yield ":DIR", ""
            return
    if words and words[0] == commands.PROJECT:
        words = words[1:]
        if not words:
            yield from _complete_names(name for name in commands.names() if commands.group_of(name) == commands.PROJECT)
            return
    if words and words[0] in commands.names():
        yield from _complete_command(words[0], words[1:], begun, where)
    elif not words and begun.startswith("-"):
        yield from (
            ("--help", "all commands"),
            ("--home", "the directory with all of dotagent's data"),
            ("--version", ""),
        )
    elif not words:
        yield from _complete_names(commands.names())
        yield commands.PROJECT, "commands for a project's memory"


def _complete_names(names: Iterable[str]) -> Iterator[Found]:
    return ((name, commands.description(name)) for name in names)


def _complete_command(name: str, words: Sequence[str], begun: str, where: str) -> Iterator[Found]:
    actions = commands.parser(name)._actions
    options = {option: action for action in actions for option in action.option_strings}
    free, wanted = [action for action in actions if not action.option_strings], None
    for word in words:
        if wanted and wanted.dest == "home":
            where = word
        if wanted:
            wanted = None
        elif word in options:
            wanted = options[word] if options[word].nargs != 0 else None
        elif len(free) > 1 or (free and free[0].nargs != "*"):
            del free[0]
    if wanted:
        yield from _values(wanted, where)
    elif begun.startswith("-"):
        yield from ((option, action.help or "") for option, action in options.items())
    elif free:
        yield from _values(free[0], where)


def _values(action: argparse.Action, where: str) -> Iterator[Found]:
    if action.choices:
        yield from ((str(choice), "") for choice in action.choices)
    elif action.metavar in ("FILE", "DIR"):
        yield f":{action.metavar}", ""
    elif action.metavar == "P":
        yield from ((name, "") for name in extensions.names("providers"))
    elif action.dest in ("self", "hash", "room"):
        place = home.find(where or None)
        if action.dest != "room":
            for one in home.lives(place):
                day = times.format_stamp(lives.born(place, one), 10)
                yield short(one), f"{'running' if lives.runs(place, one) else 'stopped'}, created {day}"
        yield from ((path.stem, "a room") for path in place.rooms())

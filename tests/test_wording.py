"""The house rules of what is written: every module and name says what it is, no error is swallowed, one thing has one
name, files are opened in one way."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from code_read import ALL, CODE, at, nodes, none, tree
from support import ROOT

from dotagent import extensions

TITLES = {"manager", "service", "coordinator", "controller", "helper", "util", "utils", "legacy"}
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|HACK|(?i:placeholder|stubs?|for now|legacy))\b")


def test_every_module_opens_by_saying_what_it_is() -> None:
    none([str(path.relative_to(ROOT)) for path in ALL if not (ast.get_docstring(tree(path)) or "").strip()])


def test_everything_public_says_what_it_is() -> None:
    """But what is async: a bridge's, of which the Protocol in bridges/__init__.py tells."""
    wrong = []
    for path in CODE:
        body = tree(path).body
        classes = [node for node in body if isinstance(node, ast.ClassDef) and not node.name.startswith("_")]
        inside = [node for part in (body, *(one.body for one in classes)) for node in part]
        for node in (*classes, *(node for node in inside if isinstance(node, ast.FunctionDef))):
            if not node.name.startswith("_") and not ast.get_docstring(node):
                wrong.append(f"{at(path, node.lineno)}: {node.name}")
    none(wrong)


def test_names_are_nouns_and_not_titles() -> None:
    wrong = [str(path.relative_to(ROOT)) for path in CODE if words_of(path.stem) & TITLES]
    for path in CODE:
        for node in nodes(path):
            name = ""
            if isinstance(node, (ast.ClassDef, *FUNCTIONS)):
                name = node.name
            elif isinstance(node, ast.arg):
                name = node.arg
            elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
                name = node.id if isinstance(node, ast.Name) else node.attr
            if words_of(name) & TITLES:
                wrong.append(f"{path.relative_to(ROOT)}: {name}")
    none(wrong)


def words_of(name: str) -> set[str]:
    """The words of a name: snake_case and CamelCase."""
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)}


def test_one_name_is_one_class() -> None:
    found: dict[str, list[str]] = {}
    for path in CODE:
        for node in tree(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found.setdefault(node.name, []).append(at(path, node.lineno))
    none([f"{name}: {' and '.join(places)}" for name, places in found.items() if len(places) > 1])


MEANT = {"Plain": "what a bridge of one's own is built upon: CONTRIBUTING.md shows it"}


def test_nothing_is_kept_that_only_tests_use() -> None:
    """What a module defines, another part of the code reads, asks for by its name, or is given by a decorator."""
    used = {name for path in CODE for node in nodes(path) for name in read_by(node)}
    none([
        f"{at(path, node.lineno)}: nobody uses {name}"
        for path in CODE
        for node in tree(path).body
        for name in defined_by(node)
        if name not in used and name not in MEANT
    ])  # fmt: skip


def read_by(node: ast.AST) -> tuple[str, ...]:
    """The names that the node reads, also as a string that is nothing else."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        return (node.id,)
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return (node.value,)
    return (node.attr,) if isinstance(node, ast.Attribute) else ()


def defined_by(node: ast.stmt) -> tuple[str, ...]:
    """The names that a statement of a module defines; not what a decorator takes."""
    if isinstance(node, FUNCTIONS):
        return () if node.decorator_list else (node.name,)
    if isinstance(node, ast.ClassDef):
        return (node.name,)
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return tuple(one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name))


def test_nothing_is_left_for_later() -> None:
    none([
        f"{at(path, number)}: {line.strip()}"
        for path in CODE
        for number, line in enumerate(path.read_text("utf-8").split("\n"), 1)
        if UNFINISHED.search(line)
    ])  # fmt: skip


def test_only_lf_ends_a_line() -> None:
    none([
        f"{at(path, node.lineno)}: splitlines() takes other characters for ends of line, too"
        for path in ALL
        for node in nodes(path)
        if isinstance(node, ast.Attribute) and node.attr == "splitlines"
    ])  # fmt: skip


def test_no_error_is_swallowed() -> None:
    """A handler for everything stands only where a process or a thread ends, and says why; none is empty."""
    wrong = []
    for path in CODE:
        lines = path.read_text("utf-8").split("\n")
        for node in nodes(path):
            if isinstance(node, ast.ExceptHandler):
                broad = node.type is None or {"Exception", "BaseException"} & names_in(node.type)
                if broad and not re.search(r"# noqa: BLE001 \w+( \w+){2,}", lines[node.lineno - 1]):
                    wrong.append(f"{at(path, node.lineno)}: catches everything, for no reason")
                if all(isinstance(one, ast.Pass) for one in node.body):
                    wrong.append(f"{at(path, node.lineno)}: says nothing of an error")
            if isinstance(node, ast.Call) and "suppress" in names_in(node.func):
                broad_ones = [one for one in node.args if {"Exception", "BaseException"} & names_in(one)]
                wrong += [f"{at(path, one.lineno)}: suppresses everything" for one in broad_ones]
    none(wrong)


def names_in(node: ast.AST) -> set[str]:
    return {
        one.id if isinstance(one, ast.Name) else one.attr
        for one in ast.walk(node)
        if isinstance(one, ast.Name | ast.Attribute)
    }


# --- extensions

TOOLS = set(map(extensions.call_name, extensions.names("tools")))
NAMERS = ("dotagent/tools/", "dotagent/life/event", "dotagent/providers/offline")
"""Who may name a tool: the tools, the events' names, and a model, which knows tools as models do."""


def test_only_tools_name_a_tool() -> None:
    wrong = []
    for path in CODE:
        if not str(path.relative_to(ROOT)).startswith(NAMERS) and path.parent.name != "tools":
            told = docstrings(tree(path))
            wrong += [
                f"{at(path, node.lineno)}: names {name}"
                for node in nodes(path)
                if node not in told
                for name in sorted(TOOLS & capitals(node))
            ]
    none(wrong)


def capitals(node: ast.AST) -> set[str]:
    """The words in capitals of a string (but for SQL), or an identifier."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
        text = node.value if isinstance(node.value, str) else node.value.decode("latin-1")
        return set() if text.startswith("SELECT ") else set(re.findall(r"\b[A-Z][A-Z_]+\b", text))
    if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.alias):
        return {node.name}
    if isinstance(node, ast.arg | ast.keyword):
        return {node.arg or ""}
    return {node.id} if isinstance(node, ast.Name) else {node.attr} if isinstance(node, ast.Attribute) else set()


def docstrings(whole: ast.Module) -> set[ast.AST]:
    """Where prose may name what it likes: strings that stand for themselves."""
    return {
        node.value for node in ast.walk(whole) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }


def test_everything_has_a_test_of_its_name() -> None:
    wanted = [
        f"tests/{kind}/test_{name.replace('-', '_')}.py"
        for kind in ("tools", "providers", "commands", "bridges")
        for name in extensions.names(kind)
    ]
    none([f"{name} is missing" for name in wanted if not (ROOT / name).exists()])


OPENERS = {"read_bytes", "read_text", "write_bytes", "write_text", "touch"}
OPEN_ELSEWHERE = (  # what these open is no file of a home: the code's own, the system's, or what a person names
    "dotagent/store/disk.py", "dotagent/store/process.py", "dotagent/processes/process_tree.py",
    "dotagent/store/watch.py", "dotagent/store/kqueue.py", "dotagent/errors.py", "dotagent/text/zones.py",
    "dotagent/text/unnamed_zones.py", "dotagent/text/languages.py",
    "dotagent/extensions.py", "dotagent/packages.py", "dotagent/life/prompt.py",
    "dotagent/store/home.py", "dotagent/life/documents.py", "dotagent/providers/formats/place.py",
    "dotagent/sandbox/landlock.py", "dotagent/network/proxy.py", "dotagent/sandbox/limits.py",
    *(f"dotagent/documentation/{name}.py" for name in ("check", "reference", "site")),
)  # fmt: skip


def test_files_of_a_home_are_opened_in_one_way() -> None:
    """A pipe, a device or a link in a file's place hangs nobody: store/disk.py opens plain files only."""
    none([
        f"{at(path, node.lineno)}: use disk.read, disk.reading or disk.open_file"
        for path in CODE
        if str(path.relative_to(ROOT)) not in OPEN_ELSEWHERE
        for node in nodes(path)
        if isinstance(node, ast.Call) and opens(node.func)
    ])  # fmt: skip


WALKERS = {("os", "walk"), ("os", "fwalk"), ("shutil", "copytree"), ("shutil", "copyfile"), ("shutil", "copy")}
WALKED_ELSEWHERE = ("dotagent/store/directories.py", "dotagent/project/sources.py", "dotagent/erasure/versions.py")
LISTERS = {"glob", "rglob", "iterdir", "listdir", "scandir"}
LISTED_ELSEWHERE = {
    "the one way": "store/safe_paths store/disk store/directories",
    "the system and the program's own code": "sandbox/__init__ sandbox/limits sandbox/view processes/process_tree "
    "extensions capabilities/__init__ embedding/__init__ documentation/check documentation/pages "
    "documentation/reference documentation/site",
    "folders of a home that no command sees: calls, chats, blobs, jobs, bridges, packs": "bridges/pattern/pairs "
    "bridges/pattern/probe terminal/presence commands/logs capabilities/backup/commands/restore "
    "commands/status doctor/__init__ doctor/calls doctor/repairs erasure/sweep "
    "capabilities/supervisor/serve capabilities/supervisor/commands/ps "
    "capabilities/toolpacks/pack_calls "
    "capabilities/backup/archive capabilities/backup/restore_review "
    "store/blobs store/blob_search store/home store/partial_installs store/plugins "
    "store/queue store/placed_calls store/call_ending store/agent_search capabilities/helpers/children "
    "capabilities/scheduler/jobs",
    "what a person names; links in it are refused there": "terminal/uploads skills/install skills/folder "
    "skills/listing capabilities/toolpacks/packs capabilities/migration/workspace",
}


def test_what_others_could_have_shaped_is_walked_and_copied_in_one_way() -> None:
    """store/safe_paths.py and store/directories.py follow no link; a bare walk or copy might."""
    none([
        f"{at(path, node.lineno)}: use safe_paths.walk, safe_paths.entries or directories.walk"
        for path in CODE
        if str(path.relative_to(ROOT)) not in WALKED_ELSEWHERE
        for node in nodes(path)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
        if (node.value.id, node.attr) in WALKERS
    ])  # fmt: skip


def test_folders_that_others_could_have_shaped_are_listed_in_one_way() -> None:
    """The folders of an agent and of a project are listed by disk.names, safe_paths.entries and safe_paths.matching."""
    listing = {
        str(path.relative_to(ROOT / "dotagent").with_suffix("")): at(path, node.lineno)
        for path in (ROOT / "dotagent").rglob("*.py")
        for node in nodes(path)
        if isinstance(node, ast.Attribute) and node.attr in LISTERS
    }
    known = " ".join(LISTED_ELSEWHERE.values()).split()
    none([f"{place}: use disk.names, safe_paths.entries or safe_paths.matching" for name, place in listing.items()
          if name not in known])  # fmt: skip
    assert sorted(set(known) - {*listing}) == [], "these list nothing any more"


def opens(called: ast.expr) -> bool:
    if isinstance(called, ast.Attribute):
        by_os = isinstance(called.value, ast.Name) and (called.value.id, called.attr) in {
            ("os", "open"),
            ("io", "open"),
        }
        return by_os or called.attr in OPENERS
    return isinstance(called, ast.Name) and called.id == "open"


HANDS = {"act": 2, "recover": 3, "effect": 2, "given": 1, "told": 1, "reads": 1}
"""What the rest may ask of a tool by its name, and with how many words."""


def test_what_a_tool_is_asked_by_name_is_meant_by_it() -> None:
    wrong = []
    for path in CODE:
        if path.parent.name == "tools" and path.stem in extensions.names("tools"):
            for node in tree(path).body:
                words = len(node.args.args) if isinstance(node, ast.FunctionDef) else 0
                if isinstance(node, ast.FunctionDef) and words != HANDS.get(node.name, words):
                    wrong.append(f"{at(path, node.lineno)}: {node.name} takes {words} words")
                if isinstance(node, ast.ImportFrom) and {alias.asname or alias.name for alias in node.names} & {*HANDS}:
                    wrong.append(f"{at(path, node.lineno)}: imports a name by which it is asked")
    none(wrong)


# --- what people read

PARTS = (
    "bridges/pattern",
    "capabilities",
    "commands",
    "doctor",
    "life",
    "loop",
    "network",
    "skills",
    "terminal",
    "tools",
)
SPOKEN = ("agent.py", "chat.py", "clean.py", *(f"dotagent/{one}/" for one in PARTS))
"""Where help and messages are already plain; a folder that becomes so is added."""
PROMPTS = ("dotagent/capabilities/learning/model_dream.py",)  # a prompt is measured before it changes
DIALECT = re.compile(
    r"\b(anew|nobody|whoever|(?<!for )(?<!to )whom|lest|shall|for good|goes on|stands(?! for)|mends?|passed over"
    r"|so many|(?<!there )is none|it is no(?! longer))\b"
)
OTHER_NAMES = re.compile(
    r"\b((?:the|a|this) home\b(?!')|(?:the|this|a) clock (?:is|process|starts)|the packs?\b(?! files?)"
    r"|alternate soul|example life|no model calls)\b"
)
"""Names in the code of things that people know by another name: docs/style.md has the table."""
LONGEST = 26  # words of a sentence
LAYOUT = re.compile(r"```.*?```|`[^`\n]*`|^(?: {4}|\t)[^\n]*$|\]\([^)]*\)|<!--.*?-->", re.DOTALL | re.MULTILINE)
"""What is not prose in a page: code, the targets of links, and comments."""


def test_what_the_program_says_is_plain_english() -> None:
    """Phrases that a stranger had to read twice, and sentences that are too long: docs/style.md."""
    wrong = []
    for path in CODE:
        if not str(path.relative_to(ROOT)).startswith(SPOKEN) or str(path.relative_to(ROOT)) in PROMPTS:
            continue
        told, whole = docstrings(tree(path)), tree(path)
        first = {id(whole.body[0].value)} if "commands/" in str(path) and isinstance(whole.body[0], ast.Expr) else set()
        for node in nodes(path):
            if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
                continue
            words = node.value.split("\n")[0] if id(node) in first else node.value
            if (node in told and id(node) not in first) or len(words.split()) < 4:
                continue
            if found := DIALECT.search(words) or OTHER_NAMES.search(words):
                wrong.append(f"{at(path, node.lineno)}: {found[0]!r} in {words[:80]!r}")
            for sentence in re.split(r"(?<=[.!?:;])\s|\n", words):
                if len(re.findall(r"[A-Za-z']+", sentence)) > LONGEST and " " in sentence:
                    wrong.append(f"{at(path, node.lineno)}: {LONGEST} words at most: {sentence[:80]!r}")
    none(wrong)


def test_docstrings_and_comments_are_plain_english() -> None:
    """None has such a phrase."""
    none([
        f"{at(path, number)}: {found[0]!r}"
        for path in CODE
        for number, words in remarks(path)
        if (found := DIALECT.search(LAYOUT.sub(" ", words)))
    ])  # fmt: skip


def remarks(path: Path) -> Iterator[tuple[int, str]]:
    """The docstrings and the comments of a file, each with its line."""
    for node in docstrings(tree(path)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, " ".join(node.value.split())
    for number, line in enumerate(path.read_text("utf-8").split("\n"), 1):
        yield number, line.partition("# ")[2]


def test_the_pages_are_plain_english() -> None:
    """No page has such a phrase, but for the page that lists them, and nine of ten sentences are short."""
    wrong, lengths = list[str](), list[int]()
    for path in sorted({ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")}):
        text = re.sub(r"^(?=\s*(?:[-*|>#]|\d+\.) )| \| ", "\n\n", LAYOUT.sub(" ", path.read_text("utf-8")), flags=re.M)
        for sentence in re.split(r"(?<=[.!?:;])\s|\n\s*\n", text):
            said = " ".join(sentence.split())
            names = OTHER_NAMES.search(said) if path.name != "CONTRIBUTING.md" else None  # its readers read the code
            if path.name != "style.md" and (found := DIALECT.search(said) or names):
                wrong.append(f"{path.relative_to(ROOT)}: {found[0]!r} in {said[:80]!r}")
            lengths += [many] if (many := len(re.findall(r"[A-Za-z']+", sentence))) > 3 else []
    none(wrong)
    assert len(lengths) > 1000 and sorted(lengths)[len(lengths) * 9 // 10] <= LONGEST

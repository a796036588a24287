"""Draw sentences of the docs and messages of the program at random, for a reader who has never seen dotagent.

`python bench/reading.py --seed N` prints 60 sentences with their paragraphs, and 74 strings with the statements that
print them, since some strings are no messages. Issue: a stranger understands at least 57 of 60 of each at once.
"""

from __future__ import annotations

import argparse
import ast
import random
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SENTENCES, STRINGS = 60, 74
Piece = tuple[str, str, str]  # the place, the text, and what stands around it


def find_sentences() -> Iterator[Piece]:
    """Yield the sentences and the longer table rows of the docs."""
    for path in sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/**/*.md")]):
        text = re.sub(r"(?ms)^```.*?^```|<!--.*?-->", "", path.read_text("utf-8"))
        head = before = ""
        for block in re.split(r"\n\s*\n", text):
            if found := re.match(r"\s*#+ (.*)", block):
                head, block = found[1], block[found.end() :]
            place, block = f"{path.relative_to(ROOT)} › {head}", block.strip("\n")
            if block.startswith("|"):
                title, _, *rows = block.split("\n")
                yield from ((place, row, f"{before} {title}") for row in rows if len(row.split()) > 8)
            elif not block.startswith("    "):
                before = " ".join(block.split())
                for sentence in re.split(r"(?<=[.!?:]) (?=[A-Z`*\[-])", before):
                    if len(sentence.split()) > 4:
                        yield place, sentence, before


def find_strings() -> Iterator[Piece]:
    """Yield the strings of the code that may be messages: no docstrings, and at least six words."""
    for path in sorted([*ROOT.glob("*.py"), *ROOT.glob("dotagent/**/*.py")]):
        text = path.read_text("utf-8")
        for statement in ast.walk(ast.parse(text)):
            if not isinstance(statement, ast.stmt) or hasattr(statement, "body"):
                continue
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                continue
            parts = {
                id(part) for node in ast.walk(statement) if isinstance(node, ast.JoinedStr) for part in node.values
            }
            for node in ast.walk(statement):
                said = "" if id(node) in parts else _read(node)
                if len(said.split()) > 5 and re.search(r"[a-z]{3}", said) and "\\" not in said:
                    around = ast.get_source_segment(text, statement) or ""
                    yield f"{path.relative_to(ROOT)}:{statement.lineno}", said, around


def _read(node: ast.AST) -> str:
    """Return a string as the code writes it, with the names of its variables in braces."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(_read(one) or f"{{{ast.unparse(getattr(one, 'value', one))}}}" for one in node.values)
    return ""


def main() -> None:
    """Print both lists."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 16))
    seed = parser.parse_args().seed
    drawn = random.Random(seed)
    print(f"seed {seed}")
    for title, pieces, many in (("Docs", find_sentences(), SENTENCES), ("Strings", find_strings(), STRINGS)):
        print(f"\n# {title}\n")
        for number, (place, text, around) in enumerate(drawn.sample(list(pieces), many), 1):
            print(f"{number}. [{place}] {' '.join(text.split())}\n   (in: {' '.join(around.split())[:2000]})")


if __name__ == "__main__":
    main()

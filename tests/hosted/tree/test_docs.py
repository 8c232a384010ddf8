"""The pages at the root and in docs/: their links work, and they keep to their limits."""

import re
from pathlib import Path

import pytest
from conftest import ROOT

PAGES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "tests/boot/README.md",
         *sorted(f"docs/{p.name}" for p in (ROOT / "docs").glob("*.md"))]
COLUMNS = 100

LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
BACKTICKS = re.compile(r"`([^`\n]+)`")
# A path of the repository: it begins with one of these folders, and has no blanks, stars or parts to fill in.
TOPS = ("boot", "kernel", "bench", "lib", "tests", "scripts", "docs", ".ci")
PATH = re.compile(rf"(?:{'|'.join(map(re.escape, TOPS))})/[\w./-]*")


def is_table_or_code(lines):
    """Returns for each line whether it belongs to a table or to code."""
    fenced = False
    for line in lines:
        if line.lstrip().startswith("```"):
            fenced = not fenced
            yield True
        else:
            yield fenced or line.lstrip().startswith("|") or line.startswith("    ")


def links(text):
    return [target for target in LINK.findall(text) if not re.match(r"[a-z]+:", target)]


def paths(text):
    return [word for word in BACKTICKS.findall(text) if PATH.fullmatch(word)]


def anchors(text):
    """Returns the anchors that GitHub makes of a page's headings."""
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def leads_nowhere(target, page, text, root):
    file, _, anchor = target.partition("#")
    path = (root / page).parent / file
    if file and not path.exists():
        return True
    return bool(anchor) and anchor not in anchors(path.read_text(encoding="utf-8") if file else text)


def missing(page, text, root=ROOT):
    """Returns the missing targets of a page: of links from its folder, of paths from the top."""
    return ([target for target in links(text) if leads_nowhere(target, page, text, root)] +
            [path for path in paths(text) if not (root / path).exists()])


def too_long(text):
    lines = text.splitlines()
    return [f"line {i}: {len(line)} columns"
            for i, (line, free) in enumerate(zip(lines, is_table_or_code(lines)), 1)
            if len(line) > COLUMNS and not free]


@pytest.mark.parametrize("page", PAGES)
def test_links_and_paths_of_a_page_exist(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    assert links(text) or paths(text), "it points to nothing"
    assert missing(page, text) == []


@pytest.mark.parametrize("page", PAGES)
def test_lines_keep_to_their_columns(page):
    assert too_long((ROOT / page).read_text(encoding="utf-8")) == []


def test_the_index_leads_to_every_page_of_the_documentation():
    linked = {target.partition("#")[0] for target in links((ROOT / "docs/README.md").read_text(encoding="utf-8"))}
    there = {path.name for path in (ROOT / "docs").glob("*.md")} - {"README.md"}
    assert there and there <= linked, there - linked
    assert "docs/README.md" in links((ROOT / "README.md").read_text(encoding="utf-8"))


def test_the_readme_is_short():
    assert (ROOT / "README.md").stat().st_size <= 9 * 1024


def quirks_without_a_test(page, tests):
    """Returns the lines of its table of quirks that name a test which does not exist, or neither a test nor the lack of one."""
    cells = [line.split("|")[4] for line in page.partition("## Quirks known\n")[2].splitlines() if line.startswith("| ")][2:]
    assert cells, "no table"
    named = [(cell, set(re.findall(r"`(test_\w+\.\w+)`", cell))) for cell in cells]
    return [cell for cell, names in named if names - tests or not (names or re.search("unproven|no test", cell))]


def test_each_quirk_of_machines_names_its_test():
    tests = {path.name for path in (ROOT / "tests").rglob("test_*")}
    page = (ROOT / "docs/machine.md").read_text(encoding="utf-8")
    assert quirks_without_a_test(page, tests) == []
    assert quirks_without_a_test(page, tests - {"test_thermal.c"}) != []
    assert quirks_without_a_test(page.replace("`test_mtrr.c`", "`test_removed.c`").replace(": no test |", ": none |"), tests) != []


def sources():
    """Returns the text of every source but this file."""
    for top in TOPS:
        for path in (ROOT / top).rglob("*"):
            if path.suffix in (".c", ".h", ".asm", ".py") and path != Path(__file__):
                yield path.read_text(encoding="utf-8")


def cited(text):
    """Returns (page, section) of comments that name a page and then, in quotes, its sections."""
    text = re.sub(r"\s+(?:\*|//|;|#)?\s*", " ", text)
    return [(page, section)
            for page, quoted in re.findall(r'(docs/[a-z-]+\.md),?((?:,? (?:and )?"[^"]+")+)', text)
            for section in re.findall(r'"([^"]+)"', quoted)]


def has_section(text, section):
    """Matches a title, whole or up to a comma, or words in bold at the start of a line."""
    names = re.findall(r"^(?:#+ |(?:[-*] )?\*\*)([^*\n]+)", text, re.MULTILINE)
    return any(name.rstrip(".") == section or name.startswith(section + ",") for name in names)


def test_sections_that_sources_cite_exist():
    found = {citation for text in sources() for citation in cited(text)}
    assert len(found) > 8
    assert [f'{page} "{section}"' for page, section in sorted(found)
            if not has_section((ROOT / page).read_text(encoding="utf-8"), section)] == []


def test_readme_names_the_takeover_mode_that_saves_to_the_stick():
    paragraphs = (ROOT / "README.md").read_text().split("\n\n")
    (found,) = [p for p in paragraphs if "report" in p and "stick" in p and "takeover=" in p]
    assert {"takeover=borrow", "takeover=auto", "finish=return"} <= set(re.findall(r"\w+=\w+", found))

"""CHANGELOG.md, CITATION.cff and the issue form have the form that their readers require, and are of this version."""

import datetime
import re

import pytest
from conftest import ROOT

try:
    import yaml
except ImportError:
    yaml = None

VERSION = (ROOT / "VERSION").read_text(encoding="utf-8").strip()
# The schema of the Citation File Format 1.2.0: https://github.com/citation-file-format/citation-file-format
CFF_REQUIRED = {"cff-version", "message", "title", "authors"}
CFF_KEYS = CFF_REQUIRED | {
    "abstract", "commit", "contact", "date-released", "doi", "identifiers", "keywords", "license", "license-url",
    "preferred-citation", "references", "repository", "repository-artifact", "repository-code", "type", "url", "version"}
# GitHub's syntax of issue forms.
FORM_TYPES = {"checkboxes", "dropdown", "input", "markdown", "textarea"}
CATEGORIES = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def load(name):
    if yaml is None:
        pytest.skip("PyYAML is not here: python3-yaml has it")
    return yaml.safe_load(read(name))


def test_the_changelog_begins_with_this_version():
    headings = re.findall(r"^## (.*)$", read("CHANGELOG.md"), re.MULTILINE)
    dates = dict(re.fullmatch(r"\[(\d+\.\d+\.\d+)\] - (unreleased|\d{4}-\d\d-\d\d)", heading).groups() for heading in headings)
    assert next(iter(dates)) == VERSION and len(dates) == len(headings)
    released = [date for version, date in dates.items() if (version, date) != (VERSION, "unreleased")]
    assert released == sorted(released, reverse=True) and all(map(datetime.date.fromisoformat, released))


def test_the_changelog_keeps_to_the_categories():
    assert set(re.findall(r"^### (.*)$", read("CHANGELOG.md"), re.MULTILINE)) <= CATEGORIES


def test_the_citation_has_the_required_keys_and_this_version():
    cff = load("CITATION.cff")
    assert CFF_REQUIRED <= set(cff) <= CFF_KEYS
    assert cff["cff-version"] == "1.2.0" and cff["version"] == VERSION and cff["type"] == "software"
    assert cff["license"] == "MIT" and read("LICENSE").startswith("MIT License")
    assert cff["authors"] and all(author["name"] for author in cff["authors"])
    assert all(isinstance(cff[key], str) and cff[key] for key in ("message", "title", "abstract"))
    assert len(set(cff["keywords"])) == len(cff["keywords"]) > 0
    date = cff.get("date-released", "unreleased")
    assert f"\n## [{VERSION}] - {date}\n" in read("CHANGELOG.md")


def test_the_issue_form_is_one_that_github_accepts():
    form = load(".github/ISSUE_TEMPLATE/report.yml")
    assert set(form) <= {"name", "description", "title", "labels", "assignees", "projects", "type", "body"}
    assert form["name"] and form["description"]
    fields = [part for part in form["body"] if part["type"] != "markdown"]
    assert {part["type"] for part in form["body"]} <= FORM_TYPES
    names, labels = [part["id"] for part in fields], [part["attributes"]["label"] for part in fields]
    assert len(set(names)) == len(names) == len(set(labels))
    assert all(re.fullmatch(r"[\w-]+", name) for name in names)
    for part in fields:
        options = part["attributes"].get("options", [])
        assert (part["type"] == "dropdown") == bool(options) and len(set(options)) == len(options)
        assert all(isinstance(option, str) and option.lower() != "none" for option in options)


def test_the_issue_form_asks_for_the_report_the_machine_and_what_was_expected():
    fields = {part.get("id"): part for part in load(".github/ISSUE_TEMPLATE/report.yml")["body"]}
    assert all(fields[name]["validations"]["required"] for name in ("report", "machine", "expected"))
    where = fields["report"]["attributes"]["description"]
    for path, source in (("build/run", "Makefile"), ("/var/lib/baretick", "scripts/once/prepare.py")):
        assert path in where and path in read(source), path

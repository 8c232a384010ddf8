"""Options: a wrong word prevents the run, and the message names the word and the allowed values; right words take
effect."""

import codecs

import pytest
from machine import BAD_OPTIONS, CHECK_FAILED, SUCCESS
from sharing import QEMU64


def refused(b, *words):
    """Exit 3, nothing measured, and the message, on the console and in a record, has all of these parts."""
    b.must(BAD_OPTIONS, rows=0)
    assert not b.of("run"), str(b)
    (error,) = b.events("error")
    for word in words:
        assert word in error["message"], f"{word!r} is not in {error['message']!r}"
        assert word in b.text, f"{word!r} is not on the console\n{b}"
    assert "BT run/verdict@0 1 failures fail" in b.text, str(b)  # format=lines may follow the wrong word


@pytest.mark.check
def test_a_wrong_value_in_load_options_is_refused(boot):
    refused(boot("suite=baseline samples=7"), "load options", "samples=7", "16", "1000000")


@pytest.mark.parametrize("recipe, how", [("serialize", {}), ("rdtscp", QEMU64)], ids=["serialize", "rdtscp"])
def test_a_recipe_that_the_cpu_lacks_is_refused(boot, recipe, how):
    """If it is named, it is refused with a clear message, not tried."""
    b = boot(f"suite=calls bench=direct samples=32 recipe={recipe}", **how)
    assert b.status in (BAD_OPTIONS, CHECK_FAILED) and b.end["verdict"] == "fail", str(b)
    assert not b.events("fault") and not [r for r in b.rows if r["status"] == "ok"], str(b)
    assert f"recipe={recipe}" in b.text or f"no {recipe.upper()}" in b.text, str(b)


# name: byte order mark, codec, end of line; tests/unit/lib/text/test_words.c has the others
ENCODINGS = {
    "utf-8": (b"", "utf-8", "\n"),
    "utf-16-le-bom-crlf": (codecs.BOM_UTF16_LE, "utf-16-le", "\r\n"),
}


def encoded(lines, encoding):
    mark, codec, newline = ENCODINGS[encoding]
    return mark + newline.join(lines).encode(codec)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_conf_is_read_in_each_width(boot, stick, encoding):
    lines = ["# what to measure", "suite=baseline  # the cheap one", "", "samples=48 hist=off", ""]
    b = boot("", disk=stick({"baretick.conf": encoded(lines, encoding)}))
    options = b.must(SUCCESS).run["options"]
    assert (options["suite"], options["samples"], options["hist"]) == ("baseline", 48, "off")
    assert {r["suite"] for r in b.rows} == {"baseline"}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le-bom-crlf"])
def test_a_wrong_line_of_a_conf_is_named(boot, stick, encoding):
    text = encoded(["suite=baseline", "", "samples=48 warmpu=3", ""], encoding)
    refused(boot("", disk=stick({"baretick.conf": text})), "baretick.conf", "line 3", "warmpu=3")


def test_a_conf_that_is_not_text_is_refused(boot, stick):
    refused(boot("", disk=stick({"baretick.conf": bytes(range(1, 256)) * 9})), "baretick.conf")


def test_a_conf_that_is_too_long_is_refused(boot, stick):
    conf = b"# a comment\n" * 8000
    refused(boot("", disk=stick({"baretick.conf": conf})), "baretick.conf", "64 KiB")


def test_a_conf_that_is_a_directory_is_refused(boot, stick):
    refused(boot("", disk=stick({"baretick.conf/x": b""})), "baretick.conf", "directory")


def test_load_options_win_over_conf(boot, shim):
    disk = shim("", "baretick.efi samples=64", conf=b"suite=baseline samples=32\n")
    b = boot("", disk=disk).must(SUCCESS)
    assert b.run["options"]["samples"] == 64 and b.run["options"]["suite"] == "baseline"


@pytest.mark.parametrize(
    "options, quoted",
    [
        ("root=/dev/sda1 ro quiet", "root=/dev/sda1 ro quiet"),
        (b"root=/dev/sda1 ro quiet\0", "root=/dev/sda1 ro quiet"),
        (bytes([1, 0, 0, 0, 0x3A, 0, 0xFF, 0xFE, 4, 1, 0x2A, 0, 7, 0x80, 0xC3]), "\\x"),
    ],
    ids=["words", "8-bit", "binary"],
)
def test_other_programs_load_options_are_ignored_with_a_warning(boot, shim, options, quoted):
    b = boot("", disk=shim("", options, conf=b"suite=baseline samples=32\n")).must(SUCCESS)
    (warning,) = [e for e in b.events("warning") if "load options" in e["message"]]
    assert quoted in warning["message"], warning
    assert "load options" in b.text, str(b)

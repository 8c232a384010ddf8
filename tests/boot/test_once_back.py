"""`baretick once` in Linux, on a made system: the way back, by --undo, --result and --collect."""

import os
import zlib

import pytest
from once import command, entry, prepare, result, system, variables
from once_command import image, made, once, own, restart, token_of  # noqa: F401 (fixtures among them)

WORDS = ["suite=calls", "cores=all"]


def record(seq, kind, **members):
    inner = f'{{"baretick":1,"seq":{seq},"type":"{kind}"' + "".join(f',"{k}":{v}' for k, v in members.items())
    return f'{inner},"crc":"{zlib.crc32(inner.encode()):08x}"}}\r\n'.encode()


@pytest.mark.parametrize("words", [[], ["--in-order"]])
def test_undo_restores_variables_and_files(made, once, words):
    before = made.content()
    once("--yes", *words)
    assert made.content() != before
    status, said = once("--undo")
    assert status == 0 and made.content() == before
    for part in ("Boot0002", prepare.IMAGE, prepare.STATE):
        assert part in said
    assert not os.path.exists(made.path("/boot/efi/EFI/baretick"))
    assert "Nothing" in once("--undo")[1]


def test_a_report_is_printed_and_moved(made, once):
    once("--yes", *WORDS)
    number, found = own(made)
    token = token_of(found)
    restart(made)
    made.variables.delete(entry.name_of(number))
    whole = record(0, "run", options=f'{{"once":{token}}}') + record(1, "end", verdict='"pass"')
    made.write("boot/efi/baretick/0000.jsonl", record(0, "run", options='{"once":1}'))
    made.write("boot/efi/baretick/0001.jsonl", whole)
    made.write("boot/efi/baretick/0001.txt", "the table\r\nverdict: PASS\r\n")
    made.variables.set(prepare.WITNESS, f"once={token}\nstatus=1\nfile=\\baretick\\0001.jsonl\n".encode(),
                       prepare.WITNESS_GUID)
    made.mount("0:30", system.EFIVARS, "efivarfs", "ro")  # no variable is changed
    for _ in range(2):  # the second one from where it is stored
        _, said = once("--result")
        assert "the table\nverdict: PASS\n" in said
        ((stored, kept),) = [(n, c) for n, c in made.content().items() if n.startswith("var") and n.endswith(".jsonl")]
        assert kept == whole and "/" + stored in said
        assert [n for n in made.content() if n.startswith("boot/efi/baretick")] == ["boot/efi/baretick/0000.jsonl"]


@pytest.mark.parametrize("taken", range(5))
def test_a_report_is_not_lost_by_a_power_cut_while_it_is_moved(made, once, monkeypatch, taken):
    """Two files are copied and deleted in turn, and then the end is noted."""
    once("--yes")
    token = token_of(own(made)[1])
    restart(made)
    whole = record(0, "run", options=f'{{"once":{token}}}') + record(1, "end", verdict='"pass"')
    made.write("boot/efi/baretick/0000.jsonl", whole)
    made.write("boot/efi/baretick/0000.txt", "the table\r\n")
    left = [taken]

    def cut_before(change):
        def instead(*args):
            if not left[0]:
                raise InterruptedError("the power is cut")
            left[0] -= 1
            return change(*args)

        return instead

    with monkeypatch.context() as m:
        for place, name in ((result.disk, "write"), (result.os, "unlink"), (result.prepare, "save_state")):
            m.setattr(place, name, cut_before(getattr(place, name)))
        with pytest.raises(InterruptedError):
            once("--result")
    _, said = once("--result")
    assert "the table" in said and "Report: /var/lib/baretick/" in said, said
    assert not [n for n in made.content() if n.startswith("boot/efi/baretick")]


def test_a_result_is_collected_once_for_each_run(made, once):
    """By the service at each start of Linux, also where no run was prepared."""
    assert once("--collect") == (0, "")
    for _ in range(2):
        once("--yes")
        restart(made)
        whole = record(0, "run", options=f'{{"once":{token_of(own(made)[1])}}}') + record(1, "end", verdict='"fail"')
        made.write("boot/efi/baretick/0000.jsonl", whole)
        status, said = once("--collect")
        assert status == result.NOT_PASSED and "/var/lib/baretick/" in said and once("--collect") == (0, "")
        made.write("proc/sys/kernel/random/boot_id", "third\n")


def test_a_report_is_found_without_the_variable(made, once):
    once("--yes")
    token = token_of(own(made)[1])
    restart(made)
    made.write("boot/efi/baretick/0007.jsonl", record(0, "run", options=f'{{"once":{token}}}'))
    status, said = once("--result")
    assert status == result.NOT_PASSED and "damaged: no record `end`" in said


def test_result_states_why_there_is_no_report(made, once):
    once("--yes")
    number, found = own(made)
    token, name = token_of(found), entry.name_of(number)
    with pytest.raises(variables.Failed, match="not been restarted"):
        once("--result")
    made.write("proc/sys/kernel/random/boot_id", "second\n")

    def why():
        status, said = once("--result")
        assert status == result.NOT_PASSED and said.startswith("No report")
        return said

    assert f"BootNext, which still is {name}" in why()
    restart(made)
    assert f"did not start {name}" in why() and "BootCurrent is Boot0001 (debian)" in why() and "--in-order" in why()
    made.variables.delete(name)
    assert f"{name} is deleted" in why()

    def leave(text):
        made.variables.set(prepare.WITNESS, text.encode(), prepare.WITNESS_GUID)

    leave(f"once={token}\n")
    assert "did not finish" in why()
    leave(f"once={token}\nerror=no such word: suit=\n")
    assert "measured nothing: no such word: suit=" in why()
    leave(f"once={token}\nverdict=pass\nstatus=1\nfile=\\baretick\\0000.jsonl\n")
    assert "verdict pass" in why() and "status 1" in why() and "0000.jsonl" in why()
    leave(f"once={token}\nverdict=fail\nstatus=2\nerror=the volume is read-only\n")
    assert "verdict fail" in why() and "not written: the volume is read-only" in why()
    leave("once=1\nstatus=1\n")
    assert f"{name} is deleted" in why(), "the variable of another run"


def test_runs_have_different_numbers_even_if_the_clock_is_set_back(made, once, monkeypatch):
    """So a stored report is never overwritten."""
    monkeypatch.setattr(command.time, "time", lambda: 1000000000.5)
    once("--yes")
    assert token_of(own(made)[1]) == "1000000000"
    once("--yes")
    assert token_of(own(made)[1]) == "1000000001"
    once("--undo")
    made.write(prepare.stored_name(1000000000).lstrip("/") + ".txt", "")
    once("--yes")
    assert token_of(own(made)[1]) == "1000000001"


def test_result_without_a_prepared_run_is_refused(once):
    with pytest.raises(variables.Failed, match="no run was prepared"):
        once("--result")


def test_a_hostile_file_name_in_the_variable_stays_on_the_esp(made, once):
    once("--yes")
    token = token_of(own(made)[1])
    restart(made)
    made.variables.set(prepare.WITNESS, f"once={token}\nstatus=1\nfile=\\..\\..\\x.jsonl\n".encode(), prepare.WITNESS_GUID)
    with pytest.raises(variables.Failed, match="not a name of a file"):
        once("--result")

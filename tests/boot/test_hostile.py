"""Bodies that break the rules on purpose, on the bare machine: each costs its own row alone."""

import hostile
import made
import pytest
from machine import CHECK_FAILED


FOLDER = "baretick/objects"


@pytest.fixture(scope="module")
def bodies(tmp_path_factory):
    """{path on the stick: object}"""
    folder = tmp_path_factory.mktemp("hostile")
    return {f"{FOLDER}/{kind}.o": made.own(kind, folder) for kind in ("hostile", "hostile_ring0")}


def test_each_body_fails_by_name_and_the_row_after_it_is_right(boot, stick, bodies):
    files = {**bodies, "baretick.conf": b"suite=hostile samples=16 deadline=1"}
    fails = {**hostile.FAILS_BOOTED, **hostile.FAILS_RING0}
    b = boot("", disk=stick(files)).must(CHECK_FAILED, rows=2 * len({**fails, **hostile.TOLD_BOOTED}))
    hostile.judge({row["name"]: row for row in b.rows}, fails, hostile.TOLD_BOOTED)
    assert all("has been restored" in row["why"] for row in b.rows if row["name"] in hostile.FAILS_RING0)
    assert not b.events("fault"), str(b)


def test_registers_that_functions_around_the_body_change_fail_their_row_by_name(boot, stick, tmp_path):
    around = made.of_source(tmp_path, "around", hostile.around_source())
    files = {f"{FOLDER}/around.o": around, "baretick.conf": b"suite=around samples=16 deadline=5"}
    b = boot("", disk=stick(files)).must(CHECK_FAILED, rows=2 * len(hostile.AROUND) * len(hostile.KEPT))
    hostile.judge_around({row["name"]: row for row in b.rows})
    assert not b.events("fault"), str(b)

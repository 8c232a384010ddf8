"""Every row's declaration must be complete, because the compiler sets missing fields to 0."""

import re

import pytest

from rows import declared

OF_NOTHING = ("kind_forms", "kind_watch")  # options select what these measure


@pytest.mark.check
def test_every_row_has_a_description():
    rows = declared()
    assert len(rows) > 100
    for name, fields in rows.items():
        for field in ("what", "ops"):
            assert f".{field} = " in fields, f"{name} has no .{field}"
        form, kind = re.search(r"\.form = (\w+)", fields), re.search(r"\.kind = &(\w+)", fields)
        assert bool(form) != bool(kind), f"{name} has no .form, no .kind, or both"
        assert not form or form[1] != "FORM_FUNCTION" or ".function = " in fields, f"{name} has no .function"
        assert not kind or kind[1] in OF_NOTHING or ".of = " in fields, f"{name} does not say what its kind measures"
        assert (".base_unit = " in fields) == (".base_per_op = " in fields), name


def test_compared_with_must_name_a_row_of_the_suite():
    rows = declared()
    compared = 0
    for name, fields in rows.items():
        for compared_with in re.findall(r'\.compared_with = ((?:"\w*"\s*)+)', fields):
            other = name.split("/")[0] + "/" + "".join(re.findall(r'"(\w*)"', compared_with))
            assert other in rows and other != name, f"{name} is compared with {other}"
            compared += 1
    assert compared > 10

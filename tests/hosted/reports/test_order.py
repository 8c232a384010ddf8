"""The order in which the tests are dealt out to workers (conftest.dealt)."""

import pytest
from conftest import dealt


@pytest.mark.parametrize("tests, long, workers", [(0, 0, 2), (3, 1, 3), (5, 5, 1), (10, 7, 3), (1322, 103, 3), (100, 60, 2)])
def test_no_test_is_lost_or_given_twice(tests, long, workers):
    assert sorted(dealt(list(range(tests)), lambda i: i < long, workers)) == list(range(tests))


def test_each_worker_s_first_batch_has_its_share_of_the_long_ones():
    order = dealt(list(range(1322)), lambda i: i < 103, 3)
    batch = 1322 // 3 // 4  # pytest-xdist's own
    shares = [sum(i < 103 for i in order[at : at + batch]) for at in range(0, 4 * batch, batch)]
    assert shares == [35, 34, 34, 0]
    assert all(order[at] < 103 for at in (0, batch, 2 * batch))

"""Exit statuses of the Linux program (lib/config/status.h), and the refusal of wrong options."""

SUCCESS, CHECK_FAILED, BAD_OPTIONS, FAULTED, STOPPED = 0, 2, 3, 4, 5


def refused(ended, *parts):
    """Asserts that nothing was measured, and that the message, on stderr and in a record, has all of these parts."""
    report = ended.report()
    assert ended.status == BAD_OPTIONS
    assert report.run is None and not report.rows
    assert report.end["verdict"] == "fail"
    (error,) = [e["message"] for e in report.events if e["kind"] == "error"]
    for part in parts:
        assert part in error
        assert part in ended.err

"""Where figures come from, and their licence: what exported files state."""
from read import table


def licence(report):
    """Returns the SPDX identifier of the licence of the program's figures; None: the report states none. Older reports
    have it in the record `insn_plan`."""
    return report.one("run").get("licence") or report.one("insn_plan").get("licence")


def cpu(report):
    """Returns the name of the CPU."""
    found = report.one("run").get("cpu", {})
    return found.get("brand") or found.get("vendor") or "an unknown CPU"


def lines(report):
    """Returns the lines at the top of an exported file. Licences are stated as SPDX specifies it
    (https://spdx.dev/learn/handling-license-info/)."""
    run = report.one("run")
    said = [f"{cpu(report)}, measured by baretick {run.get('version', '?')} ({run.get('build', '?')})"]
    if licence(report):
        said.append(f"SPDX-License-Identifier: {licence(report)}")
    return [table.printable(line) for line in said]

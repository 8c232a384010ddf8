"""A machine whose memory is on several nodes (NUMA): the report names them, every core uses memory of its own node, and
rows by node measure the memory of each. Without an SRAT nothing is known, and nothing is lost."""

import re

import pytest
from machine import SUCCESS

MIB = 1 << 20
OWN, NEAR, FAR = 10, 21, 31


def nodes(*sizes, cpus):
    """QEMU's options for nodes with these MiB of memory and CPUs; a node may have none of either."""
    options = ["-smp", str(sum(cpus))]
    first = 0
    for node, (size, count) in enumerate(zip(sizes, cpus)):
        if size:
            options += ["-object", f"memory-backend-ram,id=m{node},size={size}M"]
        memory = f",memdev=m{node}" if size else ""
        own = f",cpus={first}-{first + count - 1}" if count else ""
        options += ["-numa", f"node,nodeid={node}{memory}{own}"]
        first += count
    for node in range(len(sizes)):
        for other in range(len(sizes)):
            if node != other:
                options += ["-numa", f"dist,src={node},dst={other},val={NEAR if abs(node - other) == 1 else FAR}"]
    return options


BY_NODE = ("suite=memory bench=node_* cores=nodes", {"memory": 512, "extra": nodes(256, 128, 128, cpus=[2, 1, 0])})


def test_the_report_names_the_nodes_and_measures_them(shared):
    words, machine = BY_NODE
    b = shared(words, **machine)
    assert b.status == SUCCESS, b
    memory = b.one("run")["memory"]
    assert memory["nodes_by"] == "srat" and "nodes_left_out" not in memory and "nodes_error" not in memory
    assert [node["domain"] for node in memory["nodes"]] == [0, 1, 2]
    assert [node["cpus"] for node in memory["nodes"]] == [2, 1, 0]
    assert [node["distances"] for node in memory["nodes"]] == [[OWN, NEAR, FAR], [NEAR, OWN, NEAR], [FAR, NEAR, OWN]]
    assert 512 * MIB * 0.97 < sum(node["bytes"] for node in memory["nodes"]) <= 512 * MIB
    assert sum(node["bytes"] for node in memory["nodes"]) == memory["bytes"]
    assert [core["node"] for core in b.of("core")] == [0, 0, 1]
    assert [core["measures"] for core in b.of("core")] == [True, False, True], "the first core of each node"

    curves = b.of("curve")
    assert [(curve["name"], curve["core"]) for curve in curves] == [
        (name, core) for name in ("node_latency", "node_read", "node_write") for core in (0, 2)]
    for curve in curves:
        assert curve["status"] == "ok" and curve["by"] == "node", curve
        assert curve["node"] == {0: 0, 2: 1}[curve["core"]], curve
        points = curve["figures"]
        assert [point[0] for point in points] == [0, 1, 2], curve
        assert len({point[1] for point in points}) == 1, f"the same instructions in each memory: {curve}"
    assert ("too little memory for sets" in b.text) == any("less_memory" in curve for curve in curves)
    begin = 0
    for area, node, size in zip(b.run["areas"], (0, 1, 2), (256, 128, 128)):  # QEMU's memory is in the order of its nodes
        assert area["node"] == node and area["bytes"] > MIB, area
        assert begin <= area["address"] and area["address"] + area["bytes"] <= begin + size * MIB, area
        begin += size * MIB
    assert re.search(r"nodes     3 by srat\n +node 0: \d+ MiB, 2 CPUs, distances 10 21 31\n", b.text), b.text
    assert "core  apic pkg core thr node  type" in b.text
    assert re.search(r"\n +0 \(own\) ", b.text) and re.search(r"\n +1 \(own\) ", b.text)


@pytest.mark.parametrize("takeover", ["exit", "borrow"])
def test_cores_of_several_nodes_share_a_curve(boot, takeover):
    b = boot(f"suite=memory bench=cores_read,loaded_read cores=all takeover={takeover}", memory=512,
             extra=nodes(256, 256, cpus=[1, 2]))
    assert b.status == SUCCESS, b
    for curve in b.of("curve"):
        assert curve["status"] == "ok", curve
        assert all(size > 0 for size in curve["sets"]), curve


def test_one_node_is_no_reason_to_fail(boot):
    b = boot("suite=memory bench=node_latency,alias_4k", memory=512, extra=["-smp", "2"])
    assert b.status == SUCCESS, b
    assert "nodes" not in b.one("run")["memory"] and "node" not in b.of("core")[0]
    by = {curve["name"]: curve for curve in b.of("curve")}
    assert by["node_latency"]["status"] == "unsupported" and "several nodes" in by["node_latency"]["why"]
    assert by["alias_4k"]["status"] == "ok"
    assert "nodes  " not in b.text

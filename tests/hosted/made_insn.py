"""Records of suite insn, made of a dict per form: name, cycles by "tp" or pair, and what else its record has."""


def record(*forms, core=0):
    """One record. A form: {"form", "cycles": {"tp": figure, pair: figure}, "slots", "same", ..., "fault", "lcp"}."""
    lists = [" ".join(pair for pair in form["cycles"] if pair != "tp") for form in forms]
    pairs = sorted(set(lists))
    made = {"type": "insn", "core": core, "forms": [name_groups(form["form"]) for form in forms], "pairs": pairs,
            "pairs_of": [pairs.index(one) for one in lists], "cycles": [figures(form["cycles"]) for form in forms],
            "slots": " ".join(str(form.get("slots", "-")) for form in forms),
            "shares": " ".join(form.get("shares", "-") for form in forms)}
    for key in ("same", "line", "straight", "history"):
        if found := [f"{i} {form[key]}" for i, form in enumerate(forms) if key in form]:
            made[key] = found
    for key in ("lcp", "complex"):
        if found := [i for i, form in enumerate(forms) if form.get(key)]:
            made[key] = found
    if found := [f"{i} {form['fault']}" for i, form in enumerate(forms) if "fault" in form]:
        made["faults"] = found
    return made


def name_groups(name):
    head, _, rest = name.partition(" ")
    return [head, rest.replace(", ", ",")]


def figures(cycles):
    return " ".join([cycles.get("tp", "-"), *(figure for pair, figure in cycles.items() if pair != "tp")])

"""Old against new in one picture: each row's change with its interval."""
from draw import ink
from draw.pictures import NoData, Picture, machine
from judge import compare

MOST_ROWS = 30
ROW_INCHES = 0.27
LOOKS = {compare.SLOWER: (ink.RED, ">"), compare.MORE: (ink.RED, ">"), compare.FASTER: (ink.BLUE, "<"),
         compare.FEWER: (ink.BLUE, "<"), compare.SAME: (ink.GREY, "o")}


def changes(old, new, lines):
    """old, new: of sides.Side; lines: of compare.compared()."""
    known = [x for x in lines if x.get("ratio") is not None]
    if not known:
        raise NoData("no row of the two reports can be compared as a ratio")
    changed = [x for x in known if x["verdict"] != compare.SAME]
    rest = sorted((x for x in known if x["verdict"] == compare.SAME), key=lambda x: -abs(x["ratio"] - 1))
    changed.sort(key=lambda x: -abs(x["ratio"] - 1))
    shown = sorted((changed + rest)[:MOST_ROWS], key=lambda x: x["ratio"])
    reach = max([abs(x["ratio"] - 1) for x in shown] + [0.01]) * 1.25
    widest = sorted(max(abs(x["ratio_lo"] - 1), abs(x["ratio_hi"] - 1)) for x in shown)
    reach = max(reach, widest[int(0.7 * (len(widest) - 1))] * 1.15)
    several_cores = len({x["core"] for x in known}) > 1
    taller = max(0.0, len(shown) * ROW_INCHES + 2.1 - ink.Sheet.TALK[1])

    def name(x):
        """Returns the label, with the counts of instructions if they changed."""
        counts = [x.get(f"{side}_instructions") for side in ("old", "new")]
        moved = None not in counts and counts[0] != counts[1]
        counts = f", {counts[0]:g} \N{RIGHTWARDS ARROW} {counts[1]:g} instr" if moved else ""
        return ink.plain(x["row"] + (f" core {x['core']}" if several_cores else ""), 40) + counts

    def paint(sheet):
        longest = max(len(name(x)) for x in shown)
        axes = sheet.axes(left=min(0.45 + longest * 0.115, 0.5 * sheet.width), right=1.05)
        axes.axvline(0, color=ink.SOFT, linewidth=1.5)
        for at, x in enumerate(shown):
            colour, marker = LOOKS[x["verdict"]]
            lo, value, hi = (100 * (x[key] - 1) for key in ("ratio_lo", "ratio", "ratio_hi"))
            limit = 100 * reach
            axes.plot([max(lo, -limit), min(hi, limit)], [at, at], color=colour, linewidth=2.5, solid_capstyle="butt")
            if -limit <= value <= limit:
                axes.plot([value], [at], marker, color=colour, markersize=9)
            if x["verdict"] != compare.SAME:
                axes.text(1.01, at, f"{value:+.1f} %".replace("-", "\N{MINUS SIGN}"), size=13, va="center",
                          transform=axes.get_yaxis_transform(), color=colour, weight="bold")
        axes.set_yticks(range(len(shown)), [name(x) for x in shown])
        axes.tick_params(axis="y", length=0, labelcolor=ink.INK, labelsize=12)
        counted = all(x["unit"] == "instructions" for x in shown)
        axes.set(ylim=(-0.7, len(shown) - 0.3), xlim=(-100 * reach, 100 * reach),
                 xlabel="change of instructions, %" if counted else "change of an operation's figure, %")
        axes.spines["left"].set_visible(False)
        axes.grid(axis="x")
        axes.xaxis.set_major_formatter(lambda v, _: f"{v:+g}".replace("-", "\N{MINUS SIGN}") if v else "0")

    tally = {v: sum(x["verdict"] == v for x in lines) for v in (*LOOKS, compare.UNLIKE, compare.FAILED)}
    said = ", ".join(f"{n} {v}" for v, n in tally.items() if n and v != compare.SAME)
    judged = [x for x in lines if x["verdict"] not in (compare.UNLIKE, compare.FAILED)]  # also those without a percentage
    moved = sum(x["verdict"] != compare.SAME for x in judged)
    title = f"{moved} of {len(judged)} rows changed" if moved else f"No row of {len(judged)} is shown to have changed"
    if moved:
        title += ": " + ", ".join(f"{n} {v}" for v, n in tally.items() if n and v not in (compare.SAME, compare.UNLIKE))
    words = [machine(new.run), "bars: 99% intervals"]
    if old.run.get("build") != new.run.get("build"):
        words.append(f"build {old.run.get('build')} to {new.run.get('build')}")
    near_zero = sum(x.get("shift") is not None and x.get("ratio") is None for x in lines)
    if near_zero:
        words.append(f"{near_zero} rows near zero have no percentage: not drawn")
    if len(shown) < len(known):
        words.append(f"the {len(shown)} that differ most")
    alt = f"{title}. {said or 'no change'}. " + " ".join(
        f"{x['row']}: {100 * (x['ratio'] - 1):+.1f} %." for x in changed[:MOST_ROWS])
    return Picture("change", "change", title, " · ".join(words), alt, paint, taller)

"""LLVM's names of CPUs, by vendor, family, model and stepping, as in llvm/lib/TargetParser/Host.cpp."""

# family: (the last model, the name), in the order of the models.
AMD = {
    15: ((0xff, "k8-sse3"),),
    16: ((0xff, "amdfam10"),),
    20: ((0xff, "btver1"),),
    21: ((0x01, "bdver1"), (0x02, "bdver2"), (0x0f, "bdver1"), (0x1f, "bdver2"), (0x3f, "bdver3"), (0x7f, "bdver4")),
    22: ((0xff, "btver2"),),
    23: ((0x2f, "znver1"), (0xff, "znver2")),
    24: ((0xff, "znver1"),),  # Hygon
    25: ((0x0f, "znver3"), (0x1f, "znver4"), (0x5f, "znver3"), (0xaf, "znver4")),
    26: ((0xff, "znver5"),),
}
# Of family 6. Older versions of LLVM know the first name of a core, such as alderlake, but not raptorlake.
INTEL = {
    "core2": (0x0f, 0x16), "penryn": (0x17, 0x1d), "nehalem": (0x1a, 0x1e, 0x1f, 0x2e), "westmere": (0x25, 0x2c, 0x2f),
    "sandybridge": (0x2a, 0x2d), "ivybridge": (0x3a, 0x3e), "haswell": (0x3c, 0x3f, 0x45, 0x46),
    "broadwell": (0x3d, 0x47, 0x4f, 0x56), "skylake": (0x4e, 0x5e, 0x8e, 0x9e, 0xa5, 0xa6), "cannonlake": (0x66,),
    "icelake-client": (0x7d, 0x7e), "icelake-server": (0x6a, 0x6c), "tigerlake": (0x8c, 0x8d), "rocketlake": (0xa7,),
    "alderlake": (0x97, 0x9a, 0xb7, 0xba, 0xbe, 0xbf), "sapphirerapids": (0x8f,), "emeraldrapids": (0xcf,),
    "graniterapids": (0xad,), "graniterapids-d": (0xae,), "meteorlake": (0xaa, 0xac), "arrowlake": (0xc5,),
    "arrowlake-s": (0xbd, 0xc6), "bonnell": (0x1c, 0x26, 0x27, 0x35, 0x36),
    "silvermont": (0x37, 0x4a, 0x4c, 0x4d, 0x5a, 0x5d), "goldmont": (0x5c, 0x5f), "goldmont-plus": (0x7a,),
    "tremont": (0x86, 0x8a, 0x96, 0x9c), "sierraforest": (0xaf,), "grandridge": (0xb6,), "knl": (0x57,), "knm": (0x85,),
}  # fmt: skip
# Model 55h of family 6: the last stepping, the name.
SKYLAKE_SERVER = ((4, "skylake-avx512"), (9, "cascadelake"), (15, "cooperlake"))


def _first(names, number):
    """Returns the name of the first range that has the number."""
    return next((name for last, name in names if number <= last), None)


def name_of(cpu):
    """Returns LLVM's name of a report's `run.cpu`, or None."""
    family, model = cpu.get("family"), cpu.get("model")
    if cpu.get("vendor") in ("AuthenticAMD", "HygonGenuine"):
        return _first(AMD.get(family, ()), model)
    if cpu.get("vendor") == "GenuineIntel" and family == 6:
        if model == 0x55:
            return _first(SKYLAKE_SERVER, cpu.get("stepping", 0))
        return next((name for name, models in INTEL.items() if model in models), None)
    return None

"""Launches of the Linux program without real-time priority."""

import ctypes
import resource

PR_CAPBSET_DROP, CAP_SYS_NICE = 24, 23  # linux/prctl.h, linux/capability.h


def no_real_time():
    """The program uses SCHED_FIFO if it may. Two on one CPU would then wait for each other, a core would wait for
    another that it must meet, and other programs there would get no time. Programs that this process starts from now
    on may not use it, so any number of tests share the CPUs."""
    resource.setrlimit(resource.RLIMIT_RTPRIO, (0, 0))
    ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, CAP_SYS_NICE, 0, 0, 0)  # refused if the process lacks it

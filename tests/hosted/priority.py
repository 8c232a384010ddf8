"""Launches of the Linux program without real-time priority."""

import ctypes
import resource

PR_CAPBSET_DROP, CAP_SYS_NICE = 24, 23  # linux/prctl.h, linux/capability.h


def no_real_time():
    """The program takes SCHED_FIFO where it may. Two on one CPU then wait for each other, a core waits for another that
    is to meet it, and what else runs there gets no time. Programs that this process starts from now on may not take it,
    so any number of tests share the CPUs."""
    resource.setrlimit(resource.RLIMIT_RTPRIO, (0, 0))
    ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, CAP_SYS_NICE, 0, 0, 0)  # refused where there is none to drop

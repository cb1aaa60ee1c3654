"""The machine that a benchmark runs on: its fingerprint, and how busy it is."""

import os
import platform
import re
import time

STAT = "/proc/stat"


def usable_cpus():
    """Numbers of the CPUs that this process, and what it starts, may run on."""
    return sorted(os.sched_getaffinity(0))


def busy_seconds(cpus, stat=STAT):
    """CPU time since boot that the given CPUs spent on anything; None where that cannot be read.

    User, nice, system, interrupts and what a hypervisor took (steal), from the lines `cpu<n>`. Counted in ticks, mostly
    of 10 ms: of a short time the difference says nothing. Source: proc(5).
    """
    try:
        with open(stat, encoding="ascii") as file:
            fields = {line.split()[0]: line.split()[1:] for line in file if line.startswith("cpu")}
        user, nice, system, _, _, irq, softirq, steal = zip(
            *([int(ticks) for ticks in fields[f"cpu{number}"][:8]] for number in cpus)
        )
    except (OSError, ValueError, LookupError):
        return None
    return sum(map(sum, (user, nice, system, irq, softirq, steal))) / os.sysconf("SC_CLK_TCK")


class Watch:
    """Looks at the clock and at the machine's load from when it is made on."""

    def __init__(self, stat=STAT):
        self._stat, self._cpus = stat, usable_cpus()
        self._busy, self._start = busy_seconds(self._cpus, stat), time.monotonic()

    def read(self):
        """Seconds since then, and those that the CPUs were busy, all together; None where that is unknown."""
        elapsed, busy = time.monotonic() - self._start, busy_seconds(self._cpus, self._stat)
        return elapsed, None if None in (busy, self._busy) else busy - self._busy


def fingerprint(cpuinfo="/proc/cpuinfo", cgroup="/sys/fs/cgroup"):
    """Label -> text or number. `cores`: CPUs that may be used, whose load counts; a quota on them has its own label."""
    found = {
        "cpu": _cpu_model(cpuinfo),
        "cores": len(usable_cpus()),
        "kernel": f"{platform.system()} {platform.release()}",
        "memory_gib": round(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30),
    }
    quota = _quota(cgroup)
    return {**found, "cpu_quota": quota} if quota else found


def _cpu_model(cpuinfo):
    """The first model name; elsewhere than on x86 there may be none."""
    match = re.search(r"^model name\s*: (.+)$", _text(cpuinfo), re.MULTILINE)
    return match.group(1) if match else platform.machine()


def _quota(cgroup):
    """How many CPUs' time a container may use, of control groups version 2; 0 where there is no limit."""
    match = re.fullmatch(r"(\d+) (\d+)", _text(os.path.join(cgroup, "cpu.max")).strip())
    return round(int(match.group(1)) / int(match.group(2)), 2) if match else 0


def _text(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""

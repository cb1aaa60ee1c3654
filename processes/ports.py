"""Ports for the workers of a job: free ones, and those with a listener."""

import os
import random
import socket

# Below the system's ephemeral ports (32768 and up on Linux), so that no connection takes one meanwhile.
LOWEST, HIGHEST = 20000, 32000
LISTENS = "0A"


def free_ports(count, lowest=LOWEST, highest=HIGHEST):
    """Ports that are free just now. Errors: OSError where there are not so many."""
    found = []
    for port in random.sample(range(lowest, highest), highest - lowest):
        if len(found) == count:
            break
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        found.append(port)
    if len(found) < count:
        raise OSError(f"[free_ports] wanted {count} between {lowest} and {highest}, {len(found)} are free")
    return found


def listening(ports, tables=("/proc/net/tcp", "/proc/net/tcp6")):
    """Those of the ports that some process listens on."""
    found = set()
    for table in filter(os.path.exists, tables):
        with open(table, encoding="ascii") as file:
            for line in list(file)[1:]:
                _, local, _, state = line.split()[:4]
                if state == LISTENS:
                    found.add(int(local.rpartition(":")[2], 16))
    return sorted(found.intersection(ports))

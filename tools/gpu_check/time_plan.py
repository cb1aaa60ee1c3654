"""How long each of several programs may run, one after another."""

import time


class TimePlan:
    """Each has its own seconds and no more, so one that hangs costs the next ones nothing.

    plan = TimePlan(480, stretch=2)
    plan.limit(20)     # 40
    ...                # 450 seconds later
    plan.limit(20)     # 30: the end of all is near
    """

    def __init__(self, deadline=None, stretch=1, clock=time.monotonic):
        """`deadline` is in seconds from now, whatever `stretch` is; None: there is none."""
        self._clock = clock
        self._stretch = stretch
        self._end = None if deadline is None else clock() + deadline

    def limit(self, seconds):
        """Seconds for what runs next and is planned to take at most `seconds`. 0 or less: there are none left."""
        stretched = seconds * self._stretch
        return stretched if self._end is None else min(stretched, self._end - self._clock())

"""How long each of several programs may run, one after another."""
import time


class TimePlan:
    """Each has the seconds reserved for it, and what those before it did not need.

        plan = TimePlan(480)
        plan.reserve(40)     # for the next program
        plan.left()          # 40.0
        ...                  # it ends after 15 seconds
        plan.reserve(20)
        plan.left()          # 45.0
    """

    def __init__(self, deadline, clock=time.monotonic):
        self._clock = clock
        self._planned = clock()
        self._end = self._planned + deadline

    def reserve(self, seconds):
        """For what runs next; also for what is left out, so that others have its time."""
        self._planned += seconds

    def left(self):
        """Seconds until what runs now must end; never beyond the deadline."""
        return min(self._planned, self._end) - self._clock()

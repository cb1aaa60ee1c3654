"""Forked children that answer several programs, one after the other."""

from conformance.testees.python.child_process import Child, call_in_child

MOST_KEPT = 8  # at one time; they hold what a framework holds
MOST_PROGRAMS = 20  # of one child


class KeptChildren:
    """Answers requests in children, of which some stay for the next of their kind.

        children = KeptChildren(testee, answer)
        reply = children.ask(request)

    A child that has answered a request is asked the next for which `testee.kept_for`
    gives the same, behind `testee.forget()`. It ends behind a reply other than
    observations, and behind a program that tries what may fail: what such a program
    leaves, nobody knows. `answer(request)` is called in the child.
    """

    def __init__(self, testee, answer):
        self._testee = testee
        self._answer = answer
        self._children = {}  # by what kept_for gives, the one asked last at the end
        self._programs = {}  # that each has answered

    def ask(self, request):
        key = self._key_of(request)
        if key is None:
            return call_in_child(lambda: self._answer(request))
        child = self._children.pop(key, None) or self._begin(key)
        reply = child.call(request)
        self._programs[key] += 1
        self._children[key] = child
        if "observations" not in reply or self._programs[key] == MOST_PROGRAMS:
            self._end(key)
        elif len(self._children) > MOST_KEPT:
            self._end(next(iter(self._children)))
        return reply

    def _key_of(self, request):
        apart = "workers" in request["given"] or has_step(request["program"], APART)
        return None if apart else self._testee.kept_for(request["given"])

    def _begin(self, key):
        self._programs[key] = 0
        is_first = True

        def answer(request):
            nonlocal is_first
            if not is_first:
                self._testee.forget()
            is_first = False
            return self._answer(request)

        return Child(answer)

    def _end(self, key):
        self._children.pop(key).end()


# Steps of programs whose process is theirs alone: what fails may leave anything, and a
# job is a process by itself.
APART = ("program.try", "job.run")


def has_step(program, names):
    """Whether a block, or one in it, has a step of one of these names."""
    return any(
        step["step"] in names or has_step(step.get("program", []), names) for step in program
    )

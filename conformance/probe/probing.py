"""What the probe asks of a testee, one exchange after another."""
from conformance.probe import programs
from conformance.probe.message_check import Problem

NO_SUCH_STEP = [{"observe": "x", "step": "probe.no_such_step"}]
FAILS = [{"step": "value.fail"}]
DEFAULT = {"strategy": "default"}
FAR_SEQ = 1_000_000
# Seconds to listen for a line that nobody asked for.
LONG = 0.1
SHORT = 0.01


class Probing:
    def __init__(self, conversation, report, cases, described, conventions):
        self._conversation = conversation
        self._report = report
        self._cases = cases
        self._described = described
        self._conventions = conventions
        self._steps = []

    def run(self):
        """All of it. A testee that cannot declare itself is asked nothing else."""
        with self._conversation.process() as process:
            if not self._declare(process):
                return
        self._put_programs()
        for ask in (self._unknown_step, self._failing_program, self._stop, self._unknown_command,
                    self._end_of_input):
            with self._conversation.process() as process:
                if self._conversation.start(process):
                    ask(process)

    def _declare(self, process):
        self._report.section("It declares itself")
        message = self._conversation.start(process)
        if message is None or not self._conversation.quiet(process, "start"):
            return False
        self._steps = message["steps"]
        self._report.ok("{name}: {implementation}, from {language}, on {devices}".format(
            **{**message, "devices": " and ".join(message["devices"])}))
        for problem in self._of_declaration(message):
            self._report.problem("start", problem)
        return True

    def _of_declaration(self, message):
        for step in message["steps"]:
            if step not in self._described:
                yield Problem(
                    f"at $.steps: operations.md describes no step '{step}'",
                    "declare the steps under their names in operations.md")
        for convention, value in message["conventions"].items():
            values = self._conventions.get(convention)
            if values is None or value not in values:
                allowed = f"one of {', '.join(sorted(values))}" if values else "no such convention"
                yield Problem(
                    f"at $.conventions.{convention}: '{value}', but conventions.json has {allowed}",
                    "declare what conventions.json lists; what is left out counts as its first "
                    "value")

    def _put_programs(self):
        self._report.section("It answers a small program for each step it declares")
        chosen, left_over = programs.choose(self._cases, self._steps)
        waiting = list(chosen)
        while waiting:
            with self._conversation.process() as process:
                if not self._conversation.start(process):
                    return
                listen = LONG
                while waiting and self._put(process, waiting.pop(0), listen=listen):
                    listen = SHORT  # who says too much does so behind its first program
                # a fresh process goes on after a mistake
        for step in left_over:
            self._report.note(f"{step}: no built-in case uses it with declared steps only")
        if chosen:
            with self._conversation.process() as process:
                if self._conversation.start(process):
                    self._put_again(process, chosen[0])

    def _put(self, process, case, seq=None, listen=LONG):
        given = programs.given_once(case["given"])
        reply = self._conversation.run(
            process, case["id"], given, case["program"], seq)
        if reply is None or not self._conversation.quiet(process, case["id"], listen):
            return None
        kind = next(key for key in reply if key != "seq")
        self._report.ok(f"{case['id']}: {kind}" + _reason(reply))
        if reply.get("unsupported", {}).get("step") in self._steps:
            self._report.note(
                "a declared step: right only where it is these arguments that are lacking")
        return reply

    def _put_again(self, process, case):
        first = self._put(process, case)
        again = first and self._put(process, case, seq=FAR_SEQ)
        if not again:
            return
        if {**again, "seq": first["seq"]} == first:
            self._report.ok(f"the same program again, with seq {FAR_SEQ}: the same reply")
        else:
            self._report.note(
                f"{case['id']}: another reply the second time; right only where the program draws "
                "random numbers, else the state of the first run is still there")

    def _unknown_step(self, process):
        self._report.section("It says what it lacks, and how a step fails")
        reply = self._conversation.run(
            process, "unknown step", DEFAULT, NO_SUCH_STEP)
        if reply is None:
            return
        if "unsupported" in reply:
            self._report.ok("a step that does not exist: unsupported")
        else:
            self._report.problem("unknown step", Problem(
                f"wanted unsupported, got {reply}",
                "answer a step it does not know with \"unsupported\", its name and a reason"))

    def _failing_program(self, process):
        if "value.fail" not in self._steps:
            self._report.note("value.fail is not declared: no program that fails was tried")
            return
        reply = self._conversation.run(process, "failing step", DEFAULT, FAILS)
        if reply is None:
            return
        error = reply.get("error", {})
        if (error.get("class"), error.get("at_step")) == ("InvalidArgument", "value.fail"):
            self._report.ok("a step that fails: its class and its name")
        else:
            self._report.problem("failing step", Problem(
                f"wanted the error InvalidArgument at value.fail, got {reply}",
                "map the implementation's errors to the classes of operations.md"))

    def _stop(self, process):
        self._report.section("It ends as it should")
        self._conversation.send(process, {"cmd": "stop"})
        self._expect_end(process, "stop", lambda status: status == 0,
                         "after stop: release what is held and end with status 0, and say nothing")

    def _unknown_command(self, process):
        self._conversation.send(process, {"cmd": "no_such_command"})
        self._expect_end(
            process, "unknown command", lambda status: status > 0,
            "a command it does not know: say so on stderr and end with a status above 0")

    def _end_of_input(self, process):
        process.close_stdin()
        self._expect_end(
            process, "end of input", lambda status: True,
            "when stdin ends the runner is gone: end as well, so that no process is left behind")

    def _expect_end(self, process, where, is_right, advice):
        status = process.wait(self._conversation.deadline)
        quiet = self._conversation.quiet(process, where)
        if status is None or not is_right(status):
            self._conversation.tell_end(process, where, status, advice)
        elif quiet:
            self._report.ok(f"{where}: ended with status {status}")


def _reason(reply):
    if "error" in reply:
        return " {class} at {at_step}".format(**reply["error"])
    if "unsupported" in reply:
        return " {step}: {reason}".format(**reply["unsupported"])
    return ""

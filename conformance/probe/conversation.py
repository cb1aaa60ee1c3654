"""The exchange of messages with a testee, each line of it checked."""
import json
import secrets

from conformance.probe import message_check
from conformance.probe import reply_check
from conformance.probe import testee_process
from conformance.probe.message_check import Problem


class Conversation:
    """Talks to one process after another, started from the same command.

    What is wrong goes to the report; the methods return the message, or None where there was none
    that holds to the protocol.
    """

    def __init__(self, command, schemas, report, start_deadline, deadline, verbose=False):
        self._command = command
        self._schemas = schemas
        self._report = report
        self._start_deadline = start_deadline
        self._verbose = verbose
        self._seq = 0
        self.deadline = deadline

    def process(self):
        """A fresh process, to be used in a with statement. Errors: OSError."""
        return testee_process.TesteeProcess(self._command)

    def start(self, process):
        message, _ = self._exchange(
            process, "start", {"cmd": "start", "version": 1}, "declaration", self._start_deadline)
        return message

    def run(self, process, where, given, program, seq=None):
        """Puts a program to it; the reply, when nothing is wrong with it."""
        self._seq = self._seq + 1 if seq is None else seq
        command = {
            "cmd": "run", "seq": self._seq, "token": secrets.token_hex(8), "given": given,
            "program": program}
        message, line = self._exchange(process, where, command, "reply", self.deadline)
        if message is None:
            return None
        problems = reply_check.problems(message, self._seq, program)
        self._tell(where, problems, line)
        return None if problems else message

    def send(self, process, command):
        line = command if isinstance(command, str) else json.dumps(command)
        if self._verbose:
            self._report.line("->", line)
        process.send(line)

    def quiet(self, process, where, seconds=0.1):
        """Whether it says no more than it was asked for, listening that long."""
        try:
            line = process.read(seconds)
        except (testee_process.Silence, testee_process.Ended):
            return True
        self._tell(where, [Problem("a line that nobody asked for", (
            "answer each command with one line; " + message_check.KEEP_STDOUT_CLEAN))], line)
        return False

    def tell_end(self, process, where, status, advice):
        """Reports an end, or the lack of one."""
        what = testee_process.describe_end(status) if status is not None else "lives on"
        self._report.problem(where, Problem(f"it {what}", advice), None, process.last_words())

    def _exchange(self, process, where, command, kind, deadline):
        """(message, its line); the message is None when it breaks the schema."""
        self.send(process, command)
        try:
            line = process.read(deadline)
        except testee_process.Silence:
            self._report.problem(where, Problem(
                f"no answer in {deadline:g} s",
                "answer every command with a line, flush it, and read stdin line by line (some "
                "languages wait for a full buffer)"), None, process.last_words())
            return None, None
        except testee_process.Ended as end:
            self._report.problem(
                where, Problem(f"it {end}", "mend what stderr tells; answer an error of a step "
                               "with \"error\", and what is lacking with \"unsupported\""),
                None, process.last_words())
            return None, None
        if self._verbose:
            self._report.line("<-", line.decode(errors="replace"))
        message, problems = message_check.parse(line)
        problems = problems or self._schemas.problems(kind, message)
        self._tell(where, problems, line)
        return (None if problems else message), line

    def _tell(self, where, problems, line):
        for problem in problems:
            self._report.problem(where, problem, line)

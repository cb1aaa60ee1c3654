"""Tells what the probe saw, line by line, and counts what is wrong."""


class Report:
    def __init__(self, out):
        self._out = out
        self.right = 0
        self.wrong = 0

    def section(self, title):
        print(f"\n{title}", file=self._out)

    def ok(self, text):
        self.right += 1
        print(f"  ok     {text}", file=self._out)

    def note(self, text):
        print(f"  note   {text}", file=self._out)

    def problem(self, where, problem, said=None, last_words=()):
        """A Problem; `where` says in which exchange, `said` is the line it is about."""
        self.wrong += 1
        print(f"  WRONG  {where}: {problem.what}", file=self._out)
        if said is not None:
            text = said.decode(errors="replace")
            self._detail("said", text if len(text) <= 300 else text[:300] + "...")
        for number, line in enumerate(last_words):
            self._detail("" if number else "stderr", line)
        self._detail("next", problem.advice)

    def line(self, arrow, text):
        print(f"         {arrow} {text}", file=self._out)

    def close(self):
        print(f"\n{self.right} right, {self.wrong} wrong", file=self._out)

    def _detail(self, label, text):
        print(f"         {label:<6} {text}", file=self._out)

"""Which case notices which planted bug."""

import collections
import dataclasses
import os
import typing

import jinja2

KILLED, SURVIVED = "killed", "survived"

# Verdicts with which a case of level required holds.
HELD = ("passed", "warned", "informational")


class Result(typing.NamedTuple):
    """What became of a case."""

    level: str
    verdict: str
    matches: bool  # every expectation holds, those that only tell too


@dataclasses.dataclass
class Row:
    """What became of one mutant."""

    mutant: object
    killed_by: list = dataclasses.field(default_factory=list)  # ids of cases, sorted
    required: list = dataclasses.field(default_factory=list)  # those of them in which a requirement fails

    @property
    def result(self):
        return KILLED if self.killed_by else SURVIVED

    @property
    def not_by(self):
        """Cases that the mutant's file names and that did not notice."""
        return [case for case in self.mutant.killed_by if case not in self.killed_by]

    @property
    def lacks_required(self):
        """None of the cases it names fails in a requirement, and the file does not say why."""
        return not self.mutant.beyond and not any(case in self.required for case in self.mutant.killed_by)

    @property
    def complaints(self):
        """What is not as the mutant's file says, for people."""
        found = ["but not by " + ", ".join(self.not_by)] if self.not_by else []
        if self.lacks_required:
            found.append("but none that it names is required")
        if self.mutant.beyond and self.required:
            found.append("and though `beyond` says otherwise by " + ", ".join(self.required))
        return found

    @property
    def as_named(self):
        return self.result == KILLED and not self.complaints

    def count_by_topic(self):
        """Topic -> how many of its cases noticed."""
        return collections.Counter(case.rsplit("/", 1)[0] for case in self.killed_by)


def compare(mutant, baseline, results):
    """The row of a mutant whose run gave `results`, where the reference gave `baseline`: id -> Result."""
    killed_by = sorted(case for case in baseline if results.get(case) != baseline[case])
    return Row(mutant, killed_by, [case for case in killed_by if fails_required(baseline[case], results.get(case))])


def fails_required(expected, result):
    """Whether a case whose Result was `expected` is required and has no Result that holds."""
    return expected.level == "required" and (result is None or result.verdict not in HELD)


def summary(rows):
    """How many bugs in what is required, and beyond it, were noticed."""
    within = [row for row in rows if not row.mutant.beyond]
    beyond = [row for row in rows if row.mutant.beyond]
    text = "%d of %d killed by required cases" % (sum(bool(row.required) for row in within), len(within))
    if beyond:
        text += ", %d of %d beyond the documents killed" % (sum(bool(row.killed_by) for row in beyond), len(beyond))
    return text


def describe(row):
    """One line for the terminal."""
    if row.result == SURVIVED:
        return "%s: %s" % (row.mutant.name, SURVIVED)
    text = "killed by %d cases, %d required" % (len(row.killed_by), len(row.required))
    return "%s: %s" % (row.mutant.name, ", ".join([text] + row.complaints))


def to_json(rows):
    return {
        "format": 2,
        "summary": summary(rows),
        "mutants": [
            {
                "name": row.mutant.name,
                "file": row.mutant.file,
                "states": row.mutant.states,
                "result": row.result,
                "beyond": row.mutant.beyond,
                "required": row.required,
                "named": row.mutant.killed_by,
                "killed_by": row.killed_by,
                "not_by": row.not_by,
            }
            for row in rows
        ],
    }


def to_markdown(rows):
    lines = [
        "# Planted bugs and the cases that notice them",
        "",
        summary(rows) + ".",
        "",
        "| mutant | what is wrong | result | noticed first by |",
        "|---|---|---|---|",
    ]
    for row in rows:
        first = row.mutant.killed_by[0] if row.mutant.killed_by else ""
        lines.append(
            "| %s | %s | %s | %s |"
            % (
                row.mutant.name,
                row.mutant.states,
                "killed by %d, %d required" % (len(row.killed_by), len(row.required)) if row.killed_by else row.result,
                first,
            )
        )
    return "\n".join(lines) + "\n"


def to_html(rows, views=()):
    """One page that needs no network; `views`, of by_case.py, where there are any."""
    topics = sorted({topic for row in rows for topic in row.count_by_topic()})
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "templates")
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("kill_matrix.html.j2").render(
        rows=rows, topics=topics, summary=summary(rows), views=views
    )

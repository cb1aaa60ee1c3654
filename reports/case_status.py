"""The display of a case's verdict: a sign, a word, colours for light and dark."""

import collections

Status = collections.namedtuple("Status", "id sign word means light dark")
Colors = collections.namedtuple("Colors", "text ground")


def _status(name, sign, word, means, light, dark):
    return Status(name, sign, word, means, Colors(*light), Colors(*dark))


# In order of badness. `differs`, which is informational, and `not_run` are no verdicts of the
# runner.
ALL = {
    status.id: status
    for status in (
        _status(
            "passed",
            "✓",
            "passed",
            "what is required and recommended holds",
            ("#145c37", "#dff3e6"),
            ("#8fe0b0", "#12321f"),
        ),
        _status(
            "informational",
            "=",
            "informational, matches",
            "nothing of it is judged; it does as the case states",
            ("#37506e", "#eef2f7"),
            ("#b9c9dc", "#1e2a38"),
        ),
        _status(
            "differs",
            "≠",
            "informational, differs",
            "nothing of it is judged; it does something else than the case states",
            ("#174a8b", "#e1ecfb"),
            ("#9cc7ff", "#142c4b"),
        ),
        _status(
            "warned",
            "!",
            "warned",
            "what is required holds, something that is recommended does not",
            ("#6b5000", "#fbf3d0"),
            ("#f0d878", "#3a3110"),
        ),
        _status(
            "departed",
            "⇢",
            "departs by convention",
            "a documented convention of its own is in the place of what is promised, and holds",
            ("#7a3b7a", "#f7e8f7"),
            ("#e3a9e3", "#3a1f3a"),
        ),
        _status(
            "unsupported",
            "–",
            "unsupported",
            "the implementation does not have a step, or no expectation applies to its conventions",
            ("#4a5563", "#e9edf2"),
            ("#b4bfcc", "#27313d"),
        ),
        _status("failed", "✗", "failed", "it did something else", ("#8f1528", "#fce4e7"), ("#ff9fae", "#44141d")),
        _status(
            "errored",
            "E",
            "errored",
            "it ended with an error where none was expected",
            ("#7d3c00", "#fdebd7"),
            ("#ffb870", "#40260c"),
        ),
        _status(
            "timed_out",
            "T",
            "timed out",
            "no answer within the deadline",
            ("#5b2a86", "#f0e6fa"),
            ("#d3aef5", "#321a49"),
        ),
        _status("crashed", "C", "crashed", "the testee died", ("#5b2a86", "#f0e6fa"), ("#d3aef5", "#321a49")),
        _status(
            "protocol_error",
            "P",
            "protocol error",
            "what it answered is no message",
            ("#5b2a86", "#f0e6fa"),
            ("#d3aef5", "#321a49"),
        ),
        _status(
            "not_run", "·", "not run", "its result holds no such case", ("#566271", "#ffffff"), ("#a3afbd", "#19212b")
        ),
    )
}

# Words for the kinds of a list of deviations.
KINDS = {
    "defect": "a defect of the implementation",
    "by_design": "it documents it so",
    "unsupported": "it has no such thing",
    "document_unclear": "the document can be read both ways",
}


def of_case(case):
    """The status of a case of a result; None stands for one that was not run."""
    if case is None:
        return ALL["not_run"]
    if case["verdict"] == "informational" and not case["matches"]:
        return ALL["differs"]
    return ALL[case["verdict"]]

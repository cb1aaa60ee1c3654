"""Reports what changed between two runs of the conformance suite: a gate for regressions.

Examples:
  ./bazelw run //conformance:run -- --testee=tensorflow --json=old.json
  (update the framework, or change the implementation, and run again: new.json)
  ./bazelw run //conformance:compare -- old.json new.json
  ./bazelw run //conformance:compare -- old.json new.json --enforce=recommended,decision
  ./bazelw run //conformance:compare -- old.json new.json --markdown=comment.md --json=changes.json

In this order: regressions, what got better, other changes by level, cases that are
rewritten (their verdicts are not compared), new, gone or not run, and how the
two runs differ in their settings."""

import argparse
import json
import sys

from command_line import version_option
from command_line.own_command import program_name
from command_line.user_paths import user_path
from reports import case_change, case_status, change_junit, command, conformance_result, page
from reports.conformance_result import LEVELS
from reports.result_changes import ResultChanges

# Characters; GitHub takes 65,536.
LONGEST_COMMENT = 65000
STATUS = """\
Exit status: 0 no regression, 1 a regression, 2 a wrong command line, a file that
cannot be read or written, is of another format, or is of a run that was interrupted."""


def build(template, changes, most=None):
    """The report by one of the templates conformance_comparison.*.j2. `most`: rows of a list; None: all."""
    return page.render(
        template,
        changes=changes,
        most=most,
        names=_names(changes.old, changes.new),
        counts=_counts(changes),
        required=_required(changes),
        status=case_status.of_case,
    )


def build_comment(changes):
    """The Markdown, with as many rows as a comment on GitHub can have."""
    for most in (None, 200, 100, 50, 20, 10, 5):
        text = build("conformance_comparison.md.j2", changes, most)
        if len(text) <= LONGEST_COMMENT:
            break
    return text


def _names(old, new):
    """The names of the two runs; two runs of one version are named by their start."""
    names = [" ".join(filter(None, conformance_result.title(result))) for result in (old, new)]
    if names[0] != names[1]:
        return names
    return [f"{name}{_when(result)}" for name, result in zip(names, (old, new))]


def _when(result):
    """An accepted result has no time."""
    if result["started"] is None:
        return ", accepted"
    return " of " + result["started"].replace("T", " ").rstrip("Z")


def _counts(changes):
    """The parts of the headline: ["2 regressions", "1 better"]; empty for no change."""
    if changes.is_without_changes():
        return []
    number = len(changes.regressions)
    named = [
        (changes.better, "better"),
        (changes.other, "changed otherwise"),
        (changes.rewritten, "rewritten"),
        (changes.added, "new"),
        (changes.gone, "gone"),
    ]
    return [
        f"{number or 'no'} regression{'s' * (number != 1)}",
        *(f"{len(cases)} {name}" for cases, name in named if cases),
        f"{changes.same} the same",
    ]


def _required(changes):
    """The headline of NEW, and of OLD where it is another of the same cases."""
    was, now = ("{passed} of {cases}".format(**result["headline"]["required"]) for result in (changes.old, changes.new))
    is_comparable = not (changes.not_asked_in_old or changes.not_asked_in_new)
    return f"{now} passed" + (f", was {was}" if was != now and is_comparable else "")


def _levels(text):
    names = text.split(",")
    for name in names:
        if name not in LEVELS:
            raise argparse.ArgumentTypeError(f"wanted levels of {', '.join(LEVELS)}, got '{name}'")
    return names


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(
        prog=program_name(),
        description=__doc__,
        epilog=f"{case_change.RULES}\n\n{STATUS}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    version_option.add(parser)
    parser.add_argument("old", metavar="OLD", help="result JSON of a run before the change, or the accepted one")
    parser.add_argument("new", metavar="NEW", help="the same after it")
    parser.add_argument(
        "--enforce",
        metavar="LEVELS",
        type=_levels,
        default=[],
        help="levels that have to hold in addition to the required one, separated by commas [none]",
    )
    parser.add_argument("--markdown", metavar="FILE", help="write it as Markdown, for a comment on a pull request")
    parser.add_argument("--json", metavar="FILE", help="write it for programs")
    parser.add_argument("--junit", metavar="FILE", help="write NEW's cases as JUnit; only a regression is a failure")
    return parser.parse_args(arguments)


def make(options):
    """Prints, and writes the requested files; 1 for a regression. Errors: ReportError, OSError."""
    markdown, as_json, junit = map(command.output, (options.markdown, options.json, options.junit))
    old, new = (conformance_result.load_to_compare(user_path(path)) for path in (options.old, options.new))
    changes = ResultChanges(old, new, options.enforce)
    if "-" not in (options.markdown, options.json, options.junit):
        print(build("conformance_comparison.txt.j2", changes), end="")
    if options.markdown:
        markdown.write(build_comment(changes))
    if options.junit:
        junit.write(change_junit.to_junit(changes))
    as_json.write(json.dumps(changes.to_json(), indent=2, ensure_ascii=False) + "\n")
    return 1 if changes.regressions else 0


def main(arguments=None):
    """The exit status; for 2 with a line on stderr that says what is wrong."""
    options = parse_arguments(arguments)
    return command.run(lambda: make(options), on_error=2)


if __name__ == "__main__":
    sys.exit(main())

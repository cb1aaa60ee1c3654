"""Counts test cases from the events and XML of one `bazel test` and names the failed ones.

    python3 tools/summarize_tests.py EVENTS.json --bazel_exit_code=3

EVENTS.json is what `--build_event_json_file` wrote. The last line is `N passed, N failed`.
Counted as failed, in addition to failed cases:
  a target that crashed or timed out, or otherwise failed without a failed case;
  a target that did not build;
  a GoogleTest program that ended well but before its report, as exit(0) in a test makes it;
  Bazel itself, when it failed and nothing above explains that.
Skipped and disabled cases count as neither, and so does a target that --test_tag_filters leaves out; what is
skipped is named. Exit status: 1 when anything
failed, else 0.
"""

import argparse
import json
import sys
import urllib.parse
import xml.etree.ElementTree

SKIPPED = "SKIPPED"


class Summary:
    """What was found: a count of passed cases, lines for the failed and the skipped."""

    def __init__(self):
        self.passed = 0
        self.failed = []
        self.skipped = []

    def text(self):
        lines = ["SKIPPED %s" % line for line in sorted(self.skipped)]
        lines += ["FAILED  %s" % line for line in sorted(self.failed)]
        if self.skipped:
            lines.append("%d skipped" % len(self.skipped))
        lines.append("%d passed, %d failed" % (self.passed, len(self.failed)))
        return "\n".join(lines)


def read_events(path):
    """The events of the file; a last line cut short (Bazel was killed) is left out."""
    events = []
    try:
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                try:
                    events.append(json.loads(line))
                except ValueError:
                    break
    except FileNotFoundError:
        pass  # Bazel did not even start.
    return events


def test_kinds(events):
    """Label -> rule, for every requested test target."""
    kinds = {}
    for event in events:
        key = event["id"].get("targetConfigured")
        kind = event.get("configured", {}).get("targetKind", "")
        if key and kind.endswith("_test rule"):
            kinds[key["label"]] = kind
    return kinds


def last_attempts(events):
    """(label, run, shard) -> the result of its last attempt."""
    attempts = {}
    for event in events:
        key = event["id"].get("testResult")
        if not key or "testResult" not in event:
            continue
        place = (key["label"], key.get("run", 1), key.get("shard", 1))
        attempt = key.get("attempt", 1)
        if place not in attempts or attempt >= attempts[place][0]:
            attempts[place] = (attempt, event["testResult"])
    return {place: result for place, (_, result) in attempts.items()}


def read_cases(result):
    """The `testcase` elements of the result's test.xml; none where it is absent or broken."""
    for output in result.get("testActionOutput", []):
        if output.get("name") == "test.xml" and output.get("uri", "").startswith("file://"):
            path = urllib.parse.unquote(urllib.parse.urlparse(output["uri"]).path)
            try:
                return list(xml.etree.ElementTree.parse(path).getroot().iter("testcase"))
            except (OSError, xml.etree.ElementTree.ParseError):
                return []
    return []


def written_by_bazel(label, cases):
    """Bazel writes one case, named after the target, where the test wrote no report itself."""
    return len(cases) == 1 and cases[0].get("name") == label.lstrip("/").replace(":", "/")


def case_name(label, case):
    suite, name = case.get("classname", ""), case.get("name", "")
    return label if label.lstrip("/").replace(":", "/") == name else "%s %s.%s" % (label, suite, name)


def add_result(summary, label, kind, result):
    status = result.get("status", "NO_STATUS")
    cases = read_cases(result)
    if status == "PASSED" and kind == "cc_test rule" and written_by_bazel(label, cases):
        summary.failed.append("%s (ended before its report was written)" % label)
        return
    failed_before = len(summary.failed)
    for case in cases:
        if case.get("status") == "notrun":
            continue
        if case.find("failure") is not None or case.find("error") is not None:
            why = "" if status == "FAILED" else " (%s)" % status.lower()
            summary.failed.append(case_name(label, case) + why)
        elif case.find("skipped") is not None or case.get("result") == "skipped":
            summary.skipped.append(case_name(label, case))
        else:
            summary.passed += 1
    if status == "PASSED" and not cases:
        summary.passed += 1
    if status not in ("PASSED", "FLAKY") and len(summary.failed) == failed_before:
        summary.failed.append("%s (%s)" % (label, status.lower()))


def tag_filters(events):
    """The tags of --test_tag_filters, as of the command line or of a --config: (wanted, unwanted)."""
    tags = []
    for event in events:
        for option in event.get("optionsParsed", {}).get("cmdLine", []):
            name, _, value = option.partition("=")
            if name == "--test_tag_filters":
                tags = value.split(",")
    return {tag for tag in tags if tag[:1] not in "-"}, {tag[1:] for tag in tags if tag[:1] == "-"}


def add_unbuilt(summary, events, kinds, ran):
    """Test targets that never ran: incompatible and unrequested ones are skipped, the others failed."""
    completed = {}
    wanted, unwanted = tag_filters(events)
    for event in events:
        key = event["id"].get("targetCompleted")
        if key:
            completed[key["label"]] = event
    for label in sorted(set(kinds) - ran):
        event = completed.get(label, {})
        if event.get("aborted", {}).get("reason") == SKIPPED:
            summary.skipped.append("%s (not for this machine)" % label)
            continue
        tags = set(event.get("completed", {}).get("tag", []))
        if tags & unwanted or (wanted and not tags & wanted):
            summary.skipped.append("%s (left out by its tags)" % label)
        elif event.get("completed", {}).get("success"):
            summary.failed.append("%s (did not run)" % label)
        else:
            summary.failed.append("%s (did not build)" % label)


def summarize(events, bazel_exit_code):
    summary = Summary()
    kinds = test_kinds(events)
    attempts = last_attempts(events)
    for (label, _, _), result in sorted(attempts.items()):
        add_result(summary, label, kinds.get(label, ""), result)
    add_unbuilt(summary, events, kinds, {label for label, _, _ in attempts})
    if bazel_exit_code and not summary.failed:
        summary.failed.append("bazel (exit status %d; see its messages above)" % bazel_exit_code)
    return summary


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("events")
    parser.add_argument("--bazel_exit_code", type=int, default=0)
    options = parser.parse_args(arguments)
    summary = summarize(read_events(options.events), options.bazel_exit_code)
    print(summary.text())
    return 1 if summary.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

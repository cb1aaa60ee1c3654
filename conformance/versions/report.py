"""What the versions of a framework did, for people and for programs."""

import os

from reports import case_status, expectation_text, page, program_text, result_changes

FORMAT = 1  # of as_json; docs/formats.md
TEMPLATES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "templates")


def build(kind, framework, entries, table):
    """The report by the template versions.<kind>.j2: txt, md or html.

    entries: [version_run.VersionResult]; table: the VersionTable of those that have a result
    """
    return page.render(
        os.path.join(TEMPLATES, f"versions.{kind}.j2"),
        framework=framework,
        problems=[entry for entry in entries if entry.problem],
        table=table,
        statuses=_used(table) if kind == "txt" else case_status.ALL.values(),
        first_difference=_first_difference,
        settings=_settings(table),
        program_lines=program_text.lines,
        value_text=program_text.value,
        describe=expectation_text.describe,
        condition=expectation_text.condition,
    )


def as_json(framework, entries, table):
    """The report as a value of JSON."""
    columns = {column["key"]: column for column in table.columns}
    return {
        "format": FORMAT,
        "framework": framework,
        "versions": [_version_json(entry, columns.get(entry.version)) for entry in entries],
        "cases": table.total,
        "same": table.same,
        **{name: [_case_json(case, table) for case in getattr(table, name)] for name in ("changed", "otherwise")},
    }


def _version_json(entry, column):
    if not column:
        return {"version": entry.version, "problem": entry.problem}
    result = entry.result
    return {
        "version": entry.version,
        "implementation": result["testee"]["implementation"],
        "started": result["started"],
        "duration_s": result["duration_s"],
        "headline": result["headline"],
        "verdicts": dict(column["counts"]),
    }


def _case_json(case, table):
    row = case.row
    return {
        "id": row["case"]["id"],
        "level": row["case"]["level"],
        "verdicts": table.verdicts(case),
        "changes": [
            {
                "in": table.columns[step.index]["key"],
                "kind": step.change.kind,
                **result_changes.change_json(step.change),
            }
            for step in case.changes
        ],
    }


def _first_difference(case, columns):
    """(version, text): where the case changes first, and what differs there; the text may be empty."""
    step = case.changes[0]
    differences = step.change.differences
    text = differences[0].text if differences else ""
    if differences and len(step.change.new["runs"]) > 1:
        text = f"replicas {differences[0].given.get('replicas', 1)}: {text}"
    return columns[step.index]["key"], text


def _settings(table):
    """(version, Setting) of what the testee did otherwise than with the version before, apart from its name."""
    pairs = zip(table.columns, table.columns[1:])
    return [
        (new["key"], setting)
        for old, new in pairs
        for setting in result_changes.settings(old["result"], new["result"])
        if setting.name != "implementation"
    ]


def _used(table):
    """The statuses in the rows of what changed."""
    found = {status for case in table.changed for status in case.row["statuses"]}
    return [status for status in case_status.ALL.values() if status.id in found]

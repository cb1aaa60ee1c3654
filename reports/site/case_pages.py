"""The table of all cases, and a page for each topic with its cases: program, expectation, every answer."""

from reports import case_status, conformance_matrix, expectation_text, program_text
from reports.conformance_result import LEVELS
from reports.site import addresses


def add(pages, content):
    table = content.table
    pages.add(
        addresses.CASES,
        "cases.html.j2",
        table=table,
        statuses=case_status.ALL.values(),
        kinds=case_status.KINDS,
        levels=LEVELS,
    )
    statements = conformance_matrix.by_case(content.catalogue.statements)
    for area in table.areas:
        for topic in area["topics"]:
            _add_topic(pages, table.columns, area["name"], topic, statements)


def _add_topic(pages, columns, area, topic, statements):
    pages.add(
        addresses.topic(topic["rows"][0]["case"]["id"]),
        "topic.html.j2",
        area=area,
        topic=topic,
        columns=columns,
        statements=statements,
        program_lines=program_text.lines,
        value_text=program_text.value,
        describe=expectation_text.describe,
        condition=expectation_text.condition,
    )

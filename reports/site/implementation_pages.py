"""A page for each implementation: what it keeps, breaks and does not have, and its badge."""

from reports import badge, dialect_difference
from reports.site import addresses

# What became of the promise: field of Promise, title, choice of the filter, meaning.
WORDS = (
    ("kept", "Kept", "passed", "N replicas learned, read and measured what one would have."),
    (
        "departed",
        "By convention",
        "departed",
        "The implementation documents that it does something else there, and does exactly that.",
    ),
    ("broken", "Broken", "broken", "It does something else, and no document of its own says so."),
    ("unsupported", "Unsupported", "unsupported", "It does not have what the case needs."),
)


def add(pages, content):
    """Adds a page and a badge for each column of the table."""
    for index, column in enumerate(content.table.columns):
        promise, others = _otherwise(content.table, index)
        path = addresses.implementation(column["key"])
        pages.add(
            path,
            "implementation.html.j2",
            column=column,
            words=WORDS,
            promise=promise,
            others=others,
            missing=_missing(column["result"]),
            areas=[(area["name"], *area["passed"][index]) for area in content.table.areas],
            conventions=_conventions(column["result"], content.conventions),
            neighbours=[other for other in content.table.columns if other is not column],
            badge_text=badge.describe([column]),
        )
        pages.files[addresses.badge(column["key"])] = badge.svg(column)


def _otherwise(table, index):
    """([(cell, why)] of the promise, those of all other cases)."""
    asked, others = [], []
    for cell, why in table.otherwise(index):
        case = cell["case"]
        is_promise = case["tier"] == "intents" and case["level"] == "required"
        (asked if is_promise else others).append((cell, why))
    return asked, others


def _missing(result):
    cases = [case for case in result["cases"] if case["verdict"] == "unsupported"]
    return dialect_difference.by_missing_step((case, case) for case in cases)


def _conventions(result, conventions):
    """[(question, its answer)] of the conventions that the implementation declares."""
    declared = result["testee"]["conventions"]
    return [
        (convention["question"], value["means"])
        for convention in conventions
        for value in convention["values"]
        if declared.get(convention["id"]) == value["id"]
    ]

"""How a case file is written: what fits on a line is on one, the rest is indented by two.

text = case_format.dump(case_format.load(text))
"""

import json

from reports import json_text

WIDTH = 110


def load(text):
    """Parses JSON as strictly as the runner does. Errors: json_text.JsonError, a ValueError."""
    return json_text.parse(text)


def dump(value):
    """The only right form of a file with this content."""
    return _dump(value, 0, 0) + "\n"


def _dump(value, indent, lead):
    """`lead`: the columns before the value on its line, and one for the comma after it."""
    line = json.dumps(value, ensure_ascii=False)
    long_list = isinstance(value, list) and value and isinstance(value[0], dict) and indent < 4
    if (len(line) + lead <= WIDTH and not long_list) or not isinstance(value, (dict, list)) or not value:
        return line
    inner = indent + 2
    pad = "\n" + " " * inner
    if isinstance(value, dict):
        items = []
        for key, item in value.items():
            start = "%s: " % json.dumps(key, ensure_ascii=False)
            items.append(start + _dump(item, inner, inner + len(start) + 1))
        return "{" + pad + ("," + pad).join(items) + "\n" + " " * indent + "}"
    items = [_dump(item, inner, inner + 1) for item in value]
    return "[" + pad + ("," + pad).join(items) + "\n" + " " * indent + "]"

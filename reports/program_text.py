"""Writes a conformance program the way people write programs."""

# A step's fields other than its arguments, and `of`, which needs no name.
_OUTSIDE = ("let", "observe", "step", "of", "as", "args", "program", "return")
_INDENT = "    "


def lines(program, depth=0):
    """One line a step; a block stands indented below its step.

    >>> lines([{"let": "n", "step": "dataset.range", "stop": 6},
    ...        {"observe": "seen", "step": "value.show", "of": "n"}])
    ['n = dataset.range(stop=6)', 'observe seen = value.show(n)']
    """
    text = []
    for step in program:
        text.append(_INDENT * depth + _step(step))
        if "program" in step:
            text += lines(step["program"], depth + 1)
        if "return" in step:
            result = value(step["return"])
            text.append(f"{_INDENT * (depth + 1)}return {result}")
    return text


def value(literal):
    """A literal, a structure of names, or a parameter: `{a: [1, x]}`, `<batch>`."""
    if isinstance(literal, dict):
        if set(literal) == {"parameter"}:
            return f"<{literal['parameter']}>"
        return "{" + ", ".join(f"{k}: {value(v)}" for k, v in literal.items()) + "}"
    if isinstance(literal, list):
        return "[" + ", ".join(value(item) for item in literal) + "]"
    if isinstance(literal, bool):
        return "true" if literal else "false"
    return "nothing" if literal is None else str(literal)


def _step(step):
    arguments = [value(step["of"])] if "of" in step else []
    named = {**{k: v for k, v in step.items() if k not in _OUTSIDE}, **step.get("args", {})}
    arguments += [f"{name}={value(argument)}" for name, argument in named.items()]
    text = f"{step['step']}({', '.join(arguments)})"
    if "let" in step:
        text = f"{step['let']} = {text}"
    if "observe" in step:
        text = f"observe {step['observe']} = {text}"
    if "as" in step:
        text += f" as {step['as']}"
    return text + (":" if "program" in step else "")

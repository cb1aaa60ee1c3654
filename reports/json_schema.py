"""JSON schemas of draft 7, to which NaN and infinities are no numbers.

schema = Schema({'properties': {'a': {'items': {'type': 'integer'}}}})
schema.misfit({'a': [1]})             # None
schema.misfit({'a': [1, 'x']})        # $["a"][1]: 'x' is not of type 'integer'
"""

import json
import math

import jsonschema

LONGEST = 200  # of a message, which may quote all of a document


def _is_finite(_, value):
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return is_number and math.isfinite(value)


_VALIDATOR = jsonschema.validators.extend(
    jsonschema.Draft7Validator, type_checker=jsonschema.Draft7Validator.TYPE_CHECKER.redefine("number", _is_finite)
)


class Schema:
    """`document`: the schema, as json_text gives it."""

    def __init__(self, document):
        self._validator = _VALIDATOR(document)

    def misfit(self, content):
        """The place and what is wrong there, of several the one that says most; None where the content fits."""
        error = jsonschema.exceptions.best_match(self._validator.iter_errors(content))
        return error and _text(error)

    def misfits(self, content):
        """All of them."""
        return [_text(error) for error in sorted(self._validator.iter_errors(content), key=str)]


def _text(error):
    place = "".join(f"[{json.dumps(step)}]" for step in error.absolute_path)
    return f"${place}: {error.message[:LONGEST]}"

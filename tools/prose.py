"""The prose of a file: of a document all but its code, of a program its comments and texts.

Each function returns a text with as many lines as the file and with NO_WORD in place of what is not prose, so that
a phrase may continue on the next line and a match has its line.
"""

import io
import re
import tokenize

NO_WORD = "#"
_FENCE = re.compile(r"\s*```")
_NOT_PROSE = re.compile(r"`[^`]*`|\]\([^)]*\)|<!--.*?-->|https?://\S+")
# Code in a comment or a text: `x`, {x} of an f-string, an escaped quote, a link.
_CODE = re.compile(r"`[^`\n]*`|\{[^{}\n]*\}|\\[\"']|https?://\S+")
_STRINGS = {tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}
# A character literal is there because its quote may begin no text.
_CPP = re.compile(
    r"//[^\n]*"
    r'|R"(?P<end>[^(\s]*)\(.*?\)(?P=end)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?P<code>'(?:\\[^']+|[^'\\\n])')",
    re.DOTALL,
)
_SPACE = re.compile(r"\s")
_MARK = re.compile(r"^\s*(?://+|#+)", re.MULTILINE)


def of_markdown(text, keep_headings=False):
    """`keep_headings`: headings are not prose."""
    lines, inside = [], False
    for line in text.split("\n"):
        fence = _FENCE.match(line)
        code = inside or fence or line.startswith("    ") or (keep_headings and line.startswith("#"))
        inside ^= bool(fence)
        lines.append(NO_WORD if code else _NOT_PROSE.sub(NO_WORD, line))
    return "\n".join(lines)


def of_python(text):
    """Of Starlark too. Errors: tokenize.TokenError, SyntaxError."""
    lines = text.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    found = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT or (token.type in _STRINGS and _SPACE.search(token.string)):
            found.append((starts[token.start[0] - 1] + token.start[1], starts[token.end[0] - 1] + token.end[1]))
    return _only(text, found)


def of_cpp(text):
    found = (match for match in _CPP.finditer(text) if match["code"] is None and _SPACE.search(match.group()))
    return _only(text, [match.span() for match in found])


def _only(text, places):
    """Pieces of prose that only white space separates, as a comment's lines, stay one text."""
    parts, end = [], 0
    for first, last in places:
        parts += [_hidden(text[end:first]), _prose(text[first:last])]
        end = last
    return "".join([*parts, _hidden(text[end:])])


def _hidden(code):
    return (NO_WORD if code.strip() else " ") + "\n" * code.count("\n")


def _prose(piece):
    plain = _CODE.sub(NO_WORD, _MARK.sub(" ", piece))
    return plain.replace("\\n", " ").strip("\"'")

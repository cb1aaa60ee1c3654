"""The Markdown within a line of our data, as HTML: code, links, and issues of GitHub by their short names."""

import re

import markupsafe

# In order: `code`, [words](address), owner/name#1, and #2 after it, of the same repository.
_MARK = re.compile(
    r"`(?P<code>[^`]+)`"
    r"|\[(?P<words>[^\]]+)\]\((?P<address>https://[^\s)]+)\)"
    r"|(?P<repository>\b[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+)#(?P<issue>\d+)"
    r"|(?<=[ (])#(?P<next>\d+)"
)


def render(text):
    """HTML of the text; whatever else is in it is shown as it is.

    >>> render("`a<b` in keras-team/keras#7")
    Markup('<code>a&lt;b</code> in <a href="https://github.com/keras-team/keras/issues/7">keras-team/keras#7</a>')
    """
    parts, end, repository = [], 0, None
    for mark in _MARK.finditer(text):
        repository = mark["repository"] or repository
        parts += [markupsafe.escape(text[end : mark.start()]), _html(mark, repository)]
        end = mark.end()
    return markupsafe.Markup("").join([*parts, markupsafe.escape(text[end:])])


def _html(mark, repository):
    if mark["code"]:
        return markupsafe.Markup("<code>{}</code>").format(mark["code"])
    if mark["words"]:
        return _link(mark["address"], mark["words"])
    if not repository:
        return markupsafe.escape(mark.group())
    return _link(f"https://github.com/{repository}/issues/{mark['issue'] or mark['next']}", mark.group())


def _link(address, words):
    return markupsafe.Markup('<a href="{}">{}</a>').format(address, words)

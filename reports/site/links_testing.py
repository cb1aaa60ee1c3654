"""Follows the links of a site within its folder."""

import html
import posixpath
import re
import urllib.parse

_LINK = re.compile(r"<(?:a|img|link|script|source|iframe)\b[^>]*?\s(?:href|src)=\"([^\"]*)\"")
_ID = re.compile(r"<[a-z][^>]*?\sid=\"([^\"]*)\"")


def dead(files):
    """Lines "page: link" for each link to a file or place that the folder does not have.

    files: path -> text. Links out of the folder, which begin with https:, are not followed. What a filter chooses,
    after the # of a page with a filter, is no place.
    """
    places = {path: set(map(html.unescape, _ID.findall(text))) for path, text in files.items()}
    return [
        f"{path}: {link}"
        for path, text in files.items()
        if path.endswith(".html")
        for link in dict.fromkeys(map(html.unescape, _LINK.findall(text)))
        if not link.startswith("https:") and not _leads(path, link, places)
    ]


def _leads(path, link, places):
    address, _, fragment = link.partition("#")
    target = posixpath.normpath(posixpath.join(posixpath.dirname(path), urllib.parse.unquote(address)))
    target = target if address else path
    if target not in places:
        return False
    return not fragment or "=" in fragment or urllib.parse.unquote(fragment) in places[target]

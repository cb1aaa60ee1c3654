"""Finds the address in what a deviation gives as its reference."""

import re

_ADDRESS = re.compile(r"https://[^\s<>\"')]+[^\s<>\"').,;]")
_ISSUE = re.compile(r"\b([A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+)#([0-9]+)\b")


def find(text):
    """The first address in it, of an issue written owner/name#number too; or None.

    >>> find("see keras-team/keras#20609")
    'https://github.com/keras-team/keras/issues/20609'
    """
    address = _ADDRESS.search(text)
    if address:
        return address.group()
    issue = _ISSUE.search(text)
    return f"https://github.com/{issue[1]}/issues/{issue[2]}" if issue else None

"""Finds the address in what a deviation gives as its reference."""

import re

_ADDRESS = re.compile(r"https://[^\s<>\"')]+[^\s<>\"').,;]")
_NAME = r"\b([A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+)"
_ISSUE = re.compile(_NAME + r"#([0-9]+)\b")
_FILE = re.compile(_NAME + r":([A-Za-z0-9_./-]+\.[A-Za-z0-9]+)")


def find(text):
    """The first address in it, of an issue or a file of GitHub too; or None.

    >>> find("see keras-team/keras#20609")
    'https://github.com/keras-team/keras/issues/20609'
    >>> find("keras-team/keras:keras/src/losses/loss.py (reduce)")
    'https://github.com/keras-team/keras/blob/HEAD/keras/src/losses/loss.py'
    """
    if address := _ADDRESS.search(text):
        return address.group()
    if issue := _ISSUE.search(text):
        return f"https://github.com/{issue[1]}/issues/{issue[2]}"
    if file := _FILE.search(text):
        return f"https://github.com/{file[1]}/blob/HEAD/{file[2]}"
    return None

"""Fails on words that a reader of the documents stumbles over, each with the word to use instead.

    ./bazelw run //tools:check_english

Looks at every Markdown file, but for code blocks, code spans and the targets of links, and but for those listed here.
It prints one line a problem:
    docs/ci.md:12: "anew": say "again"
"""

import fnmatch
import re
import sys

from tools import source_tree

# Word or phrase, as a regular expression without case -> the words to use instead.
BETTER = {
    r"anew": "again",
    r"behind (?:an?|each|every|it|one|that|the|them|this|these|those|which)": "after",
    r"one behind the other": "one after the other",
    r"lack(?:s|ed|ing)?": "does not have, is missing",
    r"whoever": "any program that, the caller",
    r"nobody": "no thread, no process, none",
    r"(?:some|any|every)body": "a caller, another user, any process, all workers",
    r"mend(?:s|ed|ing)?": "fix",
    r"wish(?:es|ed)?": "request, configuration",
    r"put to|puts (?:it|them|(?:all |every )?cases?) to": "run against",
    r"ask(?:s|ed)? (?:of|nobody)": "require, run",
    r"seal(?:s|ed|ing)?": "checksum, close",
    r"h(?:e|o)ld(?:s|ing)?(?: [\w/]+){0,5} against": "compare with",
    r"held to": "compared with",
    r"agreements? falls?|falls? with": "becomes stale",
    r"(?:is|are|was|were|be|being|not) told|told (?:alone|beside|on|to)": "is reported, receives",
    r"tells? (?:of|what|how|when|which|who|each)": "reports, says",
    r"its kin": "similar operations",
    r"for ever": "forever",
    r"laid down": "specified",
    r"hitherto|whence|thence|therein|thereof": "a modern word",
    r"(?:copy|one|thread|value|process|core|entry|rank|mask|group) a (?:replica|worker|rank|thread|case|step)": "per",
    r"lies? with the host": "is on the host",
    r"in truth": "in fact",
    r"rooms of (?:its|their) own|the rooms": "folders",
    r"strangers?": "unknown clients",
    r"makes? no sense": "is invalid",
    r"without a word": "without a message",
    r"gives? up (?:on|over)": "abort",
}
# Not rewritten yet: the list only shrinks. Patterns, as of a shell.
LATER = ("conformance/*.md", "conformance/*/*.md", "docs/protocol.md", "docs/testees.md")

# Documents whose headings cases cite: a heading stays as it is.
CITED = ("docs/design.md",)

WORDS = [(re.compile(r"\b(?:%s)\b" % words, re.IGNORECASE), better) for words, better in BETTER.items()]
FENCE = re.compile(r"\s*```")
NOT_PROSE = re.compile(r"`[^`]*`|\]\([^)]*\)|<!--.*?-->|https?://\S+")


def blank(match):
    """Something as long that holds no word."""
    return " " * len(match.group())


def prose(lines):
    """(number, text) of each line, without code and targets of links."""
    inside = False
    for number, line in enumerate(lines, 1):
        if FENCE.match(line):
            inside = not inside
        elif not inside and not line.startswith("    "):
            yield number, NOT_PROSE.sub(blank, line)


def check_lines(path, lines):
    problems = []
    for number, text in prose(lines):
        if path in CITED and text.startswith("#"):
            continue
        for words, better in WORDS:
            for match in words.finditer(text):
                problems.append('%s:%d: "%s": say "%s"' % (path, number, match.group(), better))
    return problems


def is_later(path):
    return any(fnmatch.fnmatchcase(path, pattern) for pattern in LATER)


def check(root):
    problems = []
    for path in source_tree.list_files(root, (".md",)):
        if not is_later(path):
            problems += check_lines(path, source_tree.read_lines(root, path))
    return problems


if __name__ == "__main__":
    sys.exit(source_tree.run(check))

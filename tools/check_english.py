"""Fails on words that stop a reader of the documents, each with a better one.

    ./bazelw run //tools:check_english

Looks at every Markdown file, without code and targets of links, and prints one line per problem:
    docs/ci.md:12: "anew": say "again"
"""

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
    r"told": "reported, informed",
    r"tells? (?:of|what|how|when|which|who|each)": "reports, says",
    r"its kin": "similar operations",
    r"for ever": "forever",
    r"laid down": "specified",
    r"(?:copy|one|thread|value|process|core|mask|group) a (?:replica|worker|rank|thread|case|step)": "one per replica",
    r"lies? with the host": "is on the host",
    r"in truth": "in fact",
    r"rooms of (?:its|their) own|the rooms": "folders",
    r"strangers?": "unknown clients",
    r"makes? no sense": "is invalid",
    r"without a word": "without a message",
    r"gives? up (?:on|over)": "abort",
    r"alike": "the same, equally",
    r"as ever": "as usual",
    r"at hand": "available",
    r"victims?|harm(?:s|ed)?": "target, fault",
    r"besides": "in addition, also",
    r"by heart": "memorize",
    r"over and over": "repeatedly",
    r"processor time": "CPU time",
    r"wants|wanted": "needs, required",
    r"lies? (?:in|on|beside|below|with|within|apart|there)": "is in",
    r"stands? (?:in|beside|with|below|under|on|there|once)": "is in, is listed",
}
# Documents whose headings cases cite: a heading stays as it is.
CITED = ("docs/design.md",)

# A phrase may be broken into lines.
WORDS = [
    (re.compile(r"\b(?:%s)\b" % words.replace(" ", r"\s+"), re.IGNORECASE), better) for words, better in BETTER.items()
]
FENCE = re.compile(r"\s*```")
NOT_PROSE = re.compile(r"`[^`]*`|\]\([^)]*\)|<!--.*?-->|https?://\S+")
NO_WORD = "#"


def prose(path, lines):
    """The text, as many lines, with a mark in place of what is not prose: code, targets of links."""
    inside = False
    for line in lines:
        fence = FENCE.match(line)
        code = inside or fence or line.startswith("    ")
        inside ^= bool(fence)
        heading = path in CITED and line.startswith("#")
        yield NO_WORD if code or heading else NOT_PROSE.sub(NO_WORD, line)


def check_lines(path, lines):
    text = "\n".join(prose(path, lines))
    found = [(match, better) for words, better in WORDS for match in words.finditer(text)]
    return [
        '%s:%d: "%s": say "%s"'
        % (path, text.count("\n", 0, match.start()) + 1, " ".join(match.group().split()), better)
        for match, better in sorted(found, key=lambda each: each[0].start())
    ]


def check(root):
    problems = []
    for path in source_tree.list_files(root, (".md",)):
        problems += check_lines(path, source_tree.read_lines(root, path))
    return problems


if __name__ == "__main__":
    sys.exit(source_tree.run(check))

"""Fails on words that stop a reader of the documents or of the code, each with a better one.

    ./bazelw run //tools:check_english

Looks at every Markdown file, without code and targets of links, and, for the words that are always wrong there, at
the comments and texts of Python, Starlark and C++. Prints one line per problem:
    docs/ci.md:12: "anew": say "again"
"""

import re
import sys

from tools import prose, source_tree

# Word or phrase, as a regular expression without case -> the words to use instead.
EVERYWHERE = {
    r"anew": "again",
    r"behind (?:it|them|the last)": "after",
    r"one behind the other": "one after the other",
    r"whoever": "any program that, the caller",
    r"nobody": "no thread, no process, none",
    r"(?:some|any|every)body": "a caller, another user, any process, all workers",
    r"mend(?:s|ed|ing)?": "fix",
    r"wish(?:es|ed)?": "request, configuration",
    r"h(?:e|o)ld(?:s|ing)?(?: [\w/]+){0,5} against": "compare with",
    r"told": "reported, informed",
    r"for ever": "forever",
    r"(?:copy|one|thread|value|process|core|mask|group) a (?:replica|worker|rank|thread|case|step)": "one per replica",
    r"alike": "the same, equally",
    r"at hand": "available",
    r"victims?": "target",
    r"besides": "in addition, also",
    r"processor times?": "CPU time",
    r"lies? (?:in|on|with)": "is in, is on",
    r"stands? (?:in|on)": "is in, is on",
}
IN_DOCUMENTS = {
    r"behind (?:an?|each|every|one|that|the(?! last)|this|these|those|which)": "after",
    r"lack(?:s|ed|ing)?": "does not have, is missing",
    r"put to|puts (?:it|them|(?:all |every )?cases?) to": "run against",
    r"ask(?:s|ed)? (?:of|nobody)": "require, run",
    r"seal(?:s|ed|ing)?": "checksum, close",
    r"held to": "compared with",
    r"agreements? falls?|falls? with": "becomes stale",
    r"tells? (?:of|what|how|when|which|who|each)": "reports, says",
    r"its kin": "similar operations",
    r"laid down": "specified",
    r"in truth": "in fact",
    r"rooms of (?:its|their) own|the rooms": "folders",
    r"strangers?": "unknown clients",
    r"makes? no sense": "is invalid",
    r"without a word": "without a message",
    r"gives? up (?:on|over)": "abort",
    r"as ever": "as usual",
    r"harm(?:s|ed)?": "fault",
    r"by heart": "memorize",
    r"over and over": "repeatedly",
    r"wants|wanted": "needs, required",
    r"lies? (?:beside|below|within|apart|there)": "is in",
    r"stands? (?:beside|with|below|under|there|once)": "is in, is listed",
}
# Documents whose headings cases cite: a heading stays as it is.
CITED = ("docs/design.md",)
# They quote the words.
EXEMPT = {"tools/check_english.py", "tools/prose_test.py", "tools/tree_checks_test.py"}


def _compile(words, separator):
    return re.compile(r"\b(?:%s)\b" % words.replace(" ", separator), re.IGNORECASE)


def _patterns(better):
    """A phrase may be broken into lines."""
    return [(_compile(words, r"\s+"), instead) for words, instead in better.items()]


CODE_WORDS = _patterns(EVERYWHERE)
DOCUMENT_WORDS = _patterns({**EVERYWHERE, **IN_DOCUMENTS})
# Whether a file may have a problem at all, before the slower search for its prose.
MAYBE = _compile("|".join(EVERYWHERE), r"[\s/#\"']+")
PROSE = {
    ".py": prose.of_python,
    ".bzl": prose.of_python,
    "BUILD": prose.of_python,
    ".h": prose.of_cpp,
    ".cc": prose.of_cpp,
    ".cu": prose.of_cpp,
    ".cuh": prose.of_cpp,
}


def _problems(path, text, words):
    found = [(match, instead) for pattern, instead in words for match in pattern.finditer(text)]
    return [
        '%s:%d: "%s": say "%s"'
        % (path, text.count("\n", 0, match.start()) + 1, " ".join(match.group().split()), instead)
        for match, instead in sorted(found, key=lambda each: each[0].start())
    ]


def check_lines(path, lines):
    text = "\n".join(lines)
    if path.endswith(".md"):
        return _problems(path, prose.of_markdown(text, keep_headings=path in CITED), DOCUMENT_WORDS)
    prose_of = next(function for suffix, function in PROSE.items() if path.endswith(suffix))
    return _problems(path, prose_of(text), CODE_WORDS) if MAYBE.search(text) else []


def check(root):
    return [
        problem
        for path in source_tree.list_files(root, (".md", *PROSE))
        if path not in EXEMPT
        for problem in check_lines(path, source_tree.read_lines(root, path))
    ]


if __name__ == "__main__":
    sys.exit(source_tree.run(check))

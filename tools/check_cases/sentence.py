"""What a case or a document states: one sentence that says what is, not what ought to be."""

import re

MODAL = re.compile(r"\b(should|must|may|might|shall|ought|would|could)\b", re.IGNORECASE)


def problems(text):
    """What is wrong with the sentence, in words."""
    found = []
    if not text[0].isupper():
        found.append("no capital at the beginning")
    if not text.endswith("."):
        found.append("no full stop at the end")
    if re.search(r"[.?!] ", text):
        found.append("more than one sentence")
    if MODAL.search(text):
        found.append("says what is, not what %s be" % MODAL.search(text).group())
    return found

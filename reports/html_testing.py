"""Reads pages, for the tests of reports."""

import html.parser

VOID = {"meta", "link", "br", "img", "input", "hr", "option", "wbr"}
# What would have to be fetched from elsewhere.
FETCHING = {"img", "script", "link", "iframe", "object", "embed", "video", "audio"}


class Page(html.parser.HTMLParser):
    """A parsed page.

    tags: [(name, attributes)] in order; ids, links: their values; text: what is
    read; problems: tags that do not match, in words; fetched: addresses that the
    page would load.
    """

    def __init__(self, text):
        super().__init__()
        self.tags, self.ids, self.links, self.problems, self.fetched = [], [], [], [], []
        self._open, self._text = [], []
        self.feed(text)
        self.close()
        self.problems += [f"<{tag}> is never closed" for tag in self._open]
        self.text = " ".join("".join(self._text).split())

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.tags.append((tag, attributes))
        if "id" in attributes:
            self.ids.append(attributes["id"])
        if tag == "a":
            self.links.append(attributes.get("href", ""))
        if tag in FETCHING:
            self.fetched += [attributes[a] for a in ("src", "href", "data") if a in attributes]
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        if not self._open or self._open[-1] != tag:
            self.problems.append(f"</{tag}> closes {self._open[-1:]} at {self.getpos()}")
        else:
            self._open.pop()

    def handle_data(self, data):
        if not self._open or self._open[-1] not in ("script", "style"):
            self._text.append(data)

    def all(self, tag, **attributes):
        """The attributes of every such tag."""
        return [
            found for name, found in self.tags if name == tag and all(found.get(k) == v for k, v in attributes.items())
        ]

"""A page of HTML as a test looks at it: every tag is closed, and the tree of its elements."""
from html.parser import HTMLParser

VOID = {"meta", "br", "link", "img", "input", "hr"}


class Element:
    def __init__(self, tag, attributes, parent):
        self.tag, self.attributes, self.parent = tag, dict(attributes), parent
        self.children, self.own = [], []

    def all(self, tag=None):
        for child in self.children:
            if tag is None or child.tag == tag:
                yield child
            yield from child.all(tag)

    def text(self):
        return "".join(part if isinstance(part, str) else part.text() for part in self.own)


class Page(HTMLParser):
    def __init__(self, source):
        super().__init__(convert_charrefs=True)
        self.root = self.at = Element("", {}, None)
        self.problems = []
        self.feed(source)
        self.close()
        if self.at is not self.root:
            self.problems.append(f"<{self.at.tag}> is not closed")

    def handle_starttag(self, tag, attributes):
        names = [name for name, _ in attributes]
        if len(names) != len(set(names)):
            self.problems.append(f"<{tag}> has an attribute twice")
        element = Element(tag, attributes, self.at)
        self.at.children.append(element)
        self.at.own.append(element)
        if tag not in VOID:
            self.at = element

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        if tag in VOID or tag != self.at.tag:
            self.problems.append(f"</{tag}> where <{self.at.tag}> is open")
        else:
            self.at = self.at.parent

    def handle_data(self, data):
        self.at.own.append(data)

    def all(self, tag=None):
        return self.root.all(tag)

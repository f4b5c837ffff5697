"""The model editor in a browser, with a model of its own."""

import shutil
import xml.etree.ElementTree as XML
from pathlib import Path

from browser import ROOT, BrowserTest, Server, built, expect

BOOKS = ROOT / "Examples/Books/App/Books.xcdatamodeld"
LANDMARKS = ("[role=main]", "header.top", "h1")


def program():
    """The command: COREDATA names it, or it is where `swift build` puts it."""
    return built("coredata", "COREDATA")


class Editor(Server):
    """`coredata edit` of a model, which is made if it is not there."""

    def __init__(self, model):
        self.model = Path(model)
        new = [] if self.model.exists() else ["--new"]
        super().__init__(program(), "edit", "--no-open", *new, self.model)


class EditorTest(BrowserTest):
    """A test with an editor of a new model, or of a copy of `sample`, open in a window."""

    sample = None
    # A refused edit is an answer that browsers log.
    allowed = ("422", "409", "400")

    def start_server(self):
        self.folder = self.make_folder()
        name = self.sample.name if self.sample else "Library.xcdatamodeld"
        if self.sample:
            shutil.copytree(self.sample, self.folder / name)
        return Editor(self.folder / name)

    def setUp(self):
        super().setUp()
        self.enter()

    def enter(self, page=None):
        (page or self.page).goto(self.app.entrance)
        expect((page or self.page).locator("#edited")).to_be_visible()

    def reopen(self):
        """Ends the editor, and starts another one of the same model."""
        # No page is left that asks the one that has ended.
        self.page.goto("about:blank")
        self.app.stop()
        self.app = Editor(self.app.model)
        self.enter()

    # Steps

    def contents(self, version=None):
        """The tree of a version on disk."""
        name = version or self.app.model.stem
        return XML.parse(self.app.model / f"{name}.xcdatamodel/contents").getroot()

    def tree(self):
        """The tree as the page has it."""
        return self.document()["root"]

    def document(self):
        """The model as the server has it."""
        return self.page.evaluate("import('/files/api.js').then(({ get }) => get('/api/document'))")

    def revision(self):
        """How many changes the server has seen."""
        return self.document()["revision"]

    def type_name(self, name):
        """Types the name of what was just added."""
        field = self.page.locator("input.renaming")
        expect(field).to_be_focused()
        field.fill(name)
        field.press("Enter")
        expect(field).to_have_count(0)

    def add_entity(self, name):
        self.page.get_by_role("button", name="Add Entity").last.click()
        self.type_name(name)
        expect(self.page.locator("#sidebar .chosen button.name")).to_have_text(name)

    def select_entity(self, name):
        self.page.locator(f"#item-entity-{name}").click()
        expect(self.page.locator("#editor h2")).to_contain_text(name)

    def add_member(self, kind, name):
        self.page.locator(f"#bar-{kind}").click()
        self.type_name(name)
        expect(self.page.locator("#f-name")).to_have_value(name)

    def add_attribute(self, name, type):
        self.add_member("attribute", name)
        self.page.get_by_label(f"Type of {name}").first.select_option(type)
        expect(self.page.locator("#f-attributeType")).to_have_value(type)

    def fill(self, id, value):
        """Fills in a field of the inspector and leaves it."""
        field = self.page.locator(f"#{id}")
        field.fill(value)
        field.press("Enter")
        field.blur()

    def check(self, id, isOn=True):
        self.page.locator(f"#{id}").set_checked(isOn)
        expect(self.page.locator(f"#{id}")).to_be_checked(checked=isOn)

    def save(self):
        self.page.locator("#save").click()
        expect(self.page.locator("#edited")).to_have_text("Saved")

    def element(self, *names):
        """The settings that the page's tree has for an entity, or a property of one."""
        element = self.tree()
        for name in names:
            element = next(child for child in element["children"] if child["settings"].get("name") == name)
        return element["settings"]

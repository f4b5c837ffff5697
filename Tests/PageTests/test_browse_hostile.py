"""A store, and a model, by somebody who means harm: all that they hold is text."""

from xml.sax.saxutils import quoteattr

from browser import BrowserTest, Server
from documents import HOSTILE, stores
from editor import program
from store import StoreTest, expect, import_store

ENTITY = "<img src=x onerror=alert(1)>"
ATTRIBUTE = "a\"><script>alert(2)</script>"
TEXT = "'><svg onload=alert(3)>"

MODEL = f"""<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" sourceLanguage="Swift" userDefinedModelVersionIdentifier="">
    <entity name={quoteattr(ENTITY)} representedClassName="Thing" syncable="YES">
        <attribute name={quoteattr(ATTRIBUTE)} optional="YES" attributeType="String"/>
    </entity>
</model>"""


class Hostile(StoreTest):
    def make(self):
        return import_store(self.folder, "Hostile", [{"name": ENTITY, "objects": [{"objectID": f"{ENTITY}/1", ATTRIBUTE: TEXT}]}], MODEL)

    def enter(self, page=None):
        page = page or self.page
        page.on("dialog", lambda dialog: self.fail("a script ran"))
        page.goto(self.app.entrance)
        expect(page.locator("#title")).to_have_text(ENTITY)

    def test_names_are_text(self):
        page = self.page
        expect(page.locator("table.objects thead")).to_contain_text(ATTRIBUTE)
        expect(page.locator("table.objects tbody")).to_contain_text(TEXT)
        page.locator("table.objects tbody button.link").click()
        expect(page.locator("#object")).to_have_text(TEXT)
        expect(page.locator("#detail")).to_contain_text(ATTRIBUTE)
        page.locator("#mode-chart").click()
        expect(page.locator("svg.bars rect")).to_have_count(1)
        expect(page.locator("#chart-by")).to_contain_text(ATTRIBUTE)
        page.locator("#view-facts").click()
        expect(page.get_by_role("table", name="Version hashes")).to_contain_text(ENTITY)
        self.eventually(0, lambda: page.locator("img, svg[onload], body script").count())


class HostileHistory(BrowserTest):
    def start_server(self):
        return Server(program(), "browse", "--no-open", stores() / "History.sqlite")

    def test_authors_and_metadata_are_text(self):
        page = self.page
        page.on("dialog", lambda dialog: self.fail("a script ran"))
        page.goto(self.app.entrance)
        expect(page.locator("#title")).to_have_text("Author")
        page.locator("#view-facts").click()
        expect(page.get_by_role("row", name=HOSTILE).get_by_role("cell")).to_have_text([HOSTILE, HOSTILE])
        page.locator("#view-history").click()
        transactions = page.get_by_role("list", name="Transactions").get_by_role("heading")
        expect(transactions).to_have_count(2)
        expect(transactions.first).to_contain_text(f"by {HOSTILE} · {HOSTILE}")
        expect(page.locator("img")).to_have_count(0)

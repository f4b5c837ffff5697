"""Every setting of the inspectors that no other test is about: set in the page, saved, read in the file, and taken back."""

import faulthandler
import xml.etree.ElementTree as XML

from browser import long
from editor import Editor, EditorTest, expect

MODEL = """<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" userDefinedModelVersionIdentifier="">
    <entity name="Author" representedClassName="Author" syncable="YES" codeGenerationType="class">
        <attribute name="name" optional="YES" attributeType="String"/>
        <relationship name="books" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Book" inverseName="author" inverseEntity="Book"/>
    </entity>
    <entity name="Book" representedClassName="Book" syncable="YES" codeGenerationType="class">
        <attribute name="born" optional="YES" attributeType="Date" usesScalarValueType="NO"/>
        <attribute name="latitude" optional="YES" attributeType="Double" usesScalarValueType="YES"/>
        <attribute name="longitude" optional="YES" attributeType="Double" usesScalarValueType="YES"/>
        <attribute name="pages" optional="YES" attributeType="Integer 32" usesScalarValueType="YES"/>
        <attribute name="price" optional="YES" attributeType="Decimal"/>
        <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Author" inverseName="books" inverseEntity="Author"/>
        <relationship name="sequel" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Book"/>
        <fetchIndex name="byPlace">
            <fetchIndexElement property="latitude" type="Binary" order="ascending"/>
            <fetchIndexElement property="longitude" type="Binary" order="ascending"/>
        </fetchIndex>
    </entity>
    <fetchRequest name="All" entity="Book"/>
</model>"""

AUTHOR = "entity[@name='Author']"
BOOK = "entity[@name='Book']"
BOOKS = f"{AUTHOR}/relationship[@name='books']"
SEQUEL = f"{BOOK}/relationship[@name='sequel']"
INDEX = f"{BOOK}/fetchIndex"
REQUEST = "fetchRequest"

# What is selected, the field, what is done to it, and what is in the file then: the element, the setting, its value.
SETTINGS = [
    ("entity-Book", "f-representedClassName", "Volume", BOOK, "representedClassName", "Volume"),
    ("entity-Book-relationship-sequel", "f-transient", True, SEQUEL, "transient", "YES"),
    ("entity-Book-relationship-sequel", "f-optional", False, SEQUEL, "optional", None),
    ("entity-Book-relationship-sequel", "f-spotlightIndexingEnabled", True, SEQUEL, "spotlightIndexingEnabled", "YES"),
    ("entity-Book-relationship-sequel", "f-versionHashModifier", "2", SEQUEL, "versionHashModifier", "2"),
    ("entity-Book-relationship-sequel", "f-elementID", "next", SEQUEL, "elementID", "next"),
    ("entity-Book-relationship-sequel", "f-destinationEntity", ["Author"], SEQUEL, "destinationEntity", "Author"),
    ("entity-Book-relationship-sequel", "f-deletionRule", ["No Action"], SEQUEL, "deletionRule", "No Action"),
    ("entity-Book-relationship-sequel", "f-deletionRule", ["Deny"], SEQUEL, "deletionRule", "Deny"),
    ("entity-Author-relationship-books", "f-maxCount", "12", BOOKS, "maxCount", "12"),
    ("entity-Author-relationship-books", "f-minCount", "2", BOOKS, "minCount", "2"),
    ("entity-Book-fetchIndex-byPlace", "part-type-0", ["RTree"], f"{INDEX}/fetchIndexElement[1]", "type", "RTree"),
    ("entity-Book-fetchIndex-byPlace", "part-type-1", ["RTree"], f"{INDEX}/fetchIndexElement[2]", "type", "RTree"),
    ("entity-Book-fetchIndex-byPlace", "part-order-1", ["false"], f"{INDEX}/fetchIndexElement[2]", "order", "descending"),
    ("entity-Book-fetchIndex-byPlace", "part-remove-0", None, f"{INDEX}/fetchIndexElement[1]", "property", "longitude"),
    ("entity-Book-attribute-born", "f-maxDateTimeInterval", "2001-01-02T00:00:10", f"{BOOK}/attribute[@name='born']", "maxDateTimeInterval", "86410"),
    ("entity-Book-attribute-pages", "f-minValueString", "1", f"{BOOK}/attribute[@name='pages']", "minValueString", "1"),
    ("entity-Book-attribute-pages", "f-maxValueString", "5000", f"{BOOK}/attribute[@name='pages']", "maxValueString", "5000"),
    ("entity-Book-attribute-price", "f-minValueString", "0.50", f"{BOOK}/attribute[@name='price']", "minValueString", "0.50"),
    ("entity-Book-attribute-latitude", "f-maxValueString", "90", f"{BOOK}/attribute[@name='latitude']", "maxValueString", "90"),
    ("fetchRequest-All", "f-fetchLimit", "20", REQUEST, "fetchLimit", "20"),
    ("fetchRequest-All", "f-fetchOffset", "40", REQUEST, "fetchOffset", "40"),
    ("fetchRequest-All", "f-fetchBatchSize", "50", REQUEST, "fetchBatchSize", "50"),
    ("fetchRequest-All", "f-resultType", ["1"], REQUEST, "resultType", "1"),
    ("fetchRequest-All", "f-includeSubentities", False, REQUEST, "includeSubentities", "NO"),
    ("fetchRequest-All", "f-includePropertyValues", False, REQUEST, "includePropertyValues", "NO"),
    ("fetchRequest-All", "f-includesPendingChanges", False, REQUEST, "includesPendingChanges", "NO"),
    ("fetchRequest-All", "f-returnObjectsAsFaults", False, REQUEST, "returnObjectsAsFaults", "NO"),
    ("fetchRequest-All", "f-returnDistinctResults", True, REQUEST, "returnDistinctResults", "YES"),
    ("fetchRequest-All", "f-entity", ["Author"], REQUEST, "entity", "Author"),
]


class Settings(EditorTest):
    weight = 8

    def start_server(self):
        folder = self.make_folder()
        model = folder / "Library.xcdatamodeld"
        (model / "Library.xcdatamodel").mkdir(parents=True)
        (model / "Library.xcdatamodel/contents").write_text(MODEL)
        return Editor(model)

    def select(self, item):
        holder = "-".join(item.split("-")[:2])
        self.page.locator(f"#item-{holder}").click()
        self.page.locator(f"#item-{item}").click()
        expect(self.page.locator("#f-name")).to_have_value(item.split("-")[-1])

    def act(self, id, value):
        """Does to a field what its kind of field is for."""
        field = self.page.locator(f"#{id}")
        if value is None:
            field.click()
        elif isinstance(value, bool):
            field.set_checked(value)
        elif isinstance(value, list):
            field.select_option(value[0])
        else:
            field.fill(value)
            field.blur()

    @long
    def test_each_setting_is_set_saved_and_undone(self):
        # Some sixty saves.
        faulthandler.dump_traceback_later(900, exit=True)
        page = self.page
        page.set_viewport_size({"width": 1280, "height": 1400})
        file = self.app.model / "Library.xcdatamodel/contents"
        before = file.read_bytes()
        for item, id, value, path, setting, written in SETTINGS:
            with self.subTest(item=item, field=id, value=value):
                self.assertNotEqual(written, XML.fromstring(before).find(path).get(setting))
                self.select(item)
                self.act(id, value)
                expect(page.locator("#edited")).to_have_text("Edited")
                self.save()
                found = self.contents().find(path)
                self.assertEqual(written, found.get(setting))
                # Nothing but what is about it is another line.
                lines = zip(before.decode().splitlines(), file.read_text().splitlines())
                if value is not None:
                    self.assertEqual(1, sum(old != new for old, new in lines))
                page.locator("#undo").click()
                expect(page.locator("#edited")).to_have_text("Edited")
                self.save()
                self.eventually(before, lambda: file.read_bytes())

    def test_undo_and_redo_have_their_buttons(self):
        page = self.page
        undo, redo = page.locator("#undo"), page.locator("#redo")
        expect(undo).to_be_disabled()
        expect(redo).to_be_disabled()
        self.select("fetchRequest-All")
        self.act("f-fetchLimit", "20")
        expect(undo).to_have_attribute("title", "Undo Change of a setting")
        undo.click()
        expect(redo).to_have_attribute("title", "Redo Change of a setting")
        expect(undo).to_be_disabled()
        expect(page.locator("#f-fetchLimit")).to_have_value("")
        redo.click()
        expect(page.locator("#f-fetchLimit")).to_have_value("20")
        expect(redo).to_be_disabled()
        # What is done after an undo takes the place of what was undone.
        undo.click()
        self.act("f-fetchOffset", "5")
        expect(page.locator("#f-fetchOffset")).to_have_value("5")
        expect(redo).to_be_disabled()
        expect(page.locator("#f-fetchLimit")).to_have_value("")

    def test_the_reports_are_hidden_and_shown(self):
        page = self.page
        reports = page.locator("#reports")
        expect(reports).to_have_attribute("aria-pressed", "true")
        before = self.still(page.locator("#editor"))["height"]
        reports.click()
        expect(page.locator("#panel")).not_to_be_visible()
        expect(reports).to_have_attribute("aria-pressed", "false")
        self.holds(lambda: page.locator("#editor").bounding_box()["height"] > before + 100)
        reports.click()
        expect(page.get_by_role("tab", name="Warnings")).to_be_visible()
        expect(reports).to_have_attribute("aria-pressed", "true")

    def test_generated_swift_is_copied(self):
        page = self.page
        page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=self.app.url)
        page.locator("#item-entity-Author").click()
        page.get_by_role("tab", name="Generated Swift").click()
        shown = page.locator("#report pre")
        expect(shown.first).to_contain_text("extension Author")
        page.locator("#copy").click()
        expect(page.locator("#status")).to_have_text("Copied.")
        copied = page.evaluate("navigator.clipboard.readText()")
        self.eventually(copied, lambda: "\n".join(shown.all_text_contents()))
        self.assertIn("class Author", copied)

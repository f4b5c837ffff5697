"""Changes of values that are not single texts: files, plain values in archives, composites."""

import base64
import json
import subprocess

from browser import expect, long
from editor import program
from store import PICTURE, StoreTest, import_store

MODEL = """<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" sourceLanguage="Swift" userDefinedModelVersionIdentifier="">
    <entity name="Place" representedClassName="Place" syncable="YES">
        <attribute name="face" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
        <attribute name="name" attributeType="String"/>
        <attribute name="position" optional="YES" attributeType="Composite" composite="Position"/>
        <attribute name="strange" optional="YES" attributeType="Transformable" valueTransformerName="NobodyKnows"/>
        <attribute name="tags" optional="YES" attributeType="Transformable" valueTransformerName="NSSecureUnarchiveFromData"/>
    </entity>
    <composite name="Position">
        <attribute name="latitude" optional="YES" attributeType="Double"/>
        <attribute name="note" optional="YES" attributeType="String"/>
    </composite>
</model>"""


class Values(StoreTest):
    writes = True

    def make(self):
        return import_store(self.folder, "Places", [
            {"name": "Place", "objects": [{"objectID": f"Place/{number}", "name": f"place {number}"} for number in (1, 2)]},
        ], MODEL)

    def enter(self, page=None):
        page = page or self.page
        page.goto(self.app.entrance)
        expect(page.locator("#title")).to_have_text("Place")
        page.locator("[id='row-Place/1']").click()
        expect(page.locator("#object")).to_have_text("place 1")

    def field(self, name):
        return self.page.locator(f"[id='f-Place/1-{name}']")

    def problem(self, name):
        return self.page.locator(f"[id='f-Place/1-{name}-problem']")

    def clear(self, name):
        self.page.locator(f"[id='null-Place/1-{name}']").click()

    def save(self):
        self.page.locator("#save").click()
        expect(self.page.locator("#access")).to_have_text("Saved")

    def stored(self, name):
        """The value of the first place as another program sees it."""
        done = subprocess.run([program(), "store", "dump", "--json", self.path], check=True, capture_output=True, text=True)
        place = next(place for place in json.loads(done.stdout)["entities"][0]["objects"] if place["objectID"] == "Place/1")
        return place.get(name)

    def test_a_file_replaces_the_bytes_and_is_removed_again(self):
        page = self.page
        self.field("face").set_input_files({"name": "point.png", "mimeType": "image/png", "buffer": base64.b64decode(PICTURE)})
        expect(page.locator("img.picture")).to_be_visible()
        expect(page.locator("#access")).to_have_text("1 unsaved")
        self.eventually(None, lambda: self.stored("face"))
        self.save()
        self.eventually(PICTURE, lambda: self.stored("face"))
        # Another file, larger than what stays in the row.
        large = bytes(range(256)) * 2000
        self.field("face").set_input_files({"name": "large.bin", "mimeType": "", "buffer": large})
        expect(page.locator("#detail")).to_contain_text("512,000 bytes")
        self.save()
        expect(page.locator("#detail")).to_contain_text("in the file")
        with page.expect_download() as download:
            page.get_by_role("button", name="Download").click()
        self.assertEqual(large, download.value.path().read_bytes())
        self.clear("face")
        expect(page.locator("#detail")).not_to_contain_text("bytes")
        page.locator("#undo").click()
        expect(page.locator("#detail")).to_contain_text("512,000 bytes")
        page.locator("#redo").click()
        self.save()
        self.eventually(None, lambda: self.stored("face"))

    def test_plain_values_of_an_archive_are_changed_as_json(self):
        page = self.page
        self.field("tags").fill('["sea", 12, {"when": {"$date": "2024-01-31T12:00:00Z"}}]')
        self.field("tags").blur()
        expect(page.locator("#access")).to_have_text("1 unsaved")
        self.save()
        self.holds(lambda: self.stored("tags") is not None)
        expect(page.locator("#detail ul.tree")).to_contain_text("sea")
        expect(self.field("tags")).to_have_value(json.dumps(
            ["sea", 12, {"when": {"$date": "2024-01-31T12:00:00Z"}}], indent=2).replace('": ', '" : '))
        # What is not JSON stays in its field until it is mended.
        self.field("tags").fill('["sea"')
        self.field("tags").blur()
        expect(self.problem("tags")).to_contain_text("This is not JSON")
        expect(self.field("tags")).to_have_attribute("aria-invalid", "true")
        page.locator("[id='f-Place/1-tags-stored']").click()
        expect(self.problem("tags")).to_have_count(0)
        self.clear("tags")
        self.save()
        self.eventually(None, lambda: self.stored("tags"))

    def test_a_value_of_an_unknown_transformer_says_so(self):
        expect(self.page.locator("#detail")).to_contain_text("'NobodyKnows' is not known here")
        expect(self.field("strange")).to_have_count(0)

    def test_elements_of_a_composite_have_fields(self):
        page = self.page
        self.field("position.latitude").fill("47.5")
        self.field("position.latitude").blur()
        expect(page.locator("#access")).to_have_text("1 unsaved")
        self.field("position.note").fill("by the lake")
        self.field("position.note").blur()
        self.field("position.latitude").fill("north")
        self.field("position.latitude").blur()
        expect(self.problem("position.latitude")).to_contain_text("is not a number")
        self.field("position.latitude").fill("48.25")
        self.field("position.latitude").blur()
        expect(self.problem("position.latitude")).to_have_count(0)
        self.save()
        self.eventually({"latitude": 48.25, "note": "by the lake"}, lambda: self.stored("position"))
        page.get_by_role("button", name="Set position.note to null").click()
        self.save()
        self.eventually(48.25, lambda: self.stored("position")["latitude"])
        self.eventually(None, lambda: self.stored("position").get("note"))

    @long
    def test_the_forms_pass_the_checks(self):
        self.field("tags").fill("[1]")
        self.field("tags").blur()
        expect(self.page.locator("#access")).to_have_text("1 unsaved")
        self.check_forms()

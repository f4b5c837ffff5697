"""Links to other objects: found by their texts, and put in order."""

import json
import subprocess

from browser import long
from checks import problems, violations
from editor import program
from store import LANDMARKS, StoreTest, expect, import_store

MODEL = """<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" sourceLanguage="Swift" userDefinedModelVersionIdentifier="">
    <entity name="Playlist" representedClassName="Playlist" syncable="YES">
        <attribute name="name" attributeType="String"/>
        <relationship name="tracks" optional="YES" toMany="YES" ordered="YES" deletionRule="Nullify" destinationEntity="Track" inverseName="playlist" inverseEntity="Track"/>
    </entity>
    <entity name="Track" representedClassName="Track" syncable="YES">
        <attribute name="title" attributeType="String"/>
        <relationship name="playlist" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Playlist" inverseName="tracks" inverseEntity="Playlist"/>
    </entity>
</model>"""

TITLES = ["Première", "Second <b>", "Third", "Fourth"]


class Links(StoreTest):
    writes = True

    def make(self):
        return import_store(self.folder, "Music", [
            {"name": "Playlist", "objects": [{"objectID": "Playlist/1", "name": "Mine", "tracks": ["Track/3", "Track/1", "Track/2"]}]},
            {"name": "Track", "objects": [{"objectID": f"Track/{number}", "title": title, **({"playlist": "Playlist/1"} if number < 4 else {})} for number, title in enumerate(TITLES, 1)]},
        ], MODEL)

    def enter(self, page=None):
        page = page or self.page
        page.goto(self.app.entrance)
        expect(page.locator("#title")).to_have_text("Playlist")
        page.locator("[id='row-Playlist/1']").click()
        expect(page.locator("#object")).to_have_text("Mine")

    def stored(self):
        """The order as another program sees it."""
        done = subprocess.run([program(), "store", "dump", "--json", self.path], check=True, capture_output=True, text=True)
        (list,) = next(entity for entity in json.loads(done.stdout)["entities"] if entity["name"] == "Playlist")["objects"]
        return list["tracks"]

    def shown(self, *numbers):
        expect(self.page.locator("#detail .links .quiet")).to_have_text([f"Track/{number}" for number in numbers])

    def save(self):
        self.page.locator("#save").click()
        expect(self.page.locator("#access")).to_have_text("Saved")

    def test_members_are_put_in_another_order_by_keys(self):
        page = self.page
        self.shown(3, 1, 2)
        up = page.get_by_role("button", name="Move Track/2 up in tracks")
        up.focus()
        page.keyboard.press("Enter")
        self.shown(3, 2, 1)
        expect(up).to_be_focused()
        page.keyboard.press("Enter")
        self.shown(2, 3, 1)
        # It is the first by now.
        expect(up).to_have_attribute("aria-disabled", "true")
        expect(up).to_be_focused()
        page.keyboard.press("Enter")
        self.shown(2, 3, 1)
        page.get_by_role("button", name="Move Track/2 down in tracks").click()
        self.shown(3, 2, 1)
        page.keyboard.press("Control+z")
        self.shown(2, 3, 1)
        self.eventually(["Track/3", "Track/1", "Track/2"], lambda: self.stored())
        self.save()
        self.eventually(["Track/2", "Track/3", "Track/1"], lambda: self.stored())
        status, answer = self.ask("POST", "/api/move", {"id": "Playlist/1", "key": "tracks", "member": "Track/4", "place": 0})
        self.assertEqual((422, "browse"), (status, answer["error"]["code"]))

    def test_an_object_is_found_by_its_text(self):
        page = self.page
        field = page.get_by_role("combobox", name="Add to tracks: number or text of an object")
        field.press_sequentially("OUR")
        expect(page.get_by_role("option")).to_have_text(["Fourth Track/4"])
        self.eventually([], lambda: violations(page))
        self.eventually([], lambda: problems(page, LANDMARKS))
        page.keyboard.press("ArrowDown")
        expect(page.get_by_role("option", selected=True)).to_have_count(1)
        page.keyboard.press("Enter")
        self.shown(3, 1, 2, 4)
        expect(field).to_have_value("")
        expect(field).to_be_focused()
        # Whatever its accents, and what is markup elsewhere is text.
        field.press_sequentially("premi")
        expect(page.get_by_role("option")).to_have_text(["Première Track/1"])
        page.keyboard.press("Escape")
        expect(page.get_by_role("option")).to_have_count(0)
        field.fill("second <")
        expect(page.get_by_role("option")).to_have_text(["Second <b> Track/2"])
        field.fill("4")
        expect(page.get_by_role("option")).to_have_text(["Fourth Track/4"])
        field.fill("nothing like that")
        expect(page.get_by_role("option")).to_have_count(0)
        page.keyboard.press("Enter")
        expect(page.locator("#status")).to_contain_text("does not name an object")
        expect(field).to_have_value("nothing like that")
        self.save()
        self.eventually(["Track/3", "Track/1", "Track/2", "Track/4"], lambda: self.stored())

    def test_what_is_not_saved_yet_is_found(self):
        page = self.page
        status, answer = self.ask("POST", "/api/add", {"entity": "Track"})
        self.assertEqual(200, status)
        self.assertEqual(200, self.ask("POST", "/api/set", {"id": answer["added"], "key": "title", "text": "Fresh"})[0])
        field = page.get_by_role("combobox", name="Add to tracks: number or text of an object")
        field.press_sequentially("fresh")
        page.get_by_role("option", name="Fresh").click()
        expect(page.locator("#detail .links")).to_contain_text("Fresh")
        self.save()
        self.eventually(["Track/3", "Track/1", "Track/2", "Track/5"], lambda: self.stored())

    @long
    def test_the_forms_pass_the_checks(self):
        self.check_forms()


class LongList(StoreTest):
    """An ordered relationship of more objects than are shown at a time."""

    weight = 4
    writes = True

    def make(self):
        return import_store(self.folder, "Music", [
            {"name": "Playlist", "objects": [{"objectID": "Playlist/1", "name": "Mine", "tracks": [f"Track/{number}" for number in range(250, 0, -1)]}]},
            {"name": "Track", "objects": [{"objectID": f"Track/{number}", "title": f"Track {number:03}", "playlist": "Playlist/1"} for number in range(1, 251)]},
        ], MODEL)

    enter = Links.enter
    stored = Links.stored
    save = Links.save

    def shown(self, first, start=1):
        """Waits for a part of the members, and that their places are right."""
        links = self.page.locator("#detail .links .quiet:not(.place)")
        expect(links.nth(0)).to_have_text(f"Track/{first}")
        expect(self.page.locator("#detail .parts")).to_contain_text(f"{start} to {min(start + 19, 250)} of 250")
        expect(self.page.locator("#detail .links input.place").first).to_have_value(str(start))

    def test_members_are_shown_in_parts_in_their_order(self):
        page = self.page
        self.shown(250)
        earlier, later = page.get_by_role("button", name="Earlier members of tracks"), page.get_by_role("button", name="Later members of tracks")
        expect(earlier).to_have_attribute("aria-disabled", "true")
        later.click()
        self.shown(230, 21)
        for start in range(41, 242, 20):
            later.press("Enter")
            self.shown(251 - start, start)
        expect(page.locator("#detail .links li")).to_have_count(10)
        expect(later).to_have_attribute("aria-disabled", "true")
        expect(later).to_be_focused()
        earlier.click()
        self.shown(30, 221)
        # It is of this object, and begins anew with another one.
        page.locator("#detail .links button.link").first.click()
        expect(page.locator("#object")).to_have_text("Track 030")
        page.locator("#detail .links button.link").first.click()
        self.shown(250)

    def test_a_member_is_moved_to_a_place_that_is_typed(self):
        page = self.page
        place = page.get_by_role("textbox", name="Position of Track/248 in tracks")
        expect(place).to_have_value("3")
        for text in ["0", "251", "1.5", "first"]:
            place.fill(text)
            place.press("Enter")
            expect(page.locator("#status")).to_have_text("The position must be a number from 1 to 250.")
            expect(place).to_have_value("3")
        expect(page.locator("#access")).to_have_text("Saved")
        place.fill("245")
        place.press("Enter")
        # It is gone along with.
        self.shown(9, 241)
        expect(place).to_have_value("245")
        expect(place).to_be_focused()
        order = [f"Track/{number}" for number in range(250, 0, -1)]
        order.remove("Track/248")
        order.insert(244, "Track/248")
        self.save()
        self.eventually(order, lambda: self.stored())
        place.fill("1")
        place.press("Enter")
        self.shown(248)
        expect(place).to_be_focused()
        page.keyboard.press("Control+z")
        expect(page.locator("#access")).to_have_text("Saved")

    def test_a_refused_move_leaves_what_is_shown(self):
        page = self.page
        place = page.get_by_role("textbox", name="Position of Track/248 in tracks")
        refused = {"code": "model", "message": "This one stays where it is."}
        page.route("**/api/move", lambda route: route.fulfill(status=422, json={"error": refused}))
        place.fill("245")
        place.press("Enter")
        expect(page.locator("#status")).to_have_text(refused["message"])
        self.shown(250)
        expect(place).to_have_value("3")
        page.unroute("**/api/move")
        # What is read anew is the same part.
        field = page.locator("[id='f-Playlist/1-name']")
        field.fill("Yours")
        field.press("Enter")
        expect(page.locator("#access")).to_have_text("1 unsaved")
        self.shown(250)
        expect(place).to_have_value("3")

    def test_buttons_lead_over_the_ends_of_a_part(self):
        page = self.page
        page.get_by_role("button", name="Later members of tracks").click()
        self.shown(230, 21)
        up = page.get_by_role("button", name="Move Track/230 up in tracks")
        up.press("Enter")
        self.shown(250)
        expect(page.get_by_role("textbox", name="Position of Track/230 in tracks")).to_have_value("20")
        expect(up).to_be_focused()
        page.get_by_role("button", name="Move Track/230 down in tracks").press("Enter")
        self.shown(230, 21)
        self.eventually("Track/250", lambda: self.stored()[0])

    @long
    def test_the_forms_pass_the_checks(self):
        self.check_forms()

"""The search for words in the objects of all entities."""

from browser import long
from checks import cut_off, problems, too_wide, violations
from store import LANDMARKS, StoreTest, expect, import_store

FLAG = ' spotlightIndexingEnabled="YES"'

MODEL = f"""<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" sourceLanguage="Swift" userDefinedModelVersionIdentifier="">
    <entity name="Author" representedClassName="Author" syncable="YES">
        <attribute name="name" optional="YES" attributeType="String"{FLAG}/>
    </entity>
    <entity name="Book" representedClassName="Book" syncable="YES">
        <attribute name="title" optional="YES" attributeType="String"{FLAG}/>
        <attribute name="note" optional="YES" attributeType="String"/>
    </entity>
</model>"""

COUNT = 25
HOSTILE = "<img src=x onerror=alert(1)> & <b>Schloß</b> \"quoted\" 'too'"
HEADINGS = "#page h3"


def texts():
    books = [{"objectID": f"Book/{number}", "title": f"Volume {number:02} of the Schloß"} for number in range(1, COUNT + 1)]
    books[2]["note"] = "a secret"
    books.append({"objectID": f"Book/{COUNT + 1}", "title": HOSTILE})
    return [{"name": "Author", "objects": [{"objectID": "Author/1", "name": "Jo Schloss"}]}, {"name": "Book", "objects": books}]


class SearchTest(StoreTest):
    model = MODEL

    def make(self):
        return import_store(self.folder, "Texts", texts(), self.model)

    def enter(self, page=None):
        page = page or self.page
        page.goto(self.app.entrance)
        expect(page.locator("#title")).to_have_text("Author")
        expect(page.locator("#entity-Book .count")).to_have_text(str(COUNT + 1))

    def field(self, page=None):
        return (page or self.page).get_by_role("searchbox", name="Words in the objects of all entities")

    def search(self, words, page=None):
        self.field(page).fill(words)
        self.field(page).press("Enter")
        expect((page or self.page).locator("#title")).to_have_text(f"Search: {words}")

    def found(self, count, page=None):
        """Waits for so many objects that were found."""
        expect((page or self.page).locator("#count")).to_have_text(f"{count} object{'' if count == 1 else 's'}")

    def hit(self, id, page=None):
        return (page or self.page).locator(".hits li").filter(has=(page or self.page).locator(f"[id='hit-{id}']"))


class Searching(SearchTest):
    def test_objects_of_all_entities_are_found_and_opened(self):
        page = self.page
        self.search("schloss")
        self.found(COUNT + 2)
        expect(page.locator(HEADINGS)).to_have_text(["Author 1 object", f"Book {COUNT + 1} objects"])
        expect(self.hit("Author/1").locator(".snippet")).to_have_text("Jo Schloss")
        expect(self.hit("Author/1").locator("mark")).to_have_text("Schloss")
        expect(self.hit("Book/1").locator("mark")).to_have_text("Schloß")
        page.locator("[id='hit-Author/1']").click()
        expect(page.locator("#object")).to_have_text("Jo Schloss")
        expect(page.locator("[id='hit-Author/1']")).to_have_attribute("aria-current", "true")
        # What was found stays beside it, and a line leads to its object as a whole.
        self.hit("Book/1").locator(".snippet").click()
        expect(page.locator("#object")).to_have_text("Volume 01 of the Schloß")
        self.found(COUNT + 2)
        page.locator("#entity-Book").click()
        expect(page.locator("#title")).to_have_text("Book")
        expect(self.field()).to_have_value("schloss")

    def test_more_objects_of_an_entity_are_shown_and_texts_are_no_markup(self):
        page = self.page
        self.search("schloss")
        expect(page.locator("[aria-labelledby='found-Book'] li")).to_have_count(20)
        page.get_by_role("button", name="More objects of Book").click()
        expect(page.locator("[aria-labelledby='found-Book'] li")).to_have_count(COUNT + 1)
        expect(page.get_by_role("button", name="More objects of Book")).to_have_count(0)
        expect(self.hit(f"Book/{COUNT + 1}").locator(".snippet")).to_contain_text("onerror=alert(1)> & <b>Schloß</b>")
        expect(self.hit(f"Book/{COUNT + 1}").locator("mark")).to_have_text("Schloß")
        expect(page.locator("#page img, #page b")).to_have_count(0)

    def test_it_is_used_by_keys(self):
        page = self.page
        # The skip link is the first.
        page.keyboard.press("Tab")
        page.keyboard.press("Tab")
        expect(self.field()).to_be_focused()
        page.keyboard.type("jo")
        page.keyboard.press("Tab")
        expect(page.locator("#find")).to_be_focused()
        page.keyboard.press("Enter")
        self.found(1)
        expect(page.locator("#find")).to_be_focused()
        page.keyboard.press("Shift+Tab")
        expect(self.field()).to_be_focused()
        page.keyboard.press("End")
        page.keyboard.type(" OR unwritten")
        page.keyboard.press("Enter")
        expect(page.locator("#title")).to_have_text("Search: jo OR unwritten")
        self.found(1)
        expect(self.field()).to_be_focused()
        expect(self.field()).to_have_value("jo OR unwritten")
        page.locator("[id='hit-Author/1']").focus()
        page.keyboard.press("Enter")
        expect(page.locator("#object")).to_have_text("Jo Schloss")
        expect(page.locator("[id='hit-Author/1']")).to_be_focused()

    def test_all_strings_are_searched_on_request(self):
        page = self.page
        self.search("secret")
        expect(page.locator("#none")).to_have_text("No object has these words.")
        page.get_by_role("checkbox", name="All strings").click()
        self.found(1)
        expect(self.hit("Book/3")).to_contain_text("note")
        expect(self.hit("Book/3").locator("mark")).to_have_text("secret")
        # It stays so for the next search.
        self.search("secrets OR volume")
        self.found(COUNT)
        expect(page.get_by_role("checkbox", name="All strings")).to_be_checked()

    def test_any_text_is_valid(self):
        for words in ['"', "(schloss", "NEAR(a b)", "title:none", "- -", "'; DROP TABLE d0; --", "\\", "%", "+"]:
            with self.subTest(words=words):
                self.search(words)
                expect(self.page.locator("#count")).to_have_text("27 objects" if words == "(schloss" else "0 objects")

    def test_the_page_says_how_far_the_store_is_indexed(self):
        page, held, requested = self.page, [], []

        def answer(route):
            requested.append(route)
            if len(requested) == 1:
                route.fulfill(json={"isPossible": True, "indexing": {"done": 1300, "total": 2600}, "count": 0, "entities": []})
            elif len(requested) == 2:
                held.append(route)
            else:
                route.continue_()

        page.route("**/api/search*", answer)
        self.search("schloss")
        expect(page.locator("#count")).to_have_text("Indexing: 1,300 of 2,600 objects")
        self.holds(lambda: held)
        held[0].continue_()
        self.found(COUNT + 2)

    def test_a_search_that_fails_says_why(self):
        page = self.page
        refused = {"code": "store", "message": "The index cannot be read."}
        page.route("**/api/search*", lambda route: route.fulfill(status=422, json={"error": refused}))
        self.search("schloss")
        expect(page.get_by_role("alert")).to_have_text(refused["message"])
        page.unroute("**/api/search*")
        self.search("jo")
        self.found(1)

    def test_it_passes_the_checks_in_light_and_in_dark(self):
        for scheme in ["light", "dark"]:
            page = self.window(color_scheme=scheme, viewport={"width": 1280, "height": 900})
            self.enter(page)
            self.search("schloss", page)
            self.found(COUNT + 2, page)
            page.locator("[id='hit-Author/1']").click()
            expect(page.locator("#object")).to_have_text("Jo Schloss")
            with self.subTest(scheme=scheme):
                self.eventually([], lambda: problems(page, LANDMARKS))
                self.eventually([], lambda: violations(page))
                self.eventually([], lambda: cut_off(page))

    @long
    def test_it_passes_the_checks_at_all_widths(self):
        for width in [360, 768, 1000]:
            page = self.window(viewport={"width": width, "height": 740})
            page.goto(self.app.entrance)
            expect(page.locator("#title")).to_have_text("Author")
            self.search("schloss", page)
            self.found(COUNT + 2, page)
            with self.subTest(width=width):
                self.eventually([], lambda: violations(page))
                self.eventually([], lambda: cut_off(page))
                self.eventually([], lambda: too_wide(page))


class WithoutFlags(SearchTest):
    model = MODEL.replace(FLAG, "")

    def test_the_page_says_how_to_set_the_flag_and_searches_all_strings(self):
        page = self.page
        self.search("schloss")
        expect(page.locator("#none")).to_contain_text("No attribute of the model has “Index in Spotlight”")
        expect(page.locator("#none")).to_contain_text("isIndexedBySpotlight")
        self.eventually([], lambda: problems(page, LANDMARKS))
        self.eventually([], lambda: violations(page))
        page.get_by_role("button", name="Search all strings").click()
        self.found(COUNT + 2)
        expect(page.get_by_role("checkbox", name="All strings")).to_be_checked()


class Changes(SearchTest):
    writes = True

    def test_what_is_saved_is_found(self):
        page = self.page
        self.search("zebra")
        self.found(0)
        page.locator("#entity-Author").click()
        page.locator("[id='row-Author/1']").click()
        field = page.locator("[id='f-Author/1-name']")
        field.fill("Zebra")
        field.press("Enter")
        expect(page.locator("#access")).to_have_text("1 unsaved")
        self.search("zebra")
        self.found(0)
        page.locator("#save").click()
        expect(page.locator("#access")).to_have_text("Saved")
        self.field().press("Enter")
        self.found(1)
        expect(self.hit("Author/1").locator("mark")).to_have_text("Zebra")

    def test_what_is_typed_is_not_undone_with_the_objects(self):
        page = self.page
        page.locator("[id='row-Author/1']").click()
        field = page.locator("[id='f-Author/1-name']")
        field.fill("Other")
        field.press("Enter")
        expect(page.locator("#access")).to_have_text("1 unsaved")
        self.field().press_sequentially("words")
        page.keyboard.press("Control+z")
        status, changes = self.ask("GET", "/api/changes")
        self.assertEqual((200, True, False), (status, changes["canUndo"], changes["canRedo"]))
        expect(page.locator("#access")).to_have_text("1 unsaved")

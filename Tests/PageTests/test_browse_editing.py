"""Changes of a store that is open for writing."""

import subprocess

from browser import Server, long
from checks import cut_off, violations
from editor import program
from store import StoreTest, expect


class Editing(StoreTest):
    weight = 4
    writes = True

    def show(self, number):
        self.show_books()
        self.page.locator(f"[id='row-Book/{number}']").click()
        expect(self.page.locator("#detail .id")).to_contain_text(f"Book/{number}")

    def stored(self, predicate):
        """How many books the file has, as another program sees it."""
        done = subprocess.run(
            [program(), "store", "query", self.path, "Book", predicate, "--count"], check=True, capture_output=True, text=True)
        return int(done.stdout)

    def write_elsewhere(self, id, key, text):
        """Changes an object by another program with the store open."""
        other = Server(program(), "browse", "--no-open", "--write", self.path)
        self.addCleanup(other.stop)
        page = self.window()
        page.goto(other.entrance)
        expect(page.locator("#title")).to_have_text("Author")
        for path, body in [("/api/set", {"id": id, "key": key, "text": text}), ("/api/save", {})]:
            self.assertEqual(200, self.ask("POST", path, body, page)[0])
        page.goto("about:blank")

    def set(self, name, text):
        field = self.page.locator(f"[id^='f-'][id$='-{name}']")
        field.fill(text)
        field.blur()

    def test_a_value_is_changed_undone_redone_and_saved(self):
        page = self.page
        self.show(3)
        self.set("title", "Another")
        expect(page.locator("#access")).to_have_text("1 unsaved")
        expect(page.locator("[id='row-Book/3']").locator("xpath=..")).to_contain_text("changed")
        self.eventually(0, lambda: self.stored("title == 'Another'"))
        page.locator("#undo").click()
        expect(page.locator("[id^='f-'][id$='-title']")).to_have_value("Book 003")
        page.locator("#redo").click()
        expect(page.locator("[id^='f-'][id$='-title']")).to_have_value("Another")
        page.locator("#save").click()
        expect(page.locator("#access")).to_have_text("Saved")
        self.eventually(1, lambda: self.stored("title == 'Another'"))

    def test_an_invalid_value_is_reported_at_its_field(self):
        page = self.page
        self.show(3)
        self.set("price", "cheap")
        expect(page.locator("[id^='f-'][id$='-price-problem']")).to_contain_text("is not a decimal number")
        self.set("price", "-1")
        expect(page.locator("#access")).to_have_text("1 unsaved")
        page.locator("#save").click()
        expect(page.locator("[id^='f-'][id$='-price-problem']")).to_contain_text("price")
        expect(page.locator("[id^='f-'][id$='-price']")).to_have_attribute("aria-invalid", "true")
        expect(page.locator("[id^='f-'][id$='-price']")).to_be_focused()
        self.eventually(0, lambda: self.stored("price < 0"))

    def test_nothing_is_saved_over_a_refused_value(self):
        page = self.page
        self.show(3)
        self.set("title", "Kept back")
        expect(page.locator("#access")).to_have_text("1 unsaved")
        page.locator("[id='f-Book/3-price']").fill("cheap")
        page.keyboard.press("Control+s")
        expect(page.locator("#status")).to_contain_text("Not saved: 1 problem")
        expect(page.locator("[id='f-Book/3-price-problem']")).to_contain_text("is not a decimal number")
        expect(page.locator("[id='f-Book/3-price']")).to_have_value("cheap")
        self.eventually(0, lambda: self.stored("title == 'Kept back'"))
        # It stays with its object.
        self.show(4)
        expect(page.locator("[id='f-Book/4-price']")).not_to_have_value("cheap")
        page.locator("#save").click()
        expect(page.locator("[id='f-Book/3-price']")).to_be_focused()
        page.locator("[id='f-Book/3-price-stored']").click()
        expect(page.locator("[id='f-Book/3-price-problem']")).to_have_count(0)
        page.locator("#save").click()
        expect(page.locator("#status")).to_have_text("Saved.")
        self.eventually(1, lambda: self.stored("title == 'Kept back'"))

    def test_a_new_object_stays_shown_when_it_is_saved(self):
        page = self.page
        page.locator("#add").click()
        expect(page.locator("#detail .id")).to_contain_text("Author/-")
        field = page.locator("[id^='f-'][id$='-name']")
        field.fill("Cy")
        page.keyboard.press("Control+s")
        expect(page.locator("#access")).to_have_text("Saved")
        expect(page.locator("#detail .id")).to_have_text("Author/4")
        expect(page.locator("[id='f-Author/4-name']")).to_be_focused()
        page.keyboard.type("ril")
        page.keyboard.press("Control+s")
        expect(page.locator("#access")).to_have_text("Saved")
        expect(page.locator("#object")).to_have_text("Cyril")

    @long
    def test_changes_of_others_are_read_after_own_changes_are_discarded(self):
        page = self.page
        self.show(3)
        self.set("title", "Mine")
        expect(page.locator("#access")).to_have_text("1 unsaved")
        self.write_elsewhere("Book/3", "title", "Theirs")
        for _ in range(2):
            page.locator("#save").click()
            expect(page.locator("#objects .conflict")).to_contain_text("the same objects have been changed")
            expect(page.locator("#access")).to_have_text("1 unsaved")
        self.eventually([], lambda: violations(page))
        self.eventually([], lambda: cut_off(page))
        page.get_by_role("button", name="Discard changes and read again").click()
        expect(page.locator("[id='f-Book/3-title']")).to_have_value("Theirs")
        expect(page.locator("#access")).to_have_text("Saved")
        expect(page.locator("#objects .conflict")).to_have_count(0)
        expect(page.locator("#objects")).to_be_focused()
        self.set("title", "Both")
        page.locator("#save").click()
        expect(page.locator("#status")).to_have_text("Saved.")
        self.eventually(1, lambda: self.stored("title == 'Both'"))

    def test_an_object_is_added_and_deleted(self):
        page = self.page
        self.show_books()
        page.locator("#add").click()
        expect(page.locator("#detail .id")).to_contain_text("new")
        page.locator("#save").click()
        expect(page.locator("[id^='f-'][id$='-title-problem']")).to_be_visible()
        self.set("title", "Fresh")
        page.locator("[id^='link-'][id$='-author'][placeholder]").fill("3")
        page.locator("[id^='linked-'][id$='-author']").click()
        expect(page.locator("#detail .links")).to_contain_text("Author/3")
        page.locator("#save").click()
        expect(page.locator("#access")).to_have_text("Saved")
        self.eventually(1, lambda: self.stored("title == 'Fresh' AND author.bookCount == 1"))
        expect(page.locator("#count")).to_have_text("251 objects")
        expect(page.locator("#entity-Book .count")).to_have_text("251")
        self.filter("title == 'Fresh'")
        expect(page.locator("#count")).to_have_text("1 object")
        page.locator("table.objects tbody button.link").first.click()
        page.locator("#delete").click()
        expect(page.locator("tr.deleted")).to_have_count(1)
        page.keyboard.press("Control+s")
        expect(page.locator("#access")).to_have_text("Saved")
        self.eventually(0, lambda: self.stored("title == 'Fresh'"))

    def test_adding_and_deleting_are_undone(self):
        page = self.page
        self.show_books()
        page.locator("#add").click()
        expect(page.locator("tr.new")).to_have_count(1)
        page.locator("#undo").click()
        expect(page.locator("tr.new")).to_have_count(0)
        expect(page.locator("#access")).to_have_text("Saved")
        expect(page.locator("#object")).to_have_count(0)
        page.locator("#redo").click()
        expect(page.locator("tr.new")).to_have_count(1)
        page.locator("#undo").click()
        expect(page.locator("tr.new")).to_have_count(0)
        self.show(3)
        page.locator("#delete").click()
        expect(page.locator("tr.deleted")).to_have_count(1)
        page.locator("#undo").click()
        expect(page.locator("tr.deleted")).to_have_count(0)
        expect(page.locator("#delete")).to_be_enabled()
        expect(page.locator("#access")).to_have_text("Saved")
        # Its author is there again.
        expect(page.locator("#detail .links")).to_contain_text("Author/2")
        page.locator("#redo").click()
        page.locator("#save").click()
        expect(page.locator("#count")).to_have_text("249 objects")
        self.eventually(0, lambda: self.stored("title == 'Book 003'"))

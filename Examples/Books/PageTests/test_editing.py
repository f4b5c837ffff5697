"""Changing books: forms, errors, undo, save, discard, delete."""

import re

from app import PageTest, expect


class Editing(PageTest):
    # The browser logs answers that refuse a form.
    allowed = ("422", "409", "404")

    def test_derived_values_follow_the_save(self):
        page = self.page
        self.open_book("Der Process")
        count = page.locator("#author-count").inner_text()
        total = page.locator("#author-total").inner_text()
        self.change({"Title": "Der Prozeß", "Price": "99.50"})
        expect(page.locator("#notice")).to_contain_text("not saved yet")
        self.unsaved("Not saved: 1 changed")
        canonical = page.locator("#value-canonicalTitle")
        expect(canonical).to_contain_text("der process")
        expect(page.locator("#author-total")).to_have_text(total)
        expect(page.locator(".stored")).to_contain_text("Der Process")
        expect(page.locator(".facts .badge")).to_contain_text("Changed")

        page.get_by_role("button", name="Save").click()
        self.unsaved("Everything is saved")
        expect(page.locator("#author-total")).not_to_have_text(total)
        expect(page.locator("#author-count")).to_have_text(count)
        expect(page.locator(".stored")).to_contain_text("Der Prozeß")

    def test_a_canonical_title_is_old_until_saved(self):
        page = self.page
        self.open_book("Der Process")
        self.change({"Title": "Äußerst seltsam"})
        row = page.locator("#value-canonicalTitle")
        expect(row).to_contain_text("der process")
        expect(row.locator(".later")).to_have_text("after the save: ausserst seltsam")
        page.get_by_role("button", name="Save").click()
        expect(row.locator(".later")).to_have_count(0)
        expect(row).to_contain_text("ausserst seltsam")

    def test_a_new_book(self):
        page = self.page
        self.open("/books/new")
        page.get_by_label("Title").fill("Zettels Traum")
        page.get_by_label("Author").fill("Arno Schmidt")
        page.get_by_label("Published").fill("1970-04-01")
        page.get_by_label("Price").fill("295")
        page.get_by_label("Abstract").fill("Ein Buch.\nEin großes.")
        page.get_by_role("button", name="Add the book").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Zettels Traum")
        self.unsaved("Not saved: 2 new")
        expect(page.get_by_text("Nothing yet: the book is new")).to_be_visible()
        expect(page.locator("#author-count")).to_have_text("0")
        expect(page.locator("#value-publishMonthID")).to_contain_text("1970004")
        page.get_by_role("button", name="Save").click()
        expect(page.locator("#author-count")).to_have_text("1")
        expect(page.locator("#author-total")).to_have_text("295.00")
        expect(page.locator(".stored")).to_contain_text("ZABSTRACT")
        self.open("/?q=zettel&by=canonical")
        expect(page.locator("#list h2 time")).to_have_text("April 1970")

    def test_errors_stand_at_their_fields_and_nothing_is_lost(self):
        page = self.page
        self.open_book("Villette")
        self.change({"Title": "", "Price": "-1", "Published": "1853-02-31", "Abstract": "Typed <b>text</b>"})
        expect(page.get_by_role("alert")).to_be_focused()
        for label, sentence in [
            ("Title", "A book needs a title."), ("Price", "A price cannot be below zero."),
            ("Published", "There is no such day in the calendar."),
        ]:
            field = page.get_by_label(label)
            expect(field).to_have_attribute("aria-invalid", "true")
            expect(field).to_have_accessible_description(re.compile(re.escape(sentence)))
        expect(page.get_by_label("Published")).to_have_value("1853-02-31")
        expect(page.get_by_label("Abstract")).to_have_value("Typed <b>text</b>")
        self.unsaved("Everything is saved")
        page.get_by_label("Title").fill("Villette, a Novel")
        page.get_by_label("Price").fill("1")
        page.get_by_label("Published").fill("1853-01")
        page.get_by_role("button", name="Keep the changes").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Villette, a Novel")
        expect(page.locator(".abstract")).to_have_text("Typed <b>text</b>")

    def test_undo_and_redo(self):
        page = self.page
        self.open_book("Villette")
        self.change({"Title": "First"})
        expect(page.get_by_role("heading", level=1)).to_have_text("First")
        self.change({"Title": "Second"})
        expect(page.get_by_role("heading", level=1)).to_have_text("Second")
        undo = page.get_by_role("button", name="Undo")
        expect(undo).to_have_attribute("title", "Undo changing “First”")
        undo.click()
        expect(page.get_by_role("heading", level=1)).to_have_text("First")
        undo.click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Villette")
        expect(undo).to_be_disabled()
        self.unsaved("Everything is saved")
        page.get_by_role("button", name="Redo").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("First")
        self.unsaved("Not saved: 1 changed")

    def test_a_changed_month_moves_the_book(self):
        page = self.page
        self.open_book("Villette")
        self.change({"Published": "2020-02-02"})
        expect(page.locator("#value-publishMonthID")).to_contain_text("2020002")
        self.open("/?q=villette&by=canonical")
        expect(page.locator("#list h2 time")).to_have_text("February 2020")
        page.get_by_role("button", name="Undo").click()
        expect(page.locator("#list h2 time")).to_have_text("January 1853")

    def test_discarding(self):
        page = self.page
        self.open_book("Villette")
        self.change({"Title": "Something else"})
        page.get_by_role("link", name="Discard").click()
        expect(page.get_by_role("listitem").filter(has_text="Something else")).to_contain_text("Villette")
        page.get_by_role("button", name="Discard all changes").click()
        self.unsaved("Everything is saved")
        self.open_book("Villette")

    def test_deleting_asks_first(self):
        page = self.page
        self.open_book("Villette")
        page.get_by_role("link", name="Delete").click()
        page.get_by_role("link", name="Cancel").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Villette")
        page.get_by_role("link", name="Delete").click()
        page.get_by_role("button", name="Delete the book").click()
        self.unsaved("Not saved: 1 deleted")
        self.open("/?q=villette")
        expect(page.locator(".book")).to_have_count(0)
        self.open("/changes")
        expect(page.locator(".changes")).to_contain_text("Villette")
        page.get_by_role("button", name="Undo").click()
        expect(page.locator("#list")).to_contain_text("Everything is saved")
        self.open_book("Villette")

    def test_a_restart_keeps_what_was_saved_only(self):
        page = self.page
        self.open_book("Villette")
        self.change({"Price": "11.11"})
        page.get_by_role("button", name="Save").click()
        self.unsaved("Everything is saved")
        self.change({"Price": "22.22"})
        self.unsaved("Not saved: 1 changed")
        page.goto("about:blank")
        self.assertEqual(self.app.stop(), 0)
        self.app.start()
        self.assertNotIn("made", self.app.output)
        self.open_book("Villette")
        expect(page.locator(".facts .price")).to_contain_text("11.11")

    def test_authors(self):
        page = self.page
        self.open("/authors")
        row = page.get_by_role("row").filter(has_text="Franz Kafka")
        count = row.locator(".number").first.inner_text()
        row.get_by_role("link", name="Change").click()
        page.get_by_label("Name").fill("")
        page.get_by_role("button", name="Rename").click()
        expect(page.get_by_role("alert")).to_have_text("An author needs a name.")
        page.get_by_label("Name").fill("F. Kafka")
        page.get_by_role("button", name="Rename").click()
        expect(page.get_by_role("row").filter(has_text="F. Kafka").locator(".number").first).to_have_text(count)
        self.open_book("Der Process")
        expect(page.locator("#value-authorName .later")).to_have_text("after the save: F. Kafka")
        page.get_by_role("button", name="Save").click()
        expect(page.locator("#value-authorName .later")).to_have_count(0)

    def test_suggested_authors(self):
        self.open("/books/new")
        self.page.get_by_label("Author").press_sequentially("kafk")
        self.page.get_by_label("Author").fill("fran")
        self.page.get_by_label("Author").press("z")
        option = self.page.locator("#author-names option")
        expect(option.first).to_have_attribute("value", re.compile("^Franz"))

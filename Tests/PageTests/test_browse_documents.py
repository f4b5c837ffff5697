"""XML and binary stores, which are read and saved as a whole, and shown like others."""

import csv
import io
import re
import shutil
import subprocess

from browser import Server, long
from checks import cut_off, too_wide, violations
from documents import model, stores
from editor import program
from store import StoreTest, expect

TYPES = {"Books.xml": "XML", "Books.binary": "binary"}


class Documents(StoreTest):
    def start_server(self):
        return self.browse("Books.xml")

    def browse(self, name):
        return Server(program(), "browse", "--no-open", "--model", model(), stores() / name)

    def enter(self, page=None):
        (page or self.page).goto(self.app.entrance)

    def test_each_opens_is_browsed_filtered_and_exported(self):
        for name, type in TYPES.items():
            with self.subTest(type=type):
                other = self.browse(name)
                self.addCleanup(other.stop)
                page = self.page
                page.goto(other.entrance)
                expect(page.locator(".top .type")).to_contain_text(type)
                expect(page.locator("#entity-Book .count")).to_have_text("120")
                page.locator("#entity-Book").click()
                expect(page.locator("#count")).to_have_text("120 objects")
                page.locator("#next").click()
                expect(page.locator("table.objects tbody tr")).to_have_count(20)
                self.filter("author.name == 'Ada' AND price > 100")
                expect(page.locator("#count")).to_have_text("10 objects")
                page.locator("#sort-price").click()
                expect(page.locator("th[aria-sort=ascending]")).to_contain_text("price")
                self.loaded()
                self.eventually([str(number) for number in range(102, 121, 2)], lambda: self.column("price"))
                with page.expect_download() as download:
                    page.locator("#export-csv").click()
                rows = list(csv.DictReader(io.StringIO(download.value.path().read_text())))
                self.assertEqual([f"Book {number}" for number in range(102, 121, 2)], [row["title"] for row in rows])
                page.locator("table.objects tbody button.link").first.click()
                expect(page.locator("#object")).to_have_text("Book 102")
                page.locator("#detail .links button.link").first.click()
                expect(page.locator("#object")).to_have_text("Ada")
                page.goto("about:blank")

    def test_without_the_option_to_write_they_are_read_only(self):
        expect(self.page.locator("#access")).to_have_text("Read only")
        expect(self.page.locator(".notice")).to_have_count(0)

    def test_a_missing_model_is_reported(self):
        other = Server(program(), "browse", "--no-open", stores() / "Books.xml")
        self.addCleanup(other.stop)
        for width, scheme in [(1280, "light"), (360, "dark")]:
            window = self.window(color_scheme=scheme, viewport={"width": width, "height": 800})
            window.goto(other.entrance)
            expect(window.locator("#access")).to_have_text("Read only")
            expect(window.locator(".notice")).to_contain_text("Give the model with --model")
            with self.subTest(width=width):
                self.eventually([], lambda: violations(window))
                self.eventually([], lambda: cut_off(window))
                self.eventually([], lambda: too_wide(window))
            window.goto("about:blank")

    def test_without_a_model_they_are_not_opened_for_changes(self):
        for name in TYPES:
            path = stores() / name
            before = path.read_bytes()
            done = subprocess.run([program(), "browse", "--no-open", "--write", path], capture_output=True, text=True, timeout=60)
            self.assertNotEqual(0, done.returncode)
            self.assertIn("it can only be read. Give the model with --model", done.stderr)
            self.eventually(before, lambda: path.read_bytes())


class Edited:
    """Changes of a document, whose name a class has."""

    name = None
    writes = True

    def start_server(self):
        folder = self.make_folder()
        self.path = folder / self.name
        shutil.copy(stores() / self.name, self.path)
        return self.serve()

    def serve(self):
        return Server(program(), "browse", "--no-open", "--write", "--model", model(), self.path)

    def enter(self, page=None):
        page = page or self.page
        page.goto(self.app.entrance)
        expect(page.locator("#title")).to_have_text("Author")
        expect(page.locator("#entity-Book .count")).to_have_text("120")

    def stored(self, entity, predicate):
        """How many objects the file has, as another program sees it."""
        done = subprocess.run(
            [program(), "store", "query", self.path, entity, predicate, "--count", "--model", model()], check=True, capture_output=True, text=True)
        return int(done.stdout)

    def show(self, title):
        page = self.page
        page.locator("#entity-Book").click()
        self.filter(f"title == '{title}'")
        expect(page.locator("#count")).to_have_text("1 object")
        page.locator("table.objects tbody th button.link").click()
        expect(page.locator("#object")).to_have_text(title)

    def set(self, name, text):
        field = self.page.locator(f"[id^='f-'][id$='-{name}']")
        field.fill(text)
        field.blur()

    def save(self):
        self.page.locator("#save").click()
        expect(self.page.locator("#access")).to_have_text("Saved")

    def test_values_are_changed_undone_redone_and_saved(self):
        page = self.page
        expect(page.locator(".notice")).to_have_count(0)
        before = self.path.read_bytes()
        self.show("Book 7")
        self.set("title", "Another")
        expect(page.locator("#access")).to_have_text("1 unsaved")
        page.locator("#undo").click()
        expect(page.locator("[id^='f-'][id$='-title']")).to_have_value("Book 7")
        page.locator("#redo").click()
        expect(page.locator("[id^='f-'][id$='-title']")).to_have_value("Another")
        self.eventually(before, lambda: self.path.read_bytes())
        self.save()
        self.eventually(1, lambda: self.stored("Book", "title == 'Another' AND price == 7 AND author.name == 'Bo'"))
        self.eventually(120, lambda: self.stored("Book", "TRUEPREDICATE"))
        # Nothing else is left beside it.
        self.eventually([self.path], lambda: list(self.path.parent.iterdir()))
        # What was saved is undone, and that saved.
        page.locator("#undo").click()
        self.save()
        self.eventually(1, lambda: self.stored("Book", "title == 'Book 7'"))

    def test_objects_are_added_linked_and_deleted(self):
        page = self.page
        page.locator("#add").click()
        expect(page.locator("#detail .id")).to_contain_text("Author/-")
        self.set("name", "Cy")
        page.get_by_role("combobox", name="Add to books: number or text of an object").fill("Book 77")
        page.get_by_role("option", name="Book 77").click()
        expect(page.locator("#detail .links")).to_contain_text("Book 77")
        self.save()
        # The number is the file's, where books have numbers too.
        expect(page.locator("#detail .id")).to_contain_text(re.compile(r"Author/\d"))
        name = page.locator("#detail .id").inner_text()
        self.eventually(1, lambda: self.stored("Author", "name == 'Cy' AND books.@count == 1 AND ANY books.title == 'Book 77'"))
        page.locator("#view-facts").click()
        expect(page.get_by_role("table", name="Version hashes")).to_contain_text("the same")
        self.show("Book 8")
        page.locator("#delete").click()
        # Its author has changed too.
        expect(page.locator("#access")).to_have_text("2 unsaved")
        self.save()
        self.eventually((0, 119), lambda: (self.stored("Book", "title == 'Book 8'"), self.stored("Book", "TRUEPREDICATE")))
        expect(page.locator("#entity-Book .count")).to_have_text("119")
        self.app.restart()
        self.page.goto(self.app.entrance)
        page.locator("table.objects tbody tr", has_text="Cy").locator("th button").click()
        expect(page.locator("#object")).to_have_text("Cy")
        expect(page.locator("#detail .id")).to_have_text(name)

    def test_what_the_model_does_not_allow_is_reported_at_its_field(self):
        page = self.page
        before = self.path.read_bytes()
        page.locator("#entity-Book").click()
        page.locator("#add").click()
        expect(page.locator("#detail .id")).to_contain_text("Book/-")
        self.set("price", "3")
        page.locator("#save").click()
        expect(page.locator("[id^='f-'][id$='-title-problem']")).to_contain_text("title")
        expect(page.locator("[id^='f-'][id$='-title']")).to_be_focused()
        self.eventually(before, lambda: self.path.read_bytes())
        self.set("title", "Allowed")
        self.save()
        self.eventually(1, lambda: self.stored("Book", "title == 'Allowed' AND price == 3"))

    def test_what_others_wrote_meanwhile_is_not_overwritten(self):
        page = self.page
        self.show("Book 7")
        self.set("title", "Mine")
        expect(page.locator("#access")).to_have_text("1 unsaved")
        other = self.serve()
        self.addCleanup(other.stop)
        window = self.window()
        window.goto(other.entrance)
        expect(window.locator("#title")).to_have_text("Author")
        id = page.locator("#detail .id").locator("span").first.inner_text()
        for path, body in [("/api/set", {"id": id, "key": "title", "text": "Theirs"}), ("/api/save", {})]:
            self.assertEqual(200, self.ask("POST", path, body, window)[0])
        window.goto("about:blank")
        theirs = self.path.read_bytes()
        for _ in range(2):
            page.locator("#save").click()
            expect(page.locator("#objects .conflict")).to_contain_text("another program has changed the file")
            expect(page.locator("#access")).to_have_text("1 unsaved")
        self.eventually([], lambda: violations(page))
        self.eventually([], lambda: cut_off(page))
        self.eventually(theirs, lambda: self.path.read_bytes())
        page.get_by_role("button", name="Discard changes and read again").click()
        expect(page.locator("[id^='f-'][id$='-title']")).to_have_value("Theirs")
        self.set("title", "Mine after all")
        self.save()
        self.eventually(1, lambda: self.stored("Book", "title == 'Mine after all'"))


class EditedXML(Edited, StoreTest):
    name = "Books.xml"


@long
class EditedBinary(Edited, StoreTest):
    name = "Books.binary"

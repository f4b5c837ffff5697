"""XML and binary stores, which are read as a whole and shown like others."""

import csv
import io
import subprocess

from browser import Server
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
                self.assertEqual([str(number) for number in range(102, 121, 2)], self.column("price"))
                with page.expect_download() as download:
                    page.locator("#export-csv").click()
                rows = list(csv.DictReader(io.StringIO(download.value.path().read_text())))
                self.assertEqual([f"Book {number}" for number in range(102, 121, 2)], [row["title"] for row in rows])
                page.locator("table.objects tbody button.link").first.click()
                expect(page.locator("#object")).to_have_text("Book 102")
                page.locator("#detail .links button.link").first.click()
                expect(page.locator("#object")).to_have_text("Ada")
                page.goto("about:blank")

    def test_that_they_are_only_read_is_said(self):
        page = self.page
        expect(page.locator("#access")).to_have_text("Read only")
        expect(page.locator(".notice")).to_contain_text("XML")
        expect(page.locator(".notice")).to_contain_text("only be read")
        for width, scheme in [(1280, "light"), (360, "dark")]:
            window = self.window(color_scheme=scheme, viewport={"width": width, "height": 800})
            window.goto(self.app.entrance)
            expect(window.locator(".notice")).to_be_visible()
            with self.subTest(width=width):
                self.assertEqual([], violations(window))
                self.assertEqual([], cut_off(window))
                self.assertEqual([], too_wide(window))

    def test_they_are_not_opened_for_changes(self):
        for name in TYPES:
            path = stores() / name
            before = path.read_bytes()
            done = subprocess.run(
                [program(), "browse", "--no-open", "--write", "--model", model(), path], capture_output=True, text=True, timeout=60)
            self.assertNotEqual(0, done.returncode)
            self.assertIn("only be read", done.stderr)
            self.assertEqual(before, path.read_bytes())

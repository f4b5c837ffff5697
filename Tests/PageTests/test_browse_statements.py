"""The SQL of what is no table: exports, metadata, the history."""

import re

from browser import Server
from documents import stores
from editor import program
from store import StoreTest, expect


def texts(page, id="statements"):
    """The titles without times, and the statements."""
    titles = [re.sub(r" [\d.]+ ms$", "", title) for title in page.locator(f"#{id} h3").all_inner_texts()]
    return list(zip(titles, page.locator(f"#{id} pre").all_inner_texts(), strict=True))


class Statements(StoreTest):
    def test_an_export_tells_its_sql(self):
        page = self.page
        self.show_books()
        page.locator("#statements summary").click()
        expect(page.locator("#statements h3")).to_have_count(3)
        with page.expect_download() as download:
            page.locator("#export-csv").click()
        self.assertEqual(251, download.value.path().read_text().count("\n"))
        # 250 books are read in two parts, the second of which begins behind the first.
        expect(page.locator("#statements h3").last).to_contain_text("Values of the export")
        self.until("() => document.querySelectorAll('#statements h3').length > 6")
        told = texts(page)[3:]
        keys = [sql for title, sql in told if title.startswith("Keys of the export")]
        values = [(title, sql) for title, sql in told if title.startswith("Values of the export")]
        self.assertEqual(len(told), len(keys) + len(values))
        self.assertEqual(["k > ?" in sql for sql in keys], [False, True])
        self.assertTrue(any("ZTITLE" in sql for _, sql in values), values)
        for step in page.locator("#statements .statement ul").all():
            self.assertNotEqual("", step.inner_text())
        expect(page.locator("#statements summary")).to_contain_text(f"SQL: {len(told) + 3} statements")
        # What is asked for next has nothing to do with it.
        self.filter("price > 1")
        expect(page.locator("#statements h3")).to_have_count(3)

    def test_the_metadata_tell_their_sql(self):
        page = self.page
        page.locator("#view-facts").click()
        page.locator("#statements summary").click()
        found = texts(page)
        self.assertEqual({"Metadata"}, {title for title, _ in found})
        self.assertTrue(any("Z_PLIST" in sql and "FROM Z_METADATA" in sql for _, sql in found), found)
        expect(page.locator("#statements .statement").last.locator("li").first).to_contain_text("Z_METADATA")
        self.check_forms()

    def test_a_refused_download_is_told(self):
        page = self.page
        self.show_books()
        # As if what is asked for were refused between the question and the download only.
        page.route("**/api/export/check*", lambda route: route.fulfill(json={}))
        self.filter("nothing == 1")
        expect(page.locator("#predicate-check .problem")).to_be_visible()
        page.locator("#export-csv").click()
        expect(page.locator("#status")).to_contain_text("Not exported: ")
        expect(page.locator("#status")).to_contain_text("'nothing'")


class History(StoreTest):
    def start_server(self):
        return Server(program(), "browse", "--no-open", stores() / "History.sqlite")

    def enter(self, page=None):
        (page or self.page).goto(self.app.entrance)

    def test_the_history_tells_its_sql(self):
        page = self.page
        page.locator("#view-history").click()
        expect(page.get_by_role("list", name="Transactions").get_by_role("heading")).to_have_count(2)
        page.locator("#statements summary").click()
        found = texts(page)
        # Those of each transaction were run twice.
        self.assertEqual(["History", "History, 2 times", "History, 2 times"], [title for title, _ in found])
        self.assertIn("FROM ATRANSACTION", found[0][1])
        self.assertTrue(all("FROM ACHANGE" in sql for _, sql in found[1:]), found)
        self.assertTrue(all(plan.inner_text() for plan in page.locator("#statements .statement ul").all()))

"""The SQL of what is not a table: exports, metadata, the history."""

from browser import Server
from documents import stores
from editor import program
from store import StoreTest, expect


def texts(page):
    """The titles without times, and the statements: both of the same moment."""
    return [tuple(pair) for pair in page.evaluate(
        """() => [...document.querySelectorAll("#statements .statement")].map((statement) =>
             [statement.querySelector("h3").firstChild.data, statement.querySelector("pre").textContent])""")]


class Statements(StoreTest):
    def test_an_export_shows_its_sql(self):
        page = self.page
        self.show_books()
        page.locator("#statements summary").click()
        expect(page.locator("#statements h3")).to_have_count(3)
        with page.expect_download() as download:
            page.locator("#export-csv").click()
        self.assertEqual(251, download.value.path().read_text().count("\n"))
        # 250 books are read in two parts, the second of which begins behind the first.
        def told(beginning):
            return [sql for title, sql in texts(page)[3:] if title.startswith(beginning)]
        self.eventually([False, True], lambda: ["k > ?" in sql for sql in told("Keys of the export")])
        self.holds(lambda: any("ZTITLE" in sql for sql in told("Values of the export")))
        self.holds(lambda: len(told("Keys of the export") + told("Values of the export")) == len(texts(page)) - 3)
        self.until("() => [...document.querySelectorAll('#statements .statement ul')].every((plan) => plan.textContent)")
        self.until(
            """() => document.querySelector("#statements summary").textContent
                 .startsWith(`SQL: ${document.querySelectorAll("#statements .statement").length} statements`)""")
        # What is asked for next has nothing to do with it.
        self.filter("price > 1")
        expect(page.locator("#statements h3")).to_have_count(3)

    def test_the_metadata_show_their_sql(self):
        page = self.page
        page.locator("#view-facts").click()
        expect(page.get_by_role("table", name="Metadata")).to_be_visible()
        page.locator("#statements summary").click()
        self.eventually({"Metadata"}, lambda: {title for title, _ in texts(page)})
        self.holds(lambda: any("Z_PLIST" in sql and "FROM Z_METADATA" in sql for _, sql in texts(page)))
        expect(page.locator("#statements .statement").last.locator("li").first).to_contain_text("Z_METADATA")
        self.check_forms()

    def test_a_refused_download_is_reported(self):
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

    def test_the_history_shows_its_sql(self):
        page = self.page
        page.locator("#view-history").click()
        expect(page.get_by_role("list", name="Transactions").get_by_role("heading")).to_have_count(2)
        page.locator("#statements summary").click()
        # Those of each transaction were run twice.
        self.eventually(["History", "History, 2 times", "History, 2 times"], lambda: [title for title, _ in texts(page)])
        self.holds(lambda: "FROM ATRANSACTION" in texts(page)[0][1])
        self.holds(lambda: all("FROM ACHANGE" in sql for _, sql in texts(page)[1:]))
        self.until("() => [...document.querySelectorAll('#statements .statement ul')].every((plan) => plan.textContent)")

"""Tables, filters, objects, charts and exports of a store that is only read."""

import csv
import io
import json
import re

from checks import violations
from store import HOSTILE_TITLE, StoreTest, expect


class Tables(StoreTest):
    def test_entities_have_counts_and_tables(self):
        page = self.page
        expect(page.locator("#access")).to_have_text("Read only")
        expect(page.locator("#entity-Author .count")).to_have_text("3")
        expect(page.locator("#count")).to_have_text("3 objects")
        self.show_books()
        expect(page.get_by_role("columnheader", name="canonicalTitle")).to_contain_text("derived")
        expect(page.get_by_role("columnheader", name="publishMonthID")).to_contain_text("transient")

    def test_a_click_on_a_header_sorts(self):
        page = self.page
        self.show_books()
        page.get_by_role("button", name="price").click()
        expect(page.locator("th[aria-sort=ascending]")).to_contain_text("price")
        self.loaded()
        self.eventually(["null", "0.5", "0.5"], lambda: self.column("price")[:3])
        page.get_by_role("button", name="price").click()
        expect(page.locator("th[aria-sort=descending]")).to_contain_text("price")
        self.loaded()
        self.eventually(["39.5", "39.5"], lambda: self.column("price")[:2])
        page.get_by_role("button", name="price").click()
        expect(page.locator("th[aria-sort]")).to_have_count(0)

    def test_pages_follow_each_other_without_gaps(self):
        page = self.page
        self.show_books()
        for sort in [None, "price", "publishDate"]:
            if sort:
                page.get_by_role("button", name=sort).click()
                expect(page.locator("th[aria-sort=ascending]")).to_contain_text(sort)
                self.loaded()
            seen = self.column("uuid")
            for number, count in [(2, 100), (3, 50)]:
                page.locator("#next").click()
                expect(page.locator("#page-number")).to_have_text(f"Page {number}")
                expect(page.locator("table.objects caption")).to_contain_text(f"page {number}")
                expect(page.locator("table.objects tbody tr")).to_have_count(count)
                self.loaded()
                seen += self.column("uuid")
            self.assertEqual(250, len(set(seen)), sort)
            expect(page.locator("#next")).to_be_disabled()
            page.locator("#previous").click()
            expect(page.locator("#page-number")).to_have_text("Page 2")
            page.locator("#entity-Book").click()
            expect(page.locator("#page-number")).to_have_text("Page 1")
            expect(page.locator("table.objects tbody tr")).to_have_count(100)

    def test_a_predicate_filters(self):
        self.show_books()
        self.filter("author.name == 'Ada' AND title BEGINSWITH 'Book 01'")
        expect(self.page.locator("#count")).to_have_text("5 objects")
        self.eventually(["Book 010", "Book 012", "Book 014", "Book 016", "Book 018"], lambda: self.column("title"))
        self.filter("title == 'nothing'")
        expect(self.page.locator("#none")).to_have_text("No object meets the predicate.")
        self.page.locator("#clear").click()
        expect(self.page.locator("#count")).to_have_text("250 objects")

    def test_an_error_of_a_predicate_is_shown_at_its_column(self):
        page = self.page
        self.show_books()
        page.locator("#predicate").press_sequentially("title == == 3")
        expect(page.locator("#predicate-check")).to_contain_text("at character 10")
        expect(page.locator("#predicate-check mark")).to_have_text("=")
        expect(page.locator("#predicate")).to_have_attribute("aria-invalid", "true")
        self.filter("nothing == 3")
        expect(page.locator("#predicate-check")).to_contain_text("nothing")

    def test_names_are_completed(self):
        page = self.page
        self.show_books()
        field = page.locator("#predicate")
        field.press_sequentially("aut")
        expect(page.get_by_role("option")).to_have_text(["author", "authorName"])
        field.press("ArrowDown")
        field.press("Enter")
        expect(field).to_have_value("author")
        field.press_sequentially(".na")
        expect(page.get_by_role("option")).to_have_text(["author.name"])
        field.press("ArrowDown")
        field.press("Tab")
        expect(field).to_have_value("author.name")
        field.press_sequentially(" == 'aut")
        expect(page.get_by_role("option")).to_have_count(0)

    def test_the_sql_is_shown(self):
        page = self.page
        self.show_books()
        page.get_by_role("button", name="publishDate").click()
        page.locator("#statements summary").click()
        expect(page.locator("#statements pre").first).to_contain_text("ZPUBLISHDATE")
        expect(page.locator("#statements pre").first).not_to_contain_text("OFFSET")
        expect(page.locator("#statements")).to_contain_text("USING COVERING INDEX Z_Book_")
        expect(page.locator("#statements summary")).to_contain_text("ms")
        expect(page.locator("#statements h3")).to_have_text([re.compile("Keys of the page"), re.compile("Rows of the page"), re.compile("Number of the objects")])
        expect(page.locator("#statements pre").nth(1)).to_contain_text("ZTITLE")
        expect(page.locator("#statements pre").nth(2)).to_contain_text("COUNT(")
        page.locator("[id='row-Book/3']").click()
        page.locator("#object-statements summary").click()
        expect(page.locator("#object-statements h3")).to_have_text([re.compile("Row of the object"), re.compile("Rows of author")])
        page.locator("#detail .links button.link").first.click()
        expect(page.locator("#object-statements h3")).to_have_text(
            [re.compile(title) for title in ["Row of the object", "Number of books", "Links of books", "Rows of books"]])
        expect(page.locator("#object-statements pre").nth(2)).to_contain_text("ZAUTHOR")
        expect(page.locator("#object-statements pre").nth(3)).to_contain_text("ZTITLE")
        page.locator("#counts-statements summary").click()
        expect(page.locator("#counts-statements h3")).to_have_text([re.compile("Number of Author"), re.compile("Number of Book")])
        self.eventually([], lambda: violations(page))

    def test_tables_are_exported(self):
        page = self.page
        self.show_books()
        self.filter("author.name == 'Ada' AND title BEGINSWITH 'Book'")
        expect(page.locator("#count")).to_have_text("124 objects")
        with page.expect_download() as download:
            page.locator("#export-csv").click()
        rows = list(csv.DictReader(io.StringIO(download.value.path().read_text())))
        self.assertEqual(124, len(rows))
        self.assertEqual(("Book/4", "Book 004", "Author/1"), tuple(rows[0][key] for key in ["objectID", "title", "author"]))
        with page.expect_download() as download:
            page.locator("#export-json").click()
        self.assertEqual("Book.json", download.value.suggested_filename)
        self.assertEqual([row["title"] for row in rows], [row["title"] for row in json.loads(download.value.path().read_text())])

    def test_counts_are_drawn(self):
        page = self.page
        self.show_books()
        page.locator("#mode-chart").click()
        page.locator("#chart-by").select_option("publishDate")
        # By month at first: the years are of 30, the months of 12.
        expect(page.locator("#chart-unit")).to_have_value("month")
        expect(page.locator("svg.bars rect")).to_have_count(61)
        rows = page.locator("#chart-table tbody tr")
        self.eventually(["null1", "1990-014", "1990-074", "1991-025"], lambda: rows.all_text_contents()[:4])
        page.locator("#chart-unit").select_option("year")
        expect(page.locator("svg.bars rect")).to_have_count(31)
        page.get_by_text("As a table").click()
        self.eventually(["null\t1", "1990\t8"], lambda: rows.all_inner_texts()[:2])
        page.locator("#chart-by").select_option("authorName")
        expect(page.locator("#chart-table tbody tr").first).to_have_text("Ada125")
        self.filter("title == 'Book 003'")
        expect(page.locator("svg.bars rect")).to_have_count(1)

    def test_values_without_room_beside_their_bar_are_cut(self):
        page = self.page
        self.show_books()
        page.locator("#mode-chart").click()
        page.locator("#chart-by").select_option("title")
        expect(page.locator("svg.bars rect")).to_have_count(120)
        label = page.locator("svg.bars text.value", has_text="<img")
        self.eventually(HOSTILE_TITLE, lambda: label.locator("title").text_content())
        def is_cut(shown):
            return shown.endswith("…") and HOSTILE_TITLE.startswith(shown[:-1]) and len(shown) > 12
        self.holds(lambda: is_cut(label.evaluate("element => element.lastChild.textContent")))
        self.eventually([], lambda: page.evaluate(
            "() => [...document.querySelectorAll('svg.bars text.value')].filter((text) => text.getBBox().x < 0).map((text) => text.textContent)"))
        # What people see as one letter is never cut.
        family = "👨‍👩‍👧‍👦"
        cut = page.evaluate(
            "async (text) => (await import('/files/dom.js')).fitText(text, 100, '11px sans-serif')", family * 40)
        self.assertTrue(cut.endswith("…"))
        self.assertEqual("", cut[:-1].replace(family, ""))

    def test_the_count_is_that_of_the_shown_objects(self):
        page = self.page
        count = page.locator("#count")
        self.show_books()
        page.locator("#mode-chart").click()
        self.filter("title == 'Book 003'")
        expect(count).to_have_text("1 object")
        page.locator("#mode-table").click()
        expect(page.locator("table.objects tbody tr")).to_have_count(1)
        expect(count).to_have_text("1 object")
        page.locator("#mode-chart").click()
        page.locator("#entity-Author").click()
        expect(page.locator("#title")).to_have_text("Author")
        expect(count).to_have_text("3 objects")
        page.locator("#mode-table").click()
        expect(page.locator("table.objects tbody tr")).to_have_count(3)
        expect(count).to_have_text("3 objects")
        # A table is a table, whatever was shown before.
        page.locator("[id='row-Author/2']").click()
        page.locator("#mode-chart").click()
        expect(page.locator("svg.bars")).to_be_visible()
        page.get_by_role("button", name="Show all 125 in a table").click()
        expect(page.locator("table.objects tbody tr")).to_have_count(100)
        expect(page.locator("svg.bars")).to_have_count(0)
        expect(page.locator("#mode-table")).to_have_attribute("aria-pressed", "true")
        expect(count).to_have_text("125 objects")

    def test_a_table_sorted_before_it_is_shown_is_counted(self):
        page = self.page
        held = []
        page.route("**/api/rows*", lambda route: held.append(route) if "sort=" not in route.request.url else route.continue_())
        page.locator("#entity-Book").click()
        page.evaluate("import('/files/state.js').then(({ sortBy }) => sortBy('price'))")
        expect(page.locator("table.objects tbody tr")).to_have_count(100)
        for route in held:
            route.continue_()
        expect(page.locator("#count")).to_have_text("250 objects")

    def test_an_error_of_a_predicate_is_removed_with_it(self):
        page = self.page
        field, told = page.locator("#predicate"), page.locator("#predicate-check")
        for mode in ["table", "chart"]:
            with self.subTest(mode=mode):
                self.show_books()
                page.locator(f"#mode-{mode}").click()
                field.press_sequentially("title == == 3")
                expect(told).to_contain_text("at character 10")
                # It stays when the page is drawn anew.
                page.locator("#mode-table").click()
                self.loaded()
                expect(field).to_have_attribute("aria-invalid", "true")
                expect(told).to_contain_text("at character 10")
                expect(field).to_have_value("title == == 3")
                page.locator("#entity-Author").click()
                expect(page.locator("#title")).to_have_text("Author")
                expect(told).to_have_text("")
                expect(field).to_have_value("")
                self.eventually(None, lambda: field.get_attribute("aria-invalid"))
                # Neither does what was refused.
                self.filter("nothing == 3")
                expect(told).to_contain_text("nothing")
                expect(field).to_have_attribute("aria-invalid", "true")
                expect(page.locator("#count")).to_have_text("")
                page.locator("#entity-Book").click()
                expect(page.locator("#title")).to_have_text("Book")
                expect(told).to_have_text("")
        # It stays when what it was said of is asked for.
        field.fill("nothing == 3")
        expect(told).to_contain_text("nothing")
        field.press("Enter")
        expect(page.locator("#objects [role=alert]")).to_contain_text("nothing")
        expect(told).to_contain_text("nothing")
        page.locator("#clear").click()
        expect(page.locator("#count")).to_have_text("250 objects")
        expect(told).to_have_text("")

    def test_a_typed_predicate_stays_until_it_is_applied(self):
        page = self.page
        self.show_books()
        field = page.locator("#predicate")
        field.press_sequentially("title == 'Book 003'")
        page.keyboard.press("Tab")
        expect(page.locator("#apply")).to_be_focused()
        page.evaluate("import('/files/state.js').then(({ changed }) => changed())")
        page.locator("[id='row-Book/5']").click()
        expect(page.locator("#object")).to_have_text("Book 005")
        expect(field).to_have_value("title == 'Book 003'")
        page.locator("#apply").click()
        expect(page.locator("#count")).to_have_text("1 object")
        self.eventually(["Book 003"], lambda: self.column("title"))

    def test_names_are_still_completed_after_the_page_is_redrawn(self):
        page = self.page
        self.show_books()
        page.locator("#predicate").press_sequentially("aut")
        page.keyboard.press("ArrowDown")
        page.evaluate("import('/files/state.js').then(({ changed }) => changed())")
        expect(page.get_by_role("option", selected=True)).to_have_text("author")
        expect(page.locator("#predicate")).to_have_attribute("aria-activedescendant", "choice-0")
        page.keyboard.press("Enter")
        expect(page.locator("#predicate")).to_have_value("author")

    def test_numbers_and_missing_numbers_are_aligned_alike(self):
        self.show_books()
        self.eventually(["end"] * 4, lambda: self.page.evaluate(
            """() => [...document.querySelectorAll("table.objects tr")].slice(0, 4).map((row) =>
                getComputedStyle(row.children[[...document.querySelectorAll("table.objects thead th")].findIndex((head) => head.textContent.startsWith("price"))]).textAlign)"""))
        self.eventually("null", lambda: self.column("price")[1])
        self.eventually([{"0px"}, {"1px"}, {"1px"}], lambda: [set(row) for row in self.page.evaluate(
            """() => [...document.querySelectorAll("table.objects tbody tr")].slice(0, 3).map((row) => [...row.children].map((cell) => getComputedStyle(cell).borderTopWidth))""")])
        self.eventually("separate", lambda: self.page.locator("table.objects").evaluate("table => getComputedStyle(table).borderCollapse"))

    def test_a_refused_export_is_reported(self):
        page = self.page
        self.show_books()
        page.on("download", lambda download: self.fail("something was downloaded"))
        refused = {"code": "busy", "message": "Another table is being exported; wait until that is finished."}
        page.route("**/api/export/check*", lambda route: route.fulfill(status=503, json={"error": refused}))
        page.locator("#export-csv").click()
        expect(page.locator("#status")).to_have_text(f"Not exported: {refused['message']}")
        page.unroute("**/api/export/check*")
        self.filter("nothing == 3")
        expect(page.locator("#predicate-check")).to_contain_text("nothing")
        page.locator("#export-json").click()
        expect(page.locator("#status")).to_contain_text("Not exported: ")
        expect(page.locator("#status")).to_contain_text("nothing")

    def downloaded(self, id):
        with self.page.expect_download() as download:
            self.page.locator(f"#{id}").click()
        return download.value.suggested_filename, download.value.path().read_text()

    def test_a_chart_is_exported_as_its_groups(self):
        page = self.page
        self.show_books()
        page.locator("#mode-chart").click()
        page.locator("#chart-by").select_option("authorName")
        expect(page.locator("#chart-table tbody tr").first).to_have_text("Ada125")
        self.assertEqual(("Book-authorName.csv", "value,count\nAda,125\nBo,125\n"), self.downloaded("export-csv"))
        page.locator("#chart-by").select_option("title")
        expect(page.locator("svg.bars rect")).to_have_count(120)
        name, text = self.downloaded("export-json")
        groups = json.loads(text)
        self.assertEqual("Book-title.json", name)
        self.assertEqual(120, len(groups))
        self.assertIn({"value": HOSTILE_TITLE, "count": 1}, groups)
        rows = list(csv.DictReader(io.StringIO(self.downloaded("export-csv")[1])))
        self.assertEqual([group["value"] for group in groups], [row["value"] for row in rows])
        page.locator("#chart-by").select_option("publishDate")
        expect(page.locator("svg.bars rect")).to_have_count(61)
        self.assertEqual(["value,count", ",1", "1990-01,4"], self.downloaded("export-csv")[1].split("\n")[:3])

    def test_history_and_metadata_are_exported(self):
        page = self.page
        page.locator("#view-facts").click()
        expect(page.get_by_role("table", name="Metadata")).to_contain_text("NSStoreUUID")
        facts = json.loads(self.downloaded("export-json")[1])
        self.assertEqual(["Author", "Book"], [hash["entity"] for hash in facts["hashes"]])
        rows = {row["key"]: row for row in csv.DictReader(io.StringIO(self.downloaded("export-csv")[1]))}
        self.assertEqual(facts["metadata"]["NSStoreUUID"], rows["NSStoreUUID"]["value"])
        self.assertEqual(facts["hashes"][1]["model"], rows["version hash of Book"]["model"])
        self.show_history(page)
        transactions = json.loads(self.downloaded("export-json")[1])
        self.assertEqual([4, 3], [transaction["number"] for transaction in transactions])
        rows = list(csv.DictReader(io.StringIO(self.downloaded("export-csv")[1])))
        self.assertEqual(6, len(rows))
        self.assertEqual(("4", "the program", "update", "Book/4", "price title"), tuple(rows[1][key] for key in ["transaction", "author", "kind", "object", "properties"]))
        self.assertEqual('{"name":"Zoe"}', rows[2]["tombstone"])

    def test_metadata_and_history_are_shown(self):
        page = self.page
        page.locator("#view-facts").click()
        expect(page.get_by_role("table", name="Metadata")).to_contain_text("NSStoreUUID")
        expect(page.get_by_role("table", name="Version hashes")).to_contain_text("the same")
        page.locator("#view-history").click()
        expect(page.locator("#objects")).to_contain_text("The store keeps no history.")

    def test_older_transactions_follow_the_later_ones(self):
        page = self.page
        self.show_history(page)
        headings = page.get_by_role("list", name="Transactions").get_by_role("heading")
        expect(headings.first).to_contain_text("Transaction 4 03/02/2024, 05:05:06 by the program · import · reader")
        expect(page.get_by_role("list", name="Changes of transaction 4")).to_contain_text("Author/9 name: Zoe")
        expect(page.locator("#objects")).to_contain_text("and 100 more")
        page.locator("#older").click()
        expect(headings).to_have_count(4)
        expect(headings.last).to_contain_text("Transaction 1 ")
        expect(page.locator("#older")).to_have_count(0)
        page.locator("[id='change-4-1']").click()
        expect(page.locator("#object")).to_have_text("Book 004")


class Objects(StoreTest):
    def show(self, number):
        self.show_books()
        self.page.locator(f"[id='row-Book/{number}']").click()
        expect(self.page.locator("#detail .id")).to_contain_text(f"Book/{number}")

    def test_values_are_shown_by_their_type(self):
        self.show(3)
        detail = self.page.locator("#detail")
        expect(detail.locator("h2")).to_have_text("Book 003")
        expect(detail).to_contain_text("1993-04-15T12:00:00Z")
        expect(detail).to_contain_text("15/04/1993, 14:00:00")
        expect(detail.get_by_text("derived").first).to_be_visible()

    def test_relationships_are_links(self):
        page = self.page
        self.show(3)
        page.locator("#detail").get_by_role("button", name="Bo Author/2").click()
        expect(page.locator("#object")).to_have_text("Bo")
        page.get_by_role("button", name="Show all 125 in a table").click()
        expect(page.locator("#title")).to_have_text("Book")
        expect(page.locator("#count")).to_have_text("125 objects")
        expect(page.locator(".related")).to_contain_text("books of Author/2")
        page.locator("#unrelate").click()
        expect(page.locator("#count")).to_have_text("250 objects")

    def test_pictures_archives_and_bytes_are_shown(self):
        page = self.page
        self.show(1)
        picture = page.get_by_role("img", name="Picture of abstract")
        expect(picture).to_be_visible()
        self.until("() => document.querySelector('img.picture').naturalWidth === 1")
        tree = page.get_by_role("list", name="Contents of tintColor")
        expect(tree).to_contain_text("Tint")
        expect(tree).to_contain_text("red")
        expect(tree).to_contain_text("0.25")
        expect(tree).to_contain_text("dusk")
        page.locator(".hex summary").first.click()
        expect(page.get_by_label("Bytes of abstract")).to_contain_text("89 50 4e 47")

    def test_what_a_store_holds_is_text(self):
        page = self.page
        page.on("dialog", lambda dialog: self.fail("a script ran"))
        self.show(1)
        expect(page.locator("#object")).to_have_text(HOSTILE_TITLE)
        self.eventually(HOSTILE_TITLE, lambda: self.column("title")[0])
        self.eventually(0, lambda: page.locator("img[src=x]").count())

    def test_long_texts_are_cut_until_all_is_asked_for(self):
        self.show(2)
        text = self.page.locator("[id='text-Book/2-title']")
        self.holds(lambda: len(text.inner_text()) < 70_000)
        self.page.locator("[id='all-Book/2-title']").click()
        self.until("() => document.getElementById('text-Book/2-title').textContent.length === 100005")

    def test_nothing_can_be_changed(self):
        expect(self.page.locator("#save")).to_have_count(0)
        bodies = {
            "set": {"id": "Book/3", "key": "title", "text": "x"}, "add": {"entity": "Book"}, "delete": {"ids": ["Book/3"]},
            "link": {"id": "Book/3", "key": "author", "to": "Author/1", "removing": False}, "undo": {}, "redo": {}, "save": {},
        }
        for name, body in bodies.items():
            status, answer = self.ask("POST", f"/api/{name}", body)
            self.assertEqual((403, "readonly"), (status, answer["error"]["code"]), name)

"""The browser of stores by keys alone: nothing is clicked, and nothing gets the focus but by a key."""

import re

from store import StoreTest, expect, history


class Keys(StoreTest):
    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)

    def focused(self):
        return self.page.evaluate("document.activeElement.id")

    def tab_to(self, id, key="Tab"):
        """Presses Tab until something has the focus."""
        seen = []
        self.answered()
        for _ in range(400):
            if self.focused() == id:
                return
            seen.append(self.focused())
            self.press(key)
        self.fail(f"{id} is not reached by {key}: {seen[-30:]}")

    def go_to(self, part):
        """Goes to a part of the window, over those between."""
        self.answered()
        for _ in range(3):
            self.press("F6")
            if self.is_in(part):
                return
        self.fail(f"{part} is not reached by F6")

    def go_to_end(self, id):
        """Goes to something behind the table, without all its rows: back from the first part, beyond the beginning."""
        self.go_to("sidebar")
        self.tab_to(id, "Shift+Tab")

    def is_in(self, part):
        return self.page.evaluate("id => document.getElementById(id).contains(document.activeElement)", part)


class Reading(Keys):
    def show_books(self, page=None):
        self.tab_to("entity-Book")
        self.press("Enter")
        expect(self.page.locator("#title")).to_have_text("Book")
        expect(self.page.locator("#count")).to_have_text("250 objects")
        expect(self.page.locator("#entity-Book")).to_be_focused()

    def test_the_skip_link_leads_to_the_objects(self):
        self.press("Tab")
        expect(self.page.get_by_role("link", name="Skip to the objects")).to_be_focused()
        self.press("Enter")
        expect(self.page.locator("#objects")).to_be_focused()

    def test_a_table_is_filtered_with_completion_sorted_and_paged(self):
        page = self.page
        self.show_books()
        self.tab_to("predicate")
        page.keyboard.type("auth")
        expect(page.get_by_role("option")).to_have_text(["author", "authorName"])
        self.press("ArrowDown", "ArrowDown")
        expect(page.get_by_role("option", selected=True)).to_have_text("authorName")
        self.press("Enter")
        page.keyboard.type(" == 'Ada'")
        self.tab_to("apply")
        self.press("Enter")
        expect(page.locator("#count")).to_have_text("125 objects")
        expect(page.locator("#apply")).to_be_focused()
        self.tab_to("sort-price")
        self.press("Enter")
        expect(page.locator("th[aria-sort=ascending]")).to_contain_text("price")
        expect(page.locator("#sort-price")).to_be_focused()
        self.press("Enter")
        expect(page.locator("th[aria-sort=descending]")).to_contain_text("price")
        self.loaded()
        self.go_to_end("next")
        self.press("Enter")
        expect(page.locator("table.objects tbody tr")).to_have_count(25)
        # There are no more pages: the focus goes to what leads back.
        expect(page.locator("#next")).to_be_disabled()
        expect(page.locator("#previous")).to_be_focused()
        self.press("Enter")
        expect(page.locator("table.objects tbody tr")).to_have_count(100)
        expect(page.locator("#next")).to_be_focused()
        self.go_to("objects")
        self.tab_to("clear")
        self.press("Enter")
        expect(page.locator("#count")).to_have_text("250 objects")
        expect(page.locator("#predicate")).to_be_focused()

    def test_a_table_is_scrolled(self):
        page = self.page
        self.show_books()
        self.tab_to("scroll")
        for _ in range(5):
            self.press("ArrowDown", "ArrowRight")
        self.until("() => document.getElementById('scroll').scrollTop > 0")
        page.evaluate("import('/files/state.js').then(({ changed }) => changed())")
        expect(page.locator("#scroll")).to_be_focused()

    def test_links_are_followed_and_objects_closed(self):
        page = self.page
        self.show_books()
        self.tab_to("row-Book/3")
        self.press("Enter")
        expect(page.locator("#object")).to_have_text("Book 003")
        expect(page.locator("[id='row-Book/3']")).to_be_focused()
        self.go_to("detail")
        self.tab_to("to-Book/3-author-Author/2")
        self.press("Enter")
        expect(page.locator("#object")).to_have_text("Bo")
        # The link has gone with its object; one goes on from there.
        expect(page.locator("#detail")).to_be_focused()
        self.tab_to("table-Author/2-books")
        self.press("Enter")
        expect(page.locator("#count")).to_have_text("125 objects")
        self.go_to("objects")
        self.tab_to("unrelate")
        self.press("Enter")
        expect(page.locator("#count")).to_have_text("250 objects")
        self.has_focus("objects")
        self.go_to("detail")
        expect(page.locator("#close")).to_be_focused()
        self.press("Enter")
        expect(page.locator("#detail")).not_to_be_visible()
        self.has_focus("objects")

    def test_a_chart_is_opened_and_counts_by_what_is_chosen(self):
        page = self.page
        self.show_books()
        self.tab_to("mode-chart")
        self.press("Enter")
        expect(page.locator("svg.bars")).to_be_visible()
        self.tab_to("chart-by")
        page.keyboard.type("publishD")
        self.press("Enter")
        expect(page.locator("#chart-by")).to_have_value("publishDate")
        expect(page.locator("#chart-by")).to_be_focused()
        self.tab_to("chart-unit")
        self.press("ArrowDown", "Enter")
        expect(page.locator("#chart-unit")).to_have_value("year")
        expect(page.locator("svg.bars rect")).to_have_count(31)
        self.tab_to("fold-chart")
        self.press("Enter")
        expect(page.locator("#chart-table")).to_be_visible()
        self.tab_to("mode-table", "Shift+Tab")
        self.press("Enter")
        expect(page.locator("table.objects tbody tr")).to_have_count(100)

    def test_the_history_the_metadata_and_the_sql_are_read(self):
        page = self.page
        self.show_books()
        self.go_to_end("statements-summary")
        self.press("Enter")
        expect(page.locator("#statements pre").first).to_be_visible()
        page.evaluate("import('/files/state.js').then(({ changed }) => changed())")
        expect(page.locator("#statements-summary")).to_be_focused()
        self.press("Tab")
        self.eventually("statements-0", lambda: self.focused())
        self.go_to("sidebar")
        expect(page.locator("#entity-Book")).to_be_focused()
        self.tab_to("view-facts")
        self.press("Enter")
        expect(page.get_by_role("table", name="Metadata")).to_be_visible()
        page.route("**/api/history*", lambda route: route.fulfill(json=history(int((re.search(r"before=(\d+)", route.request.url) or [0, 5])[1]))))
        self.tab_to("page")
        self.tab_to("view-history", "Shift+Tab")
        # What is shown meanwhile may take the focus away between two keys.
        page.locator("#view-history").press("Enter")
        expect(page.get_by_role("list", name="Transactions").get_by_role("heading")).to_have_count(2)
        self.tab_to("older")
        self.press("Enter")
        expect(page.get_by_role("list", name="Transactions").get_by_role("heading")).to_have_count(4)
        self.has_focus("objects")
        self.tab_to("change-4-1", "Shift+Tab")
        self.press("Enter")
        expect(page.locator("#object")).to_have_text("Book 004")


class Writing(Keys):
    writes = True

    def test_a_value_is_changed_undone_and_saved(self):
        page = self.page
        self.tab_to("row-Author/1")
        self.press("Enter")
        expect(page.locator("#object")).to_have_text("Ada")
        self.tab_to("f-Author/1-name")
        self.press("Control+a")
        page.keyboard.type("Eve")
        # What is being typed is the field's own.
        self.press("Control+z")
        expect(page.locator("#access")).to_have_text("Saved")
        self.press("Control+a")
        page.keyboard.type("Eve")
        self.press("Enter")
        expect(page.locator("#access")).to_have_text("1 unsaved")
        expect(page.locator("[id='f-Author/1-name']")).to_be_focused()
        self.press("Control+z")
        expect(page.locator("[id='f-Author/1-name']")).to_have_value("Ada")
        expect(page.locator("#access")).to_have_text("Saved")
        self.tab_to("redo", "Shift+Tab")
        self.press("Enter")
        expect(page.locator("#access")).to_have_text("1 unsaved")
        # There is nothing more to be done again.
        expect(page.locator("#undo")).to_be_focused()
        self.tab_to("save")
        self.press("Enter")
        expect(page.locator("#status")).to_have_text("Saved.")
        expect(page.locator("#object")).to_have_text("Eve")
        self.holds(lambda: "BODY" != page.evaluate("document.activeElement.tagName"))

    def test_an_object_is_added_and_deleted(self):
        page = self.page
        self.tab_to("add")
        self.press("Enter")
        expect(page.locator("tr.new")).to_have_count(1)
        self.until("() => document.activeElement.matches('#detail input')")
        page.keyboard.type("Cy")
        self.press("Control+s")
        expect(page.locator("[id='f-Author/4-name']")).to_be_focused()
        self.tab_to("delete")
        self.press("Enter")
        expect(page.locator("tr.deleted")).to_have_count(1)
        self.has_focus("detail")
        self.press("Control+z")
        expect(page.locator("tr.deleted")).to_have_count(0)

"""The browser of stores for everybody: keyboard, screen readers, narrow windows, dark colours, strangers."""

import http.client
import sqlite3

from browser import Server, long
from checks import cut_off, problems, too_wide, violations
from editor import program
from store import LANDMARKS, StoreTest, expect, make_store


class Access(StoreTest):
    weight = 4

    def views(self, page):
        """Shows every view in turn, and gives its name."""
        self.show_books(page)
        yield "table"
        page.locator("[id='row-Book/1']").click()
        expect(page.locator("img.picture")).to_be_visible()
        page.locator("#statements summary").click()
        yield "object"
        page.locator("#mode-chart").click()
        expect(page.locator("svg.bars")).to_be_visible()
        page.get_by_text("As a table").click()
        yield "chart"
        page.locator("#mode-table").click()
        page.locator("#predicate").fill("title ==")
        expect(page.locator("#predicate-check .problem")).to_be_visible()
        yield "problem"
        page.locator("#view-facts").click()
        expect(page.get_by_role("table", name="Metadata")).to_be_visible()
        yield "metadata"
        self.show_history(page)
        yield "history"
        self.show_books(page)
        page.locator("#predicate").fill("")
        page.locator("#predicate").press_sequentially("aut")
        expect(page.get_by_role("option").first).to_be_visible()
        yield "completion"
        page.locator("#predicate").fill("")
        page.locator("#entity-Author").click()
        page.locator("[id='row-Author/2']").click()
        page.get_by_role("button", name="Show all 125 in a table").click()
        expect(page.locator(".related")).to_be_visible()
        yield "related objects"

    def test_every_view_passes_the_checks_in_light_and_in_dark(self):
        for scheme in ["light", "dark"]:
            page = self.window(color_scheme=scheme, viewport={"width": 1280, "height": 900})
            self.enter(page)
            for view in self.views(page):
                with self.subTest(view=view, scheme=scheme):
                    self.eventually([], lambda: problems(page, LANDMARKS))
                    self.eventually([], lambda: violations(page))
                    self.eventually([], lambda: cut_off(page))

    def phone_views(self, page):
        """The parts that a phone shows, one at a time."""
        page.locator("#pane-sidebar").click()
        yield "entities"
        page.locator("#entity-Book").click()
        expect(page.locator("table.objects tbody tr")).to_have_count(100)
        yield "table"
        page.locator("[id='row-Book/1']").click()
        expect(page.locator("img.picture")).to_be_visible()
        yield "object"
        page.locator("#pane-objects").click()
        page.locator("#mode-chart").click()
        expect(page.locator("svg.bars")).to_be_visible()
        yield "chart"
        page.locator("#pane-sidebar").click()
        page.locator("#view-facts").click()
        expect(page.get_by_role("table", name="Metadata")).to_be_visible()
        yield "metadata"
        page.locator("#pane-sidebar").click()
        self.show_history(page)
        yield "history"

    @long
    def test_every_view_of_a_phone_passes_the_checks(self):
        for scheme in ["light", "dark"]:
            page = self.window(color_scheme=scheme, viewport={"width": 360, "height": 740})
            page.goto(self.app.entrance)
            expect(page.locator("#title")).to_have_text("Author")
            for view in self.phone_views(page):
                with self.subTest(view=view, scheme=scheme):
                    self.eventually([], lambda: violations(page))
                    self.eventually([], lambda: cut_off(page))
                    self.eventually([], lambda: too_wide(page))

    @long
    def test_nothing_is_wider_than_the_window(self):
        for width in [360, 768, 1000, 1440]:
            page = self.window(viewport={"width": width, "height": 740})
            page.goto(self.app.entrance)
            expect(page.locator("#title")).to_have_text("Author")
            with self.subTest(width=width):
                self.eventually([], lambda: too_wide(page))
                page.evaluate("document.querySelector('#entity-Book').click()")
                page.locator("[id='row-Book/1']").click()
                expect(page.locator("img.picture")).to_be_visible()
                self.eventually([], lambda: too_wide(page))

    @long
    def test_long_names_and_right_to_left_text(self):
        for width in [360, 1280]:
            page = self.window(viewport={"width": width, "height": 800})
            page.goto(self.app.entrance)
            page.locator("[id='row-Author/3']").click()
            expect(page.locator("#object")).to_have_text("כותבת")
            expect(page.locator("#object")).to_have_css("direction", "rtl")
            with self.subTest(width=width):
                self.eventually([], lambda: too_wide(page))
                self.eventually([], lambda: cut_off(page))
            page.evaluate("document.querySelector('#entity-Book').click()")
            expect(page.locator("#title")).to_have_text("Book")
            page.locator("[id='row-Book/2']").dispatch_event("click")
            expect(page.locator("#object")).to_contain_text("long xxx")
            with self.subTest(width=width):
                self.eventually([], lambda: too_wide(page))
                self.eventually([], lambda: cut_off(page))

    def test_a_phone_shows_one_part_at_a_time(self):
        page = self.window(viewport={"width": 360, "height": 740})
        page.goto(self.app.entrance)
        expect(page.locator("#objects")).to_be_visible()
        expect(page.locator("#sidebar")).not_to_be_visible()
        page.locator("#pane-sidebar").click()
        page.locator("#entity-Book").click()
        expect(page.locator("#title")).to_have_text("Book")
        page.locator("[id='row-Book/1']").click()
        expect(page.locator("#detail")).to_be_visible()
        expect(page.locator("#objects")).not_to_be_visible()

    def test_an_object_is_found_by_the_keyboard_alone(self):
        page = self.page
        page.keyboard.press("Tab")
        expect(page.get_by_role("link", name="Skip to the objects")).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.locator("#objects")).to_be_focused()
        page.locator("#entity-Book").focus()
        page.keyboard.press("Enter")
        expect(page.locator("#title")).to_have_text("Book")
        expect(page.locator("#entity-Book")).to_be_focused()
        page.locator("#sort-title").focus()
        page.keyboard.press("Enter")
        expect(page.locator("th[aria-sort=ascending]")).to_contain_text("title")
        expect(page.locator("#sort-title")).to_be_focused()
        page.locator("[id='row-Book/3']").focus()
        page.keyboard.press("Enter")
        expect(page.locator("#object")).to_have_text("Book 003")
        for part in ["detail", "sidebar", "objects"]:
            page.keyboard.press("F6")
            self.has_focus(part)

    def test_without_the_token_there_is_nothing(self):
        for path in ["/", "/api/store", "/api/rows?entity=Book", "/files/main.js", "/api/export?entity=Book&format=csv"]:
            connection = http.client.HTTPConnection("127.0.0.1", self.app.port, timeout=30)
            connection.request("GET", path)
            self.assertEqual(401, connection.getresponse().status, path)
            connection.close()


class Changes(StoreTest):
    """A store that is open for changes."""

    writes = True

    def test_rows_that_are_not_saved_pass_the_checks(self):
        for scheme in ["light", "dark"]:
            page = self.window(color_scheme=scheme, viewport={"width": 1280, "height": 900})
            self.enter(page)
            for path, body in [
                ("/api/set", {"id": "Author/1", "key": "name", "text": f"Eve {scheme}"}), ("/api/delete", {"ids": ["Author/3"]}), ("/api/add", {"entity": "Author"}),
            ]:
                self.assertEqual(200, self.ask("POST", path, body, page)[0])
            page.locator("#entity-Author").click()
            for state in ["new", "changed", "deleted"]:
                expect(page.locator(f"tr.{state}").first).to_be_visible()
            with self.subTest(scheme=scheme):
                self.eventually([], lambda: problems(page, LANDMARKS))
                self.eventually([], lambda: violations(page))
                self.eventually([], lambda: cut_off(page))
                self.eventually([], lambda: too_wide(page))


class Unknown(StoreTest):
    """A store that has no copy of its model."""

    def start_server(self):
        folder = self.make_folder()
        path = make_store(folder)
        with sqlite3.connect(path) as database:
            database.execute("DELETE FROM Z_MODELCACHE")
        database.close()
        return Server(program(), "browse", "--no-open", path)

    def enter(self, page=None):
        page = page or self.page
        page.goto(self.app.entrance)
        expect(page.locator(".notice")).to_be_visible()

    @long
    def test_its_notice_passes_the_checks(self):
        for width, scheme in [(1280, "light"), (1280, "dark"), (360, "light"), (360, "dark")]:
            page = self.window(color_scheme=scheme, viewport={"width": width, "height": 800})
            self.enter(page)
            with self.subTest(width=width, scheme=scheme):
                expect(page.locator(".notice")).to_contain_text("model")
                self.eventually([], lambda: violations(page))
                self.eventually([], lambda: cut_off(page))
                self.eventually([], lambda: too_wide(page))

"""The page for everybody: keyboard, screen readers, narrow windows, dark colours."""

from app import PageTest, expect
from checks import problems, too_wide


class Access(PageTest):
    allowed = ("422", "404")

    def paths(self):
        """An address of every kind of page."""
        self.open_book("Villette")
        self.change({"Title": "Villette, a Novel"})
        expect(self.page.get_by_role("heading", level=1)).to_have_text("Villette, a Novel")
        book = self.page.url.removeprefix(self.app.url)
        return [
            "/", "/?q=villet", "/?q=kafka", "/?q=kafka&by=canonical", "/?q=xyzzy", "/?author=Franz%20Kafka", book, f"{book}/edit", f"{book}/delete", "/books/new",
            "/authors", "/authors/edit?name=Franz%20Kafka", "/changes", "/discard", "/help", "/nothing",
        ]

    def test_every_page_passes_the_checks_in_light_and_in_dark(self):
        paths = self.paths()
        for scheme in ["light", "dark"]:
            page = self.window(color_scheme=scheme)
            for path in paths:
                self.open(path, page)
                with self.subTest(path=path, scheme=scheme):
                    self.eventually([], lambda: problems(page))

    def test_a_refused_form_passes_the_checks(self):
        self.open("/books/new")
        self.page.get_by_role("button", name="Add the book").click()
        expect(self.page.get_by_role("alert")).to_be_visible()
        self.eventually([], lambda: problems(self.page))

    def test_nothing_is_wider_than_a_small_phone(self):
        paths = self.paths()
        for width in [360, 768]:
            page = self.window(viewport={"width": width, "height": 740})
            for path in paths:
                self.open(path, page)
                with self.subTest(path=path, width=width):
                    self.eventually([], lambda: too_wide(page))

    def test_dark_is_dark(self):
        page = self.window(color_scheme="dark")
        self.open("/", page)
        def color():
            return page.evaluate("getComputedStyle(document.body).backgroundColor")
        self.holds(lambda: sum(int(part) for part in color()[4:-1].split(",")) < 150)

    def test_the_first_tab_leads_past_the_navigation(self):
        self.open()
        self.page.keyboard.press("Tab")
        link = self.page.get_by_role("link", name="Skip to the content")
        expect(link).to_be_focused()
        expect(link).to_be_in_viewport()
        self.page.keyboard.press("Enter")
        expect(self.page.locator("main")).to_be_focused()

    def test_focus_is_visible_and_wraps_around(self):
        self.open("/?q=villette")
        self.page.get_by_role("link", name="Villette").first.wait_for()
        seen = []
        for _ in range(80):
            self.page.keyboard.press("Tab")
            place = self.page.evaluate(
                """() => { const e = document.activeElement; const s = getComputedStyle(e);
                     return e === document.body ? null :
                       [e.localName === "a" ? e.textContent.trim().slice(0, 30) : e.id, s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 2] }""")
            if place is None:
                break
            self.assertTrue(place[1], f"no visible focus: {place[0]}")
            seen.append(place[0])
        else:
            self.fail("the focus does not leave the page")
        self.assertIn("q", seen)
        self.assertIn("Villette", seen)

    def tab_to(self, is_there, limit=80):
        for _ in range(limit):
            self.page.keyboard.press("Tab")
            if self.page.evaluate(f"(() => {{ const e = document.activeElement; return {is_there} }})()"):
                return
        self.fail(f"no way by the Tab key to {is_there}")

    def test_editing_with_the_keyboard_alone(self):
        page, keyboard = self.page, self.page.keyboard
        self.open()
        keyboard.press("/")
        expect(page.get_by_label("Search books")).to_be_focused()
        keyboard.type("villette")
        expect(page.locator(".book")).to_have_count(1)
        self.tab_to("e.textContent === 'Villette'")
        keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text("Villette")
        self.tab_to("e.id === 'edit'")
        keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text("Change a book")
        self.tab_to("e.id === 'title'")
        keyboard.press("End")
        keyboard.type("!")
        keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text("Villette!")
        keyboard.press("Control+z")
        expect(page.get_by_role("heading", level=1)).to_have_text("Villette")
        keyboard.press("Control+Shift+z")
        expect(page.get_by_role("heading", level=1)).to_have_text("Villette!")
        keyboard.press("Control+s")
        self.unsaved("Everything is saved")
        keyboard.press("n")
        expect(page.get_by_role("heading", level=1)).to_have_text("New book")
        self.tab_to("e.id === 'title'")
        keyboard.type("By keys")
        keyboard.press("Control+s")
        expect(page.get_by_role("heading", level=1)).to_have_text("By keys")

    def test_single_keys_can_be_turned_off(self):
        self.open("/help")
        self.page.get_by_label("Keys without Ctrl").uncheck()
        self.open()
        self.page.keyboard.press("n")
        self.page.keyboard.press("/")
        expect(self.page.get_by_label("Search books")).not_to_be_focused()
        expect(self.page.get_by_role("heading", level=1)).to_have_text("Books")

    def test_reduced_motion_is_respected(self):
        page = self.window(reduced_motion="reduce")
        self.open("/?q=villette", page)
        self.open_book("Villette")
        self.change({"Price": "1"})
        expect(page.locator(".is-fresh")).to_have_count(1)
        self.eventually("none", lambda: page.locator(".is-fresh").evaluate("e => getComputedStyle(e).animationName"))

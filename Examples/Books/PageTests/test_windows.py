"""Several windows on one document."""

from app import PageTest, expect


class Windows(PageTest):
    # The browser logs answers that refuse a form, or say that a book is gone.
    allowed = ("409", "404", "ERR_")

    def test_a_second_window_follows_live(self):
        one, two = self.page, self.window(locale="de-DE")
        self.open("/?q=villette", two)
        self.open_book("Villette", one)
        self.change({"Price": "3.21"}, one)
        expect(two.locator(".book .price [lang]")).to_have_text("3,21")
        expect(two.locator(".book .badge")).to_contain_text("Changed")
        self.unsaved("Not saved: 1 changed", two)
        two.get_by_role("button", name="Undo").click()
        expect(one.locator(".facts .price")).to_contain_text("89.95")
        self.unsaved("Everything is saved", one)

    def test_new_and_deleted_books_come_and_go(self):
        one, two = self.page, self.window()
        self.open("/?from=2024-12", two)
        before = two.locator(".book h3").first.inner_text()
        self.open("/books/new", one)
        one.get_by_label("Title").fill("Brand new")
        one.get_by_label("Published").fill("2024-06-01")
        one.get_by_role("button", name="Add the book").click()
        new = two.locator(".book").filter(has_text="Brand new")
        expect(new).to_have_attribute("data-state", "new")
        one.get_by_role("button", name="Undo").click()
        expect(new).to_have_count(0)
        expect(two.locator(".book h3").first).to_have_text(before)
        # The window that showed the book says that it is gone, and shows it when it comes back.
        expect(one.get_by_role("heading", level=1)).to_have_text("There is nothing here")
        self.unsaved("Everything is saved", one)
        one.get_by_role("button", name="Redo").click()
        expect(one.get_by_role("heading", level=1)).to_have_text("Brand new")

    def test_a_change_before_the_window_listens_is_not_missed(self):
        one, two = self.page, self.window()
        self.open_book("Villette", one)
        held = []
        two.route("**/events*", lambda route: held.append(route))
        with two.expect_request("**/events*"):
            self.open("/?q=villette", two)
        self.change({"Price": "3.21"}, one)
        self.unsaved("Not saved: 1 changed", one)
        self.unsaved("Everything is saved", two)
        for route in held:
            route.continue_()
        expect(two.locator(".book .price [lang]")).to_have_text("3.21")

    def test_windows_find_the_server_again_after_a_restart(self):
        one = self.page
        self.open_book("Villette", one)
        self.change({"Price": "3.21"}, one)
        self.unsaved("Not saved: 1 changed", one)
        self.app.restart()
        # The change was not saved; the window hears of it by itself, and its buttons work.
        self.unsaved("Everything is saved", one)
        expect(one.locator(".facts .price")).to_contain_text("89.95")
        self.change({"Price": "4.32"}, one)
        one.get_by_role("button", name="Save").click()
        expect(one.locator("#notice")).to_contain_text("Derived values are up to date")

    def test_a_save_in_one_window_shows_derived_values_in_the_other(self):
        one, two = self.page, self.window()
        self.open("/authors", two)
        row = two.get_by_role("row").filter(has_text="Charlotte Brontë")
        total = row.locator(".number").last.inner_text()
        self.open_book("Villette", one)
        self.change({"Price": "1000"}, one)
        self.unsaved("Not saved: 1 changed", two)
        expect(row.locator(".number").last).to_have_text(total)
        one.get_by_role("button", name="Save").click()
        expect(row.locator(".number").last).not_to_have_text(total)

    def test_two_forms_of_one_book(self):
        one, two = self.page, self.window()
        for page in (one, two):
            self.open_book("Villette", page)
            page.get_by_role("link", name="Change", exact=True).click()
            page.get_by_label("Price").fill("1" if page is one else "2")
        one.get_by_role("button", name="Keep the changes").click()
        expect(two.locator("#meanwhile")).to_contain_text("changed in another window")
        expect(two.get_by_label("Price")).to_have_value("2")
        two.get_by_role("button", name="Keep the changes").click()
        expect(two.get_by_role("alert")).to_contain_text("This book has changed")
        expect(two.get_by_label("Price")).to_have_value("2")
        two.get_by_role("button", name="Keep the changes").click()
        expect(two.locator(".facts .price")).to_contain_text("2.00")

    def test_typing_a_search_is_followed_too(self):
        one, two = self.page, self.window()
        self.open("/", two)
        two.get_by_label("Search books").fill("villet")
        expect(two.locator(".book")).to_have_count(1)
        two.get_by_label("Search books").focus()
        self.open_book("Villette", one)
        self.change({"Price": "4.44"}, one)
        expect(two.locator(".book .price [lang]")).to_have_text("4.44")
        expect(two.get_by_label("Search books")).to_be_focused()
        expect(two.get_by_label("Search books")).to_have_value("villet")

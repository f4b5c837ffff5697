"""Several windows on one document."""

from app import PageTest, expect


class Windows(PageTest):
    allowed = ("409",)

    def test_a_second_window_follows_live(self):
        one, two = self.page, self.window(locale="de-DE")
        self.open("/?q=bartleby", two)
        self.open_book("Bartleby", one)
        self.change({"Price": "3.21"}, one)
        expect(two.locator(".book .price [lang]")).to_have_text("3,21")
        expect(two.locator(".book .badge")).to_contain_text("Changed")
        self.unsaved("Not saved: 1 changed", two)
        two.get_by_role("button", name="Undo").click()
        expect(one.locator(".facts .price")).to_contain_text("5.50")
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

    def test_a_save_in_one_window_shows_derived_values_in_the_other(self):
        one, two = self.page, self.window()
        self.open("/authors", two)
        row = two.get_by_role("row").filter(has_text="Herman Melville")
        total = row.locator(".number").last.inner_text()
        self.open_book("Bartleby", one)
        self.change({"Price": "1000"}, one)
        self.unsaved("Not saved: 1 changed", two)
        expect(row.locator(".number").last).to_have_text(total)
        one.get_by_role("button", name="Save").click()
        expect(row.locator(".number").last).not_to_have_text(total)

    def test_two_forms_of_one_book(self):
        one, two = self.page, self.window()
        for page in (one, two):
            self.open_book("Bartleby", page)
            page.get_by_role("link", name="Change", exact=True).click()
            page.get_by_label("Price").fill("1" if page is one else "2")
        one.get_by_role("button", name="Keep the changes").click()
        expect(two.locator("#meanwhile")).to_contain_text("changed in another window")
        expect(two.get_by_label("Price")).to_have_value("2")
        two.get_by_role("button", name="Keep the changes").click()
        expect(two.get_by_role("alert")).to_contain_text("Somebody else was faster")
        expect(two.get_by_label("Price")).to_have_value("2")
        two.get_by_role("button", name="Keep the changes").click()
        expect(two.locator(".facts .price")).to_contain_text("2.00")

    def test_typing_a_search_is_followed_too(self):
        one, two = self.page, self.window()
        self.open("/", two)
        two.get_by_label("Search titles").fill("bartle")
        expect(two.locator(".book")).to_have_count(1)
        two.get_by_label("Search titles").focus()
        self.open_book("Bartleby", one)
        self.change({"Price": "4.44"}, one)
        expect(two.locator(".book .price [lang]")).to_have_text("4.44")
        expect(two.get_by_label("Search titles")).to_be_focused()
        expect(two.get_by_label("Search titles")).to_have_value("bartle")

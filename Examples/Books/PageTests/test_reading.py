"""The list: what a first launch shows, languages, search, pages."""

import csv
import re

from app import CATALOGUE, PageTest, expect


def catalogue():
    with open(CATALOGUE, encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


class FirstLaunch(PageTest):
    is_first = True

    def test_first_launch_makes_the_books_of_the_catalogue(self):
        count = len(catalogue())
        self.assertIn(f"added {count} books", self.app.output)
        self.open()
        expect(self.page.get_by_role("status").filter(has_text="books")).to_have_text(f"{count} books")
        if count < 300:
            self.skipTest(f"the catalogue has {count} books only")


class Reading(PageTest):
    shared = True

    def test_all_pages_together_show_every_book(self):
        self.open()
        titles = []
        while True:
            rows = self.page.locator(".book h3").all_inner_texts()
            self.assertLessEqual(len(rows), 100)
            titles += rows
            following = self.page.get_by_role("link", name="Next page")
            if not following.count():
                break
            with self.page.expect_navigation():
                following.click()
        self.assertEqual(sorted(titles), sorted(book["title"] for book in catalogue()))

    def test_books_are_grouped_by_month(self):
        self.open()
        months = self.page.locator("#list h2 time").evaluate_all("list => list.map(time => time.dateTime)")
        self.assertGreater(len(months), 3)
        self.assertEqual(months, sorted(set(months), reverse=True))
        for section in self.page.locator("#list section").all():
            month = section.locator("h2 time")
            if not month.count():
                continue
            days = section.locator(".day time").evaluate_all("list => list.map(time => time.dateTime)")
            self.holds(lambda: days and all(day.startswith(month.get_attribute("datetime")) for day in days))

    def test_headers_are_in_the_visitors_language(self):
        for locale, month, price in [
            ("en-GB", "April 1925", "3.00"), ("de-DE", "April 1925", "3,00"), ("fr-FR", "avril 1925", "3,00"),
            ("ja-JP", "1925年4月", "3.00"),
        ]:
            page = self.window(locale=locale)
            self.open("/?q=gatsby&by=canonical", page)
            heading = page.locator("#list h2 [lang]")
            expect(heading).to_have_text(month)
            self.holds(lambda: heading.get_attribute("lang").startswith(locale[:2]))
            expect(page.locator(".book .price [lang]").first).to_have_text(price)

    def test_dates_follow_the_time_zone_of_the_browser(self):
        self.open_book("The Great Gatsby")
        expect(self.page.locator("html")).to_have_attribute("data-time-zone", "Europe/Berlin")
        berlin = self.page.locator("#value-lastModified td").last.inner_text()
        tokyo = self.window(timezone_id="Asia/Tokyo")
        self.open_book("The Great Gatsby", tokyo)
        expect(tokyo.locator("#value-lastModified td").last).not_to_have_text(berlin)

    def test_the_first_window_gets_its_time_zone_without_a_reload(self):
        page = self.window(timezone_id="Asia/Tokyo")
        self.open_book("The Great Gatsby", page)
        value = page.locator("#value-lastModified td").last
        before = value.inner_text()
        page.context.clear_cookies()
        page.reload()
        # The server knew no time zone and wrote UTC; the page asked again.
        expect(value).to_have_text(before)

    def test_years_lead_to_their_books(self):
        self.open()
        years = self.page.get_by_role("complementary", name="Years")
        years.get_by_role("link", name="1920s").click()
        expect(self.page.locator("#list h2 time").first).to_have_attribute("datetime", re.compile("^192"))
        expect(years.get_by_role("link", name="1925")).to_be_visible()

    def test_titles_from_right_to_left_stay_in_their_place(self):
        self.open("/?q=القصرين")
        title = self.page.locator(".book h3 bdi").first
        self.eventually("rtl", lambda: title.evaluate("element => getComputedStyle(element).direction"))
        self.eventually("ltr", lambda: self.page.locator(".book").first.evaluate("e => getComputedStyle(e).direction"))


class Searching(PageTest):
    shared = True

    def test_search_while_typing_ignores_case_and_accents(self):
        self.open()
        for text in ["uber die", "ÜBER DIE", "über die d"]:
            self.page.get_by_label("Search books").fill(text)
            expect(self.page.locator("#search-status")).to_have_text("1 book found")
            expect(self.page.locator(".book h3")).to_have_text(["Über die Dörfer"])
        expect(self.page).to_have_url(re.compile("q="))
        self.page.get_by_label("Search books").fill("")
        expect(self.page.locator("#search-status")).to_have_text(f"{len(catalogue())} books")

    def test_all_times_are_shown_side_by_side(self):
        self.open("/?q=uber%20die")
        rows = self.page.locator("#timings tbody tr")
        expect(rows).to_have_count(3)
        expect(rows.nth(0)).to_contain_text("context.search")
        expect(rows.nth(1)).to_contain_text("canonicalTitle CONTAINS")
        expect(rows.nth(2)).to_contain_text("title CONTAINS[cd]")
        for row in rows.all():
            expect(row.locator(".time")).to_have_text(re.compile(r"^[\d.,]+ ms$"))
        expect(self.page.locator("#timings caption")).to_contain_text("uber die")

    def test_one_search_alone_shows_its_own_time(self):
        self.open("/?q=uber%20die")
        self.page.get_by_label("title CONTAINS[cd]").check()
        expect(self.page.locator("#timings tbody tr")).to_have_count(1)
        expect(self.page.locator(".book h3")).to_have_text(["Über die Dörfer"])
        expect(self.page).to_have_url(re.compile("by=plain"))

    def test_an_empty_result_is_reported(self):
        self.open()
        self.page.get_by_label("Search books").fill("xyzzy")
        expect(self.page.locator("#search-status")).to_have_text("0 books found")
        expect(self.page.locator("#list")).to_contain_text("No title, abstract or author’s name has these words")
        expect(self.page.locator(".book")).to_have_count(0)
        self.page.get_by_label("canonicalTitle CONTAINS").check()
        expect(self.page.locator("#list")).to_contain_text("No book has this in its title")

    def test_found_words_are_marked_with_the_reason_and_the_rank(self):
        self.open()
        self.page.get_by_label("Search books").press_sequentially("dorfer uber")
        row = self.page.locator(".book")
        expect(self.page.locator("#search-status")).to_have_text("1 book found")
        expect(row.locator("h3 mark")).to_have_text(["Über", "Dörfer"])
        expect(row.locator(".reason mark")).to_have_text(["Über", "Dörfer"])
        expect(row.locator(".reason")).to_contain_text("is a book by Peter Handke.")
        expect(row.locator(".where")).to_have_text(re.compile(r"^In the title, abstract · rank \d+\.\d\d$"))
        # A mark is seen, and not only in the text.
        title = row.locator("h3 mark").first
        self.holds(lambda: title.evaluate(
            "e => getComputedStyle(e).backgroundColor !== getComputedStyle(e.closest('.book')).backgroundColor"))

    def test_the_name_of_an_author_finds_the_books(self):
        books = [book["title"] for book in catalogue() if book["author"] == "Franz Kafka"]
        self.open("/?q=kafk")
        expect(self.page.locator("#search-status")).to_have_text(f"{len(books)} books found")
        self.eventually(sorted(books), lambda: sorted(self.page.locator(".book h3").all_inner_texts()))
        expect(self.page.locator(".book .author mark")).to_have_text(["Kafka"] * len(books))
        expect(self.page.locator(".where").first).to_contain_text("author’s name")
        # The searches of titles do not find them, and are one step away.
        rows = self.page.locator("#timings tbody tr")
        expect(rows.nth(1)).to_contain_text("0 found")
        rows.nth(1).get_by_role("link").click()
        expect(self.page).to_have_url(re.compile("by=canonical"))
        expect(self.page.locator("#search-status")).to_have_text("0 books found")
        expect(self.page.get_by_label("canonicalTitle CONTAINS")).to_be_checked()

    def test_an_empty_search_shows_all_books_by_month(self):
        self.open("/?q=kafka&by=words")
        expect(self.page.locator("mark").first).to_be_visible()
        expect(self.page.locator("#timings tbody tr")).to_have_count(1)
        self.page.get_by_label("Search books").fill("")
        expect(self.page.locator("#search-status")).to_have_text(f"{len(catalogue())} books")
        expect(self.page.locator("#list h2 time").first).to_be_visible()
        expect(self.page.locator("mark")).to_have_count(0)
        expect(self.page.locator("#timings tbody tr")).to_have_count(0)

    def test_the_books_of_an_author(self):
        self.open("/?q=process")
        self.page.get_by_role("link", name="Franz Kafka").click()
        expect(self.page.get_by_role("heading", level=1)).to_have_text("Books by Franz Kafka")
        self.holds(lambda: self.page.locator(".book").count() >= 2)
        self.page.get_by_label("Search books").fill("verwandlung")
        expect(self.page.locator(".book")).to_have_count(1)


class WithoutScript(PageTest):
    options = {"java_script_enabled": False}

    def test_reading_and_searching_work(self):
        self.open()
        self.page.get_by_label("Search books").fill("uber die")
        self.page.get_by_role("button", name="Search").click()
        expect(self.page.locator(".book h3")).to_have_text(["Über die Dörfer"])
        expect(self.page.locator(".book h3 mark")).to_have_text(["Über", "die"])
        self.page.get_by_role("link", name="Über die Dörfer").click()
        expect(self.page.get_by_role("heading", level=1)).to_have_text("Über die Dörfer")
        expect(self.page.get_by_role("table").last).to_contain_text("ZCANONICALTITLE")

    def test_changing_and_saving_work_too(self):
        self.open_book("Die Verwandlung")
        self.change({"Price": "7.77"})
        expect(self.page.locator("#notice")).to_contain_text("not saved yet")
        self.unsaved("Not saved: 1 changed")
        self.page.get_by_role("button", name="Undo").click()
        self.unsaved("Everything is saved")
        self.page.get_by_role("button", name="Redo").click()
        self.page.get_by_role("button", name="Save").click()
        expect(self.page.locator("#notice")).to_contain_text("Everything is saved")
        expect(self.page.locator(".facts .price")).to_contain_text("7.77")

"""The browser of stores in a browser, with a store of its own."""

import base64
import hashlib
import json
import plistlib
import re
import shutil
import subprocess

from browser import BrowserTest, Server, expect, made_once
from checks import cut_off, problems, too_wide, violations
from editor import BOOKS, program

LANDMARKS = ("[role=main]", "header.top", "h1")

# One red point.
PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="

HOSTILE_TITLE = "<img src=x onerror=alert(1)> & \"quotes\" 'too'"


def color():
    """A keyed archive as the tint of a book."""
    uid = plistlib.UID
    return base64.b64encode(plistlib.dumps({
        "$archiver": "NSKeyedArchiver", "$version": 100000, "$top": {"root": uid(1)},
        "$objects": ["$null", {"red": 0.25, "title": uid(3), "$class": uid(2)}, {"$classname": "Tint", "$classes": ["Tint", "NSObject"]}, "dusk"],
    }, fmt=plistlib.FMT_BINARY)).decode()


def sample():
    """Three authors and 250 books."""
    authors = [{"objectID": f"Author/{number}", "name": name} for number, name in enumerate(["Ada", "Bo", "כותבת"], 1)]
    books = []
    for number in range(1, 251):
        books.append({
            "objectID": f"Book/{number}", "title": f"Book {number:03}", "price": f"{number % 40}.50",
            "publishDate": f"{1990 + number % 30}-{1 + number % 12:02}-15T12:00:00Z", "author": f"Author/{1 + number % 2}",
            "uuid": f"00000000-0000-0000-0000-{number:012}",
        })
    books[0].update(title=HOSTILE_TITLE, abstract=PICTURE, tintColor=color())
    books[1].update(title="long " + "x" * 100_000, price=None, publishDate=None)
    return [{"name": "Author", "objects": authors}, {"name": "Book", "objects": books}]


def import_store(folder, name, entities, model):
    """A store with the objects of a dump, which has a copy of its model. The model is a file, or the text of one. It is imported
    once; each test gets a copy of its own."""
    dump = json.dumps({"format": "coredata-dump", "version": 1, "entities": entities})

    def make(place):
        source = model
        if isinstance(model, str):
            source = place / f"{name}.xcdatamodel"
            source.mkdir()
            (source / "contents").write_text(model)
        (place / "dump.json").write_text(dump)
        (place / "store").mkdir()
        subprocess.run(
            [program(), "store", "import", place / "store" / f"{name}.sqlite", place / "dump.json", "--model", source], check=True,
            stdout=subprocess.DEVNULL, timeout=120)

    known = hashlib.sha256(f"{name} {model} {dump}".encode()).hexdigest()[:16]
    shutil.copytree(made_once(f"store-{known}", make) / "store", folder, dirs_exist_ok=True)
    return folder / f"{name}.sqlite"


def make_store(folder):
    """A store of the sample."""
    return import_store(folder, "Books", sample(), BOOKS)


def history(before):
    """A part of a long history, as the server answers it: two transactions before another one."""
    changes = [
        {"kind": "insert", "object": "Book/3", "properties": [], "tombstone": {}},
        {"kind": "update", "object": "Book/4", "properties": ["price", "title"], "tombstone": {}},
        {"kind": "delete", "object": "Author/9", "properties": [], "tombstone": {"name": "Zoe"}},
    ]
    numbers = [number for number in [before - 1, before - 2] if number > 0]
    transactions = [
        {"number": number, "date": "2024-02-03T04:05:06Z", "author": "the program", "context": "import", "bundle": "", "process": "reader",
         "changes": changes, "changeCount": 103} for number in numbers]
    statement = {"title": "History", "sql": f"SELECT {before}", "plan": ["SCAN CONSTANT ROW"], "milliseconds": 0.5}
    return {"isKept": True, "transactions": transactions, "next": numbers[-1] if numbers[-1] > 1 else None, "statements": [statement]}


class StoreTest(BrowserTest):
    """A test with a browser of a store, open in a window."""

    # Whether the store is open for changes. Otherwise all tests of a class have the same one.
    writes = False
    # A refused request is an answer that browsers log.
    allowed = ("403", "404", "409", "422", "400", "503")

    def __init_subclass__(cls):
        cls.shared = not cls.writes

    def make(self):
        """The store to browse."""
        return make_store(self.folder)

    def start_server(self):
        self.folder = self.make_folder()
        self.path = self.make()
        return Server(program(), "browse", "--no-open", *(["--write"] if self.writes else []), self.path)

    def setUp(self):
        super().setUp()
        self.enter()

    def enter(self, page=None):
        page = page or self.page
        page.goto(self.app.entrance)
        expect(page.locator("#title")).to_have_text("Author")
        expect(page.locator("#entity-Book .count")).to_have_text("250")

    def show_books(self, page=None):
        page = page or self.page
        page.locator("#entity-Book").click()
        expect(page.locator("#count")).to_have_text("250 objects")
        expect(page.locator("table.objects tbody tr")).to_have_count(100)

    def show_history(self, page):
        """Shows a history of four transactions, which the server has not."""
        def answer(route):
            before = re.search(r"before=(\d+)", route.request.url)
            route.fulfill(json=history(int(before[1]) if before else 5))
        page.route("**/api/history*", answer)
        page.locator("#view-history").click()
        expect(page.get_by_role("list", name="Transactions").get_by_role("heading")).to_have_count(2)

    def check_forms(self):
        """Has windows of several kinds pass all checks, as `enter` shows them."""
        for scheme, width in [("light", 1280), ("dark", 1280), ("light", 360)]:
            page = self.window(color_scheme=scheme, viewport={"width": width, "height": 900})
            self.enter(page)
            with self.subTest(scheme=scheme, width=width):
                if width > 760:
                    self.assertEqual([], problems(page, LANDMARKS))
                self.assertEqual([], violations(page))
                self.assertEqual([], cut_off(page))
                self.assertEqual([], too_wide(page))

    def filter(self, predicate):
        self.page.locator("#predicate").fill(predicate)
        self.page.locator("#predicate").press("Enter")

    def loaded(self):
        """Waits for the page of the table that was asked for."""
        expect(self.page.locator("table.objects")).to_have_attribute("aria-busy", "false")

    def column(self, name):
        """The texts of a column."""
        return self.page.evaluate(
            """name => {
                const table = document.querySelector("table.objects");
                const index = [...table.querySelectorAll("thead th")].findIndex(head => head.textContent.startsWith(name));
                return [...table.querySelectorAll("tbody tr")].map(row => row.children[index].textContent);
            }""", name)

    def ask(self, method, path, body=None, page=None):
        """What the server answers to the page: the status and the value."""
        return (page or self.page).evaluate(
            """async ([method, path, body]) => {
                const headers = { "Content-Type": "application/json", Authorization: `Bearer ${localStorage.getItem("key")}` };
                const options = method === "POST" ? { method, headers, body: JSON.stringify(body) } : { headers };
                const answer = await fetch(path, options);
                return [answer.status, await answer.json()];
            }""", [method, path, body])

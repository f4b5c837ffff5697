"""Starts the app for a test: a program of its own, with a store of its own, on a free port."""

import shutil
import sys
from pathlib import Path

# What all page tests share.
sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "Tests/PageTests"))

from browser import ROOT, BrowserTest, Server, browser_path, built, expect, made_once  # noqa: E402, F401

CATALOGUE = ROOT / "Examples/Books/App/Resources/catalogue.csv"


def program():
    """The app: BOOKS names it, or it is where `swift build` puts it."""
    return built("books", "BOOKS")


class App(Server):
    """The running program."""

    def __init__(self, store):
        self.store = store
        super().__init__(program(), "--store", store)


def launch(folder):
    App(str(folder / "Books.sqlite")).stop()


class PageTest(BrowserTest):
    """A test with an app, a fresh store and a browser window."""

    # Whether the app makes the store.
    is_first = False

    def start_server(self):
        store = self.make_folder() / "Books.sqlite"
        # A first launch makes all books of the catalogue: once is enough, but for the test of that.
        if not self.is_first:
            shutil.copytree(made_once("launched", launch), store.parent, dirs_exist_ok=True)
        return App(str(store))

    # Steps that many tests take

    def open_book(self, title, page=None):
        """Goes from the search to a book."""
        page = page or self.page
        page.goto(f"{self.app.url}/?q={title}")
        page.get_by_role("link", name=title, exact=True).first.click()
        expect(page.get_by_role("heading", level=1)).to_have_text(title)

    def change(self, values, page=None):
        """Fills in the form of the book that is shown, and sends it."""
        page = page or self.page
        page.get_by_role("link", name="Change", exact=True).click()
        for label, value in values.items():
            page.get_by_label(label).fill(value)
        page.get_by_role("button", name="Keep the changes").click()

    def unsaved(self, text, page=None):
        expect((page or self.page).locator(".unsaved")).to_have_text(text)

"""Starts the app for a test: a program of its own, with a store of its own, on a free port."""

import faulthandler
import os
import re
import select
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from playwright.sync_api import expect, sync_playwright

ROOT = Path(__file__).resolve().parents[3]
CATALOGUE = ROOT / "Examples/Books/App/Resources/catalogue.csv"
BROWSERS = ["chromium", "chromium-browser", "google-chrome"]

expect.set_options(timeout=10_000)


def program():
    """The app: BOOKS names it, or it is where `swift build` puts it."""
    path = Path(os.environ.get("BOOKS", ROOT / ".build/debug/books"))
    if not path.exists():
        raise SystemExit(f"There is no {path}. Run `swift build --product books` first, or set BOOKS.")
    return path


def browser_path():
    """The browser: CHROMIUM names it, or it is on the PATH."""
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if not path:
        raise SystemExit("There is no Chromium. Install it (apt-get install chromium), or set CHROMIUM.")
    return path


class App:
    """The running program."""

    def __init__(self, store):
        self.store = store
        self.start()

    def restart(self):
        """Ends the program and starts it anew, on the same port."""
        code = self.stop()
        self.start(self.port)
        return code

    def start(self, port=0):
        self.process = subprocess.Popen(
            [program(), "--port", str(port), "--store", self.store],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.output = ""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            ready, _, _ = select.select([self.process.stdout], [], [], 1)
            line = self.process.stdout.readline() if ready else ""
            self.output += line
            found = re.search(r"http://localhost:(\d+)", line)
            if found:
                self.port = int(found[1])
                self.url = f"http://localhost:{self.port}"
                return
            if self.process.poll() is not None:
                break
        raise RuntimeError(f"The app did not start: {self.output}")

    def stop(self, how=signal.SIGTERM):
        """Ends the program; its exit code."""
        self.process.send_signal(how)
        code = self.process.wait(timeout=20)
        self.process.stdout.close()
        return code


class PageTest(unittest.TestCase):
    """A test with an app, a fresh store and a browser window."""

    locale = "en-GB"
    options = {}
    # Console errors that a test expects.
    allowed = ()

    @classmethod
    def setUpClass(cls):
        cls.playwright = sync_playwright().start()
        cls.browser = cls.playwright.chromium.launch(executable_path=browser_path())

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.playwright.stop()

    def setUp(self):
        # A test that hangs says where, and ends all.
        faulthandler.dump_traceback_later(120, exit=True)
        self.addCleanup(faulthandler.cancel_dump_traceback_later)
        self.folder = tempfile.TemporaryDirectory()
        self.app = App(str(Path(self.folder.name) / "Books.sqlite"))
        self.contexts = []
        self.errors = []
        self.page = self.window()

    def tearDown(self):
        for context in self.contexts:
            context.close()
        if self.app.process.poll() is None:
            self.assertEqual(self.app.stop(), 0, "the app ends cleanly")
        self.folder.cleanup()
        self.assertEqual([], self.errors, "errors in the browser's console")

    def window(self, **options):
        """A window of a visitor of its own."""
        given = {"locale": self.locale, "timezone_id": "Europe/Berlin", **self.options, **options}
        context = self.browser.new_context(**given)
        context.set_default_timeout(10_000)
        self.contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", self.note)
        return page

    def note(self, message):
        if message.type == "error" and not any(part in message.text for part in self.allowed):
            self.errors.append(message.text)

    # Steps that many tests take

    def open(self, path="/", page=None):
        (page or self.page).goto(self.app.url + path)

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

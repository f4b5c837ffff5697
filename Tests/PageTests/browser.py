"""Starts a program that serves pages, and a browser that looks at them."""

import codecs
import faulthandler
import os
import re
import select
import shutil
import signal
import subprocess
import time
import unittest
from pathlib import Path

from playwright.sync_api import expect, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
BROWSERS = ["chromium", "chromium-browser", "google-chrome"]

expect.set_options(timeout=10_000)


def built(product, variable):
    """A program of the package: the variable names it, or it is where `swift build` puts it."""
    path = Path(os.environ.get(variable, ROOT / ".build/debug" / product))
    if not path.exists():
        raise SystemExit(
            f"There is no {path}. Run `swift build --product {product}` first, or set {variable}.")
    return path


def browser_path():
    """The browser: CHROMIUM names it, or it is on the PATH."""
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if not path:
        raise SystemExit("There is no Chromium. Install it (apt-get install chromium), or set CHROMIUM.")
    return path


class Server:
    """A running program that prints the address of its page."""

    def __init__(self, *arguments):
        self.arguments = [str(argument) for argument in arguments]
        self.start()

    def restart(self):
        """Ends the program and starts it anew, on the same port."""
        code = self.stop()
        self.start(self.port)
        return code

    def start(self, port=0):
        self.process = subprocess.Popen(
            [*self.arguments, "--port", str(port)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.output = ""
        # Lines that come together would stay in a buffer, of which `select` knows nothing: what is there is read at once.
        source, text = self.process.stdout.fileno(), codecs.getincrementaldecoder("utf-8")("replace")
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if not select.select([source], [], [], 1)[0]:
                continue
            part = os.read(source, 65536)
            if not part:
                break
            self.output += text.decode(part)
            found = re.search(r"(http://(?:localhost|127\.0\.0\.1):(\d+))(\S*)\s", self.output)
            if found:
                self.url = found[1]
                self.port = int(found[2])
                # What lets a browser in, where that is needed.
                self.entrance = found[1] + found[3]
                return
        raise RuntimeError(f"The program did not start: {self.output}")

    def stop(self, how=signal.SIGTERM):
        """Ends the program; its exit code."""
        self.process.send_signal(how)
        code = self.process.wait(timeout=20)
        self.process.stdout.close()
        return code


class BrowserTest(unittest.TestCase):
    """A test with a server and browser windows. `start_server` says which server."""

    locale = "en-GB"
    options = {}
    # Console errors that a test expects.
    allowed = ()

    def start_server(self):
        raise NotImplementedError

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
        self.app = self.start_server()
        self.contexts = []
        self.errors = []
        self.page = self.window()

    def tearDown(self):
        for context in self.contexts:
            context.close()
        if self.app.process.poll() is None:
            self.assertEqual(self.app.stop(), 0, "the program ends cleanly")
        self.assertEqual([], self.errors, "errors in the browser's console")

    def window(self, **options):
        """A window of a visitor of its own."""
        # Without motion: what fades in or out has no contrast on the way.
        given = {"locale": self.locale, "timezone_id": "Europe/Berlin", "reduced_motion": "reduce", **self.options, **options}
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

    def until(self, function, argument=None, page=None):
        """Waits until a JavaScript function says yes. The pages' policy forbids the driver's own way, which evaluates text in the page."""
        deadline = time.monotonic() + 10
        while not (page or self.page).evaluate(function, argument):
            if time.monotonic() > deadline:
                self.fail(f"never became true: {function}")
            (page or self.page).wait_for_timeout(50)

    def open(self, path="/", page=None):
        (page or self.page).goto(self.app.url + path)

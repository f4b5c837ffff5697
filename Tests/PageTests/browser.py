"""Starts a program that serves pages, and a browser that looks at them."""

import atexit
import codecs
import faulthandler
import fcntl
import functools
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

ROOT = Path(__file__).resolve().parents[2]
BROWSERS = ["chromium", "chromium-browser", "google-chrome"]

# How long what a test waits for may take, in seconds. Only a test that fails waits so long, however busy the machine is.
PATIENCE = 30
expect.set_options(timeout=PATIENCE * 1000)


def long(test):
    """A test, or a class of them, that `scripts/test --long` alone runs: it looks at more widths, colours and kinds of files than
    a run of each change has time for. PAGE_TEST_LONG has it run."""
    return unittest.skipUnless(os.environ.get("PAGE_TEST_LONG"), "runs by scripts/test --long")(test)


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


@functools.cache
def own_folder():
    """A temporary folder of this process, which goes with its last test; kept by the cache."""
    return tempfile.TemporaryDirectory()


def made_once(name, make):
    """A folder that the first test that needs it fills by `make`, and all tests of a run read. PAGE_TESTS_FOLDER is where those
    are that the processes of a run share."""
    holder = Path(os.environ.get("PAGE_TESTS_FOLDER") or own_folder().name)
    folder = holder / name
    with open(holder / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            draft = Path(tempfile.mkdtemp(dir=holder))
            make(draft)
            draft.rename(folder)
    return folder


class Server:
    """A running program that prints the address of its page."""

    processes = set()

    @staticmethod
    @atexit.register
    def end_all():
        """Ends what runs still, since the tests were ended."""
        for process in Server.processes:
            process.terminate()
            process.wait()

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
        self.processes.add(self.process)
        self.output = ""
        # Lines that come together would stay in a buffer, of which `select` knows nothing: what is there is read at once.
        source, text = self.process.stdout.fileno(), codecs.getincrementaldecoder("utf-8")("replace")
        deadline = time.monotonic() + 120
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
        code = self.process.wait(timeout=60)
        self.processes.discard(self.process)
        self.process.stdout.close()
        return code


@functools.cache
def running_browser():
    """The browser of all tests of this process. Each visitor has a window without the cookies and the storage of others."""
    playwright = sync_playwright().start()
    browser = playwright.chromium.launch(executable_path=browser_path())

    @atexit.register
    def end():
        browser.close()
        playwright.stop()

    return browser


class BrowserTest(unittest.TestCase):
    """A test with a server and browser windows. `start_server` says which server."""

    locale = "en-GB"
    options = {}
    # Console errors that a test expects.
    allowed = ()
    # Whether all tests of the class have one server: none of them changes what it shows.
    shared = False
    running = None
    # How long a test of the class takes, compared with others: what takes long begins first.
    weight = 1

    def start_server(self):
        raise NotImplementedError

    def make_folder(self):
        """A folder that goes with the server."""
        made = tempfile.TemporaryDirectory()
        (self.addClassCleanup if self.shared else self.addCleanup)(made.cleanup)
        return Path(made.name)

    def setUp(self):
        # A test that hangs says where, and ends all.
        faulthandler.dump_traceback_later(300, exit=True)
        self.addCleanup(faulthandler.cancel_dump_traceback_later)
        self.contexts = []
        self.errors = []
        # What each page has asked its server for, and has not got yet.
        self.asked = {}
        if self.shared:
            self.share_server()
        else:
            self.app = self.start_server()
        self.addCleanup(self.end)
        self.page = self.window()

    def share_server(self):
        """Starts the server for the first test of the class. What `start_server` notes in a test is noted in all."""
        kind = type(self)
        if kind.running is None:
            before = set(vars(self))
            self.app = self.start_server()
            kind.running = {name: value for name, value in vars(self).items() if name not in before}
            kind.addClassCleanup(kind.end_shared)
        vars(self).update(kind.running)

    @classmethod
    def end_shared(cls):
        code = cls.running["app"].stop()
        cls.running = None
        if code:
            raise AssertionError(f"the program ends with {code}")

    def tearDown(self):
        # Before anything that the test has started ends, of which they would hear.
        self.close_windows()

    def close_windows(self):
        while self.contexts:
            self.contexts.pop().close()

    def end(self):
        self.close_windows()
        if not self.shared and self.app.process.poll() is None:
            self.assertEqual(self.app.stop(), 0, "the program ends cleanly")
        self.assertEqual([], self.errors, "errors in the browser's console")

    def window(self, **options):
        """A window of a visitor of its own."""
        # Without motion: what fades in or out has no contrast on the way.
        given = {"locale": self.locale, "timezone_id": "Europe/Berlin", "reduced_motion": "reduce", **self.options, **options}
        context = running_browser().new_context(**given)
        context.set_default_timeout(PATIENCE * 1000)
        self.contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", self.note)
        asked = self.asked[page] = set()
        page.on("request", lambda request: request.resource_type == "eventsource" or asked.add(request))
        for end in ["requestfinished", "requestfailed"]:
            page.on(end, lambda request: asked.discard(request))
        return page

    def note(self, message):
        if message.type == "error" and not any(part in message.text for part in self.allowed):
            self.errors.append(message.text)

    # What pages and programs show comes some time after what leads to it: whatever is read is waited for, by `expect` or by these.

    def eventually(self, wanted, read):
        """Waits until something reads as it should."""
        deadline = time.monotonic() + PATIENCE
        while True:
            is_late = time.monotonic() > deadline
            try:
                found = read()
            except AssertionError:
                raise
            except Exception:
                # A part that is being drawn anew is not there for a moment.
                if is_late:
                    raise
            else:
                if found == wanted:
                    return
                if is_late:
                    self.assertEqual(wanted, found)
            self.page.wait_for_timeout(50)

    def holds(self, read):
        """Waits until something is true."""
        self.eventually(True, lambda: bool(read()))

    def until(self, function, argument=None, page=None):
        """Waits until a JavaScript function says yes. The pages' policy forbids the driver's own way, which evaluates text in the page."""
        self.holds(lambda: (page or self.page).evaluate(function, argument))

    def has_focus(self, id, page=None):
        """Waits until something in a part of the window has the focus."""
        self.until("id => document.getElementById(id).contains(document.activeElement)", id, page)

    def answered(self, page=None):
        """Waits until the server has answered all that the page has asked for."""
        page = page or self.page
        # By now the page has sent the requests that an event leads to.
        page.evaluate("() => new Promise((done) => { setTimeout(done); })")
        self.holds(lambda: not self.asked[page])

    def still(self, locator):
        """Where something is, once it is at the same place for a moment."""
        found = []

        def is_still():
            found.append(locator.bounding_box())
            return found[-1] and found[-2:] == [found[-1]] * 2

        self.holds(is_still)
        return found[-1]

    def open(self, path="/", page=None):
        (page or self.page).goto(self.app.url + path)

"""How `coredata browse` is started: the browser that it opens, who can connect, the model that is given."""

import os
import re
import shutil
import signal
import socket
import subprocess

from browser import BrowserTest, Server, expect
from editor import BOOKS, program
from store import make_store


class Opening(BrowserTest):
    allowed = ("401", "422")

    def start_server(self):
        self.folder = self.make_folder()
        self.path = make_store(self.folder)
        return Server(program(), "browse", "--no-open", self.path)

    def test_the_browser_is_opened_with_an_address_that_works_once(self):
        told = self.folder / "opened"
        opener = self.folder / "xdg-open"
        opener.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > "{told}.part" && mv "{told}.part" "{told}"\n')
        opener.chmod(0o755)
        process = subprocess.Popen(
            [program(), "browse", "--port", "0", self.path], env={**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}"},
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait, 60)
        self.addCleanup(process.send_signal, signal.SIGTERM)
        self.eventually(True, told.exists)
        (address,) = told.read_text().splitlines()
        self.assertRegex(address, r"^http://127\.0\.0\.1:\d+/\?ticket=\w+$")
        self.page.goto(address)
        expect(self.page.locator("#title")).to_have_text("Author")
        # Neither the address nor the history of the browser has the secret.
        expect(self.page).to_have_url(re.compile(r"^http://127\.0\.0\.1:\d+/$"))
        other = self.window()
        other.goto(address)
        expect(other.locator("body")).to_contain_text("once")
        expect(other.locator("#title")).to_have_count(0)

    def test_other_hosts_cannot_connect(self):
        def connect(host):
            with socket.create_connection((host, self.app.port), timeout=5):
                return True
        self.assertTrue(connect("127.0.0.1"))
        # Another address of this computer, and those by which others reach it.
        addresses = {"127.0.0.2"} | {found[4][0] for found in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
        for address in addresses - {"127.0.0.1"}:
            with self.subTest(address=address), self.assertRaises(OSError):
                connect(address)

    def model(self, old, new):
        """The model of the store with another text in it."""
        copy = self.folder / "Other.xcdatamodeld"
        shutil.copytree(BOOKS, copy)
        (contents,) = copy.glob("*/contents")
        text = contents.read_text()
        self.assertEqual(1, text.count(old))
        contents.write_text(text.replace(old, new))
        return copy

    def test_the_model_that_is_given_counts_and_not_the_copy_in_the_store(self):
        model = self.model('<attribute name="price" optional="YES" attributeType="Decimal" minValueString="0"/>',
                           '<attribute name="price" optional="YES" attributeType="Decimal" minValueString="0" maxValueString="100"/>')
        other = Server(program(), "browse", "--no-open", "--write", "--model", model, self.path)
        self.addCleanup(other.stop)
        page = self.page
        page.goto(other.entrance)
        page.locator("#entity-Book").click()
        page.locator("[id='row-Book/3']").click()
        field = page.locator("[id='f-Book/3-price']")
        field.fill("101")
        field.blur()
        expect(page.locator("#access")).to_have_text("1 unsaved")
        page.locator("#save").click()
        expect(page.locator("[id='f-Book/3-price-problem']")).to_be_visible()
        expect(page.locator("#access")).to_have_text("1 unsaved")
        page.goto("about:blank")

    def test_a_model_that_is_not_the_stores_is_refused(self):
        model = self.model('<attribute name="url"', '<attribute name="address"')
        done = subprocess.run(
            [program(), "browse", "--no-open", "--model", model, self.path], capture_output=True, text=True, timeout=60)
        self.assertNotEqual(0, done.returncode)
        self.assertIn("model", done.stderr)
        self.assertNotIn("http://", done.stdout)

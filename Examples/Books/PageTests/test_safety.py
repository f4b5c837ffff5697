"""What the server refuses, asked without a browser; and how it begins and ends."""

import http.client
import re
import signal
import socket
import subprocess
import time
from urllib.parse import quote

from app import PageTest, expect, program


class Safety(PageTest):
    # The browser logs answers that refuse a form.
    allowed = ("422",)

    def ask(self, method="GET", path="/", body=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.app.port, timeout=30)
        host = headers.pop("Host", f"localhost:{self.app.port}")
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        connection.putheader("Host", host)
        for name, value in headers.items():
            connection.putheader(name.replace("_", "-"), value)
        if body is not None:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer, text

    def test_only_the_names_of_this_computer_are_answered(self):
        for host in ["localhost", "127.0.0.1", "[::1]"]:
            self.assertEqual(self.ask(Host=f"{host}:{self.app.port}")[0].status, 200)
        for host in ["evil.example", f"evil.example:{self.app.port}", "localhost", "localhost:1"]:
            self.assertEqual(self.ask(Host=host)[0].status, 421)

    def test_only_this_computer_can_connect(self):
        output = subprocess.run(["ss", "-ltnH", f"sport = :{self.app.port}"], capture_output=True, text=True).stdout
        self.assertIn("127.0.0.1:", output)
        self.assertNotIn("0.0.0.0:" + str(self.app.port), output.replace("0.0.0.0:*", ""))

    def test_forms_of_other_sites_are_refused(self):
        token = re.search('name="token" value="([0-9a-f]+)"', self.ask()[1])[1]
        form = {"Content_Type": "application/x-www-form-urlencoded"}
        body = f"token={token}&title=Evil".encode()
        own = f"http://localhost:{self.app.port}"
        self.assertEqual(self.ask("POST", "/books", body, **form)[0].status, 403)
        self.assertEqual(self.ask("POST", "/books", body, Origin="http://evil.example", **form)[0].status, 403)
        self.assertEqual(self.ask("POST", "/books", b"token=x&title=Evil", Origin=own, **form)[0].status, 403)
        self.assertEqual(self.ask("POST", "/books", body, Origin=own, **form)[0].status, 303)

    def test_oversized_and_broken_requests(self):
        own = {"Origin": f"http://localhost:{self.app.port}", "Content_Type": "application/x-www-form-urlencoded"}
        self.assertEqual(self.ask("POST", "/books", b"x" * 70_000, **own)[0].status, 413)
        self.assertIn(self.ask(X_Long="x" * 20_000)[0].status, (400, 431))
        self.assertEqual(self.ask(path="/?q=" + "x" * 5000)[0].status, 414)
        self.assertEqual(self.ask(path="/?q=%ff")[0].status, 400)
        self.assertEqual(self.ask("POST", "/books", b"title=%ff", **own)[0].status, 400)
        self.assertEqual(self.ask("DELETE", "/")[0].status, 405)
        with socket.create_connection(("127.0.0.1", self.app.port)) as connection:
            connection.sendall(b"\x00\xff\r\n\r\n")
            connection.settimeout(30)
            connection.recv(100)
        self.assertEqual(self.ask()[0].status, 200)

    def test_listening_windows_are_limited(self):
        connections = []
        try:
            statuses = []
            for _ in range(66):
                connection = socket.create_connection(("127.0.0.1", self.app.port))
                connections.append(connection)
                connection.sendall(
                    f"GET /events?view=changes HTTP/1.1\r\nHost: localhost:{self.app.port}\r\n\r\n".encode())
                connection.settimeout(30)
                statuses.append(int(connection.recv(200).split()[1]))
            self.assertEqual(statuses, [200] * 64 + [503] * 2)
            self.assertEqual(self.ask()[0].status, 200)
            for connection in connections:
                connection.close()
            connections = []
            deadline = time.monotonic() + 30
            while self.first_status() != 200:
                self.assertLess(time.monotonic(), deadline, "closed windows keep their places")
        finally:
            for connection in connections:
                connection.close()

    def first_status(self):
        with socket.create_connection(("127.0.0.1", self.app.port)) as connection:
            connection.sendall(f"GET /events?view=changes HTTP/1.1\r\nHost: localhost:{self.app.port}\r\n\r\n".encode())
            connection.settimeout(30)
            return int(connection.recv(200).split()[1])

    def test_what_is_typed_is_shown_and_never_run(self):
        page = self.page
        evil = """"><script>window.evil = 1</script><img src=x onerror='window.evil = 1'>{{title}} &amp;"""
        self.open("/books/new")
        page.get_by_label("Title").fill(evil)
        page.get_by_label("Author").fill("Author " + evil)
        page.get_by_label("Abstract").fill("</textarea>" + evil)
        page.get_by_label("Price").fill(evil)
        page.get_by_role("button", name="Add the book").click()
        expect(page.get_by_label("Title")).to_have_value(evil)
        expect(page.get_by_label("Abstract")).to_have_value("</textarea>" + evil)
        page.get_by_label("Price").fill("1")
        page.get_by_label("Web address").fill("javascript:window.evil=1")
        page.get_by_role("button", name="Add the book").click()
        expect(page.get_by_label("Web address")).to_have_attribute("aria-invalid", "true")
        page.get_by_label("Web address").fill("https://example.org/?\"'<script>")
        page.get_by_role("button", name="Add the book").click()
        expect(page.get_by_role("heading", level=1)).to_have_text(evil)
        book = page.url
        self.holds(lambda: page.get_by_role("button", name="Undo").get_attribute("title").endswith(f"“{evil}”"))
        page.get_by_role("button", name="Save").click()
        expect(page.locator(".stored")).to_contain_text(evil)
        for path in ["/changes", "/authors", f"/?q={quote(evil)}", f"/?author={quote('Author ' + evil)}"]:
            self.open(path)
            self.holds(lambda: "<script>window.evil" not in page.content())
            self.eventually(None, lambda: page.evaluate("window.evil ?? null"))
        expect(page.locator(".book h3")).to_have_text([evil])
        page.goto(book)
        self.eventually(None, lambda: page.evaluate("window.evil ?? null"))

    def test_both_signals_end_the_program_while_windows_listen(self):
        for how in [signal.SIGINT, signal.SIGTERM]:
            page = self.window()
            with page.expect_response("**/events*"):
                self.open("/", page)
            begin = time.monotonic()
            self.assertEqual(self.app.stop(how), 0)
            self.assertLess(time.monotonic() - begin, 20)
            page.context.close()
            self.contexts.remove(page.context)
            self.errors.clear()
            self.app.start()

    def test_a_port_in_use_is_reported(self):
        run = subprocess.run(
            [program(), "--port", str(self.app.port), "--store", self.app.store], capture_output=True, text=True, timeout=60)
        self.assertEqual(run.returncode, 1)
        self.assertIn(f"Port {self.app.port} is taken", run.stderr)

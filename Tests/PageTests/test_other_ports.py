"""Servers and programs of others on this computer: what they get of a page, and that they do not keep it from its server."""

import http.client
import http.server
import re
import socket
import threading

from store import StoreTest, expect


class Listener(http.server.BaseHTTPRequestHandler):
    """A server on another port, which keeps what browsers send to it."""

    def do_GET(self):
        self.server.heard.append(dict(self.headers))
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>Other</title>")

    def log_message(self, *arguments):
        pass


class OtherPorts(StoreTest):
    allowed = (*StoreTest.allowed, "401")

    def listen(self):
        other = http.server.HTTPServer(("127.0.0.1", 0), Listener)
        other.heard = []
        threading.Thread(target=other.serve_forever, daemon=True).start()
        self.addCleanup(other.server_close)
        self.addCleanup(other.shutdown)
        return other

    def ask_as_program(self, method, path, headers):
        """The status of an answer to a program, which sends what it likes."""
        connection = http.client.HTTPConnection("127.0.0.1", self.app.port, timeout=30)
        body = "{}" if method == "POST" else None
        connection.request(method, path, body, {"Content-Type": "application/json", "Origin": self.app.url, **headers})
        answer = connection.getresponse()
        answer.read()
        connection.close()
        return answer.status

    def stolen_cookie(self):
        """What a server gets that the person visits with the same browser."""
        other = self.listen()
        page = self.page.context.new_page()
        page.goto(f"http://127.0.0.1:{other.server_port}/")
        page.close()
        (cookie,) = {headers["Cookie"] for headers in other.heard if "Cookie" in headers}
        self.assertNotIn("Authorization", other.heard[0])
        self.assertIn(f"coredata-{self.app.port}=", cookie)
        return {"Cookie": cookie}

    def test_the_cookie_that_another_server_gets_is_of_no_use(self):
        stolen = self.stolen_cookie()
        for path in ["/api/store", "/api/rows?entity=Book", "/api/object?id=Book/1", "/api/image?id=Book/1&key=abstract", "/api/bytes?id=Book/1&key=abstract",
                     "/api/export?entity=Book&format=csv", "/api/facts", "/api/nothing"]:
            self.assertEqual(401, self.ask_as_program("GET", path, stolen), path)
        for path in ["/api/set", "/api/save", "/api/ticket", "/api/session"]:
            self.assertIn(self.ask_as_program("POST", path, stolen), (400, 401), path)
        # The person goes on.
        self.show_books()

    def test_a_page_of_another_port_does_not_have_the_key(self):
        other = self.listen()
        page = self.page.context.new_page()
        page.goto(f"http://127.0.0.1:{other.server_port}/")
        self.assertIsNone(page.evaluate("localStorage.getItem('key')"))
        self.assertEqual("refused", page.evaluate(
            """(address) => fetch(address, { credentials: "include", headers: { Authorization: "Bearer x" } }).then((answer) => answer.text(), () => "refused")""",
            f"{self.app.url}/api/store"))

    def test_a_reload_and_another_tab_show_the_same(self):
        page = self.page
        expect(page).to_have_url(f"{self.app.url}/")
        self.assertNotIn("code", page.evaluate("location.href"))
        page.reload()
        expect(page.locator("#title")).to_have_text("Author")
        tab = page.context.new_page()
        tab.goto(self.app.url)
        expect(tab.locator("#title")).to_have_text("Author")
        # Nothing in the history leads to a secret.
        page.go_back()
        page.go_forward()
        expect(page).to_have_url(f"{self.app.url}/")
        expect(page.locator("#title")).to_have_text("Author")

    def test_without_the_key_the_page_says_what_to_do(self):
        page = self.page
        page.evaluate("localStorage.clear()")
        page.reload()
        expect(page.locator("#status")).to_contain_text("address that the command printed")
        self.enter()

    def test_the_address_of_a_download_works_once(self):
        stolen = self.stolen_cookie()
        self.show_books()
        with self.page.expect_download() as download:
            self.page.locator("#export-csv").click()
        self.assertEqual(251, download.value.path().read_text().count("\n"))
        address = download.value.url.removeprefix(self.app.url)
        self.assertRegex(address, re.compile(r"^/api/export\?.*&ticket=\w+$"))
        self.assertEqual(401, self.ask_as_program("GET", address, stolen))


class Crowds(StoreTest):
    def test_connections_of_others_do_not_keep_the_page_from_its_server(self):
        crowd = []
        self.addCleanup(lambda: [connection.close() for connection in crowd])
        # Those that say nothing, and those that do not come to the end of what they say.
        for number in range(400):
            connection = socket.create_connection(("127.0.0.1", self.app.port), timeout=30)
            connection.sendall([b"", b"GET / HTTP/1.1\r\n", b"POST /api/save HTTP/1.1\r\nContent-Length: 1000\r\n"][number % 3])
            crowd.append(connection)
        # The first have been closed for the later ones.
        self.assertEqual(b"", crowd[0].recv(1))
        self.show_books()
        page = self.window()
        self.enter(page)
        self.show_books(page)

"""The editor for everybody: keyboard, screen readers, narrow windows, dark colours, long names, hostile models."""

import http.client
import http.server
import os
import subprocess
import threading
import unittest.mock
import xml.etree.ElementTree as XML

from browser import Server, long
from checks import cut_off, problems, too_wide, violations
from editor import BOOKS, LANDMARKS, Editor, EditorTest, expect, program


class Access(EditorTest):
    weight = 4
    sample = BOOKS

    def views(self, page):
        """Shows every view in turn, and gives its name."""
        page.locator("#item-entity-Book").click()
        yield "entity"
        for member in ["attribute-title", "attribute-lastModified", "attribute-tintColor", "attribute-publishDate", "relationship-author",
                       "fetchIndex-byUuidIndex"]:
            page.locator(f"#item-entity-Book-{member}").click()
            expect(page.locator("#f-name")).to_have_value(member.split("-")[1])
            yield member
        for report in ["Generated Swift", "Version Hashes", "Migration", "Warnings"]:
            page.get_by_role("tab", name=report).click()
            yield report
        page.locator("[id='version:Books']").click()
        yield "model"
        page.locator("#mode-diagram").click()
        expect(page.locator("#diagram g.box")).to_have_count(2)
        yield "diagram"
        page.locator("#mode-tables").click()

    def test_every_view_passes_the_checks_in_light_and_in_dark(self):
        for scheme in ["light", "dark"]:
            page = self.window(color_scheme=scheme, viewport={"width": 1280, "height": 900})
            self.enter(page)
            for view in self.views(page):
                with self.subTest(view=view, scheme=scheme):
                    self.eventually([], lambda: problems(page, LANDMARKS))
                    self.eventually([], lambda: violations(page))
                    self.eventually([], lambda: cut_off(page))

    def phone_views(self, page):
        """The parts that a phone shows, one at a time."""
        for pane in ["Model", "Editor", "Inspector", "Reports"]:
            page.locator("#panes").get_by_role("button", name=pane).click()
            yield pane
        page.locator("#panes").get_by_role("button", name="Model").click()
        page.locator("#item-entity-Book").click()
        page.locator("#panes").get_by_role("button", name="Editor").click()
        page.locator("#item-entity-Book-attribute-lastModified").click()
        page.locator("#panes").get_by_role("button", name="Inspector").click()
        yield "attribute"
        page.locator("#panes").get_by_role("button", name="Editor").click()
        page.locator("#mode-diagram").click()
        expect(page.locator("#diagram g.box")).to_have_count(2)
        yield "diagram"

    @long
    def test_every_view_of_a_phone_passes_the_checks(self):
        for scheme in ["light", "dark"]:
            page = self.window(color_scheme=scheme, viewport={"width": 360, "height": 740})
            self.enter(page)
            for view in self.phone_views(page):
                with self.subTest(view=view, scheme=scheme):
                    self.eventually([], lambda: violations(page))
                    self.eventually([], lambda: cut_off(page))
                    self.eventually([], lambda: too_wide(page))

    def test_the_dialogs_pass_the_checks(self):
        page = self.page
        page.locator("[id='version:Books']").click()
        for button in ["new-version", "rename-version"]:
            page.locator(f"#{button}").click()
            with self.subTest(dialog=button):
                self.eventually([], lambda: violations(page))
                self.eventually([], lambda: cut_off(page))
            page.get_by_role("dialog").get_by_role("button", name="Cancel").click()

    @long
    def test_nothing_is_wider_than_the_window(self):
        page = self.window(viewport={"width": 360, "height": 740})
        self.enter(page)
        for pane in ["Model", "Editor", "Inspector", "Reports"]:
            page.locator("#panes").get_by_role("button", name=pane).click()
            with self.subTest(pane=pane):
                self.eventually([], lambda: too_wide(page))
        for width in [768, 1000, 1440]:
            page = self.window(viewport={"width": width, "height": 800})
            self.enter(page)
            with self.subTest(width=width):
                self.eventually([], lambda: too_wide(page))

    def test_a_phone_shows_one_part_at_a_time(self):
        page = self.window(viewport={"width": 360, "height": 740})
        self.enter(page)
        expect(page.locator("#editor")).to_be_visible()
        expect(page.locator("#inspector")).not_to_be_visible()
        page.locator("#panes").get_by_role("button", name="Model").click()
        page.locator("#item-entity-Book").click()
        page.locator("#panes").get_by_role("button", name="Inspector").click()
        expect(page.get_by_label("Codegen")).to_be_visible()

    def test_dark_is_dark(self):
        page = self.window(color_scheme="dark")
        self.enter(page)
        def color():
            return page.evaluate("getComputedStyle(document.body).backgroundColor")
        self.holds(lambda: sum(int(part) for part in color()[4:-1].split(",")) < 150)

    def test_an_attribute_is_made_by_the_keyboard_alone(self):
        page = self.page
        page.keyboard.press("Tab")
        expect(page.get_by_role("link", name="Skip to the editor")).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.locator("#editor")).to_be_focused()
        page.locator("#item-entity-Book").focus()
        page.keyboard.press("Enter")
        expect(page.locator("#editor h2")).to_contain_text("Book")
        page.locator("#bar-attribute").focus()
        page.keyboard.press("Enter")
        expect(page.locator("input.renaming")).to_be_focused()
        page.keyboard.type("subtitle")
        page.keyboard.press("Enter")
        expect(page.locator("#item-entity-Book-attribute-subtitle")).to_be_focused()
        page.keyboard.press("Tab")
        expect(page.get_by_label("Type of subtitle").first).to_be_focused()
        # Several letters choose String, whichever type is chosen before.
        page.keyboard.type("Str")
        self.eventually("String", lambda: self.element("Book", "subtitle").get("attributeType"))
        page.locator("#item-entity-Book-attribute-subtitle").focus()
        page.keyboard.press("ArrowDown")
        expect(page.locator("#item-entity-Book-attribute-tintColor")).to_be_focused()
        page.keyboard.press("ArrowUp")
        page.keyboard.press("Delete")
        expect(page.locator("#item-entity-Book-attribute-subtitle")).to_have_count(0)
        expect(page.locator("#item-entity-Book-attribute-tintColor")).to_be_focused()
        for part in ["inspector", "panel", "sidebar", "editor"]:
            page.keyboard.press("F6")
            self.has_focus(part)

    def test_arrows_in_a_list_make_one_choice(self):
        page = self.page
        page.locator("#item-entity-Book").click()
        page.locator("#item-entity-Book-attribute-title").click()
        page.locator("#f-minValueString").fill("1")
        page.locator("#f-minValueString").press("Enter")
        self.eventually("1", lambda: self.element("Book", "title").get("minValueString"))
        revision = self.revision()
        for id in ["f-attributeType", "type-title"]:
            with self.subTest(list=id):
                page.locator(f"#{id}").focus()
                # There and back again is not a change.
                page.keyboard.press("ArrowDown")
                page.keyboard.press("ArrowUp")
                page.locator("#item-entity-Book-attribute-title").focus()
                self.eventually(revision, lambda: self.revision())
                self.eventually("1", lambda: self.element("Book", "title").get("minValueString"))
        # Two steps of the arrow are one change: Boolean lies between.
        page.locator("#f-attributeType").focus()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        self.eventually("Date", lambda: self.element("Book", "title").get("attributeType"))
        self.eventually(revision + 1, lambda: self.revision())
        expect(page.locator("#f-attributeType")).to_be_focused()
        page.locator("#undo").click()
        self.eventually("String", lambda: self.element("Book", "title").get("attributeType"))
        self.eventually("1", lambda: self.element("Book", "title").get("minValueString"))
        # Who waits for a while has chosen.
        expect(page.locator("#f-attributeType")).to_have_value("String")
        page.locator("#f-attributeType").focus()
        page.keyboard.press("ArrowDown")
        self.eventually("Boolean", lambda: self.element("Book", "title").get("attributeType"))
        expect(page.locator("#f-attributeType")).to_be_focused()

    def test_saving_by_the_keyboard_leaves_the_focus(self):
        page = self.page
        page.locator("#item-entity-Book").click()
        field = page.locator("#f-versionHashModifier")
        field.fill("typed")
        page.keyboard.press("Control+s")
        expect(page.locator("#status")).to_have_text("Saved.")
        expect(field).to_be_focused()
        expect(page.locator("#edited")).to_have_text("Saved")
        self.eventually("typed", lambda: self.element("Book").get("versionHashModifier"))
        page.keyboard.type(" on")
        page.keyboard.press("Control+s")
        self.eventually("typed on", lambda: self.element("Book").get("versionHashModifier"))
        expect(field).to_be_focused()

    def test_the_caret_stays_where_the_field_is_drawn_before_the_answer(self):
        page = self.page
        page.locator("#item-entity-Book").click()
        field = page.locator("#f-versionHashModifier")
        held = []
        page.route("**/api/edit", lambda route: route.continue_() if held else held.append(route))
        field.fill("typed")
        with page.expect_request("**/api/edit"):
            page.keyboard.press("Control+s")
        page.emulate_media(color_scheme="dark")
        expect(field).to_have_value("")
        held[0].continue_()
        expect(page.locator("#status")).to_have_text("Saved.")
        expect(field).to_have_value("typed")
        page.keyboard.type(" on")
        page.keyboard.press("Control+s")
        self.eventually("typed on", lambda: self.element("Book").get("versionHashModifier"))

    def test_tab_moves_through_the_window_without_a_trap(self):
        page = self.page
        page.locator("#item-entity-Book").click()
        seen = set()
        for _ in range(140):
            page.keyboard.press("Tab")
            id = page.evaluate("document.activeElement.id || document.activeElement.localName")
            seen.add(id)
        for part in ["mode-tables", "item-entity-Author", "bar-attribute", "tab-warnings", "f-name", "f-elementID"]:
            self.assertIn(part, seen)

    def test_the_focus_and_typed_text_survive_a_response(self):
        page = self.page
        page.locator("#item-entity-Book-attribute-title").or_(page.locator("#item-entity-Book")).first.click()
        page.locator("#item-entity-Book").click()
        field = page.locator("#f-versionHashModifier")
        field.fill("typed")
        page.evaluate("document.querySelector('#f-isAbstract').click()")
        self.eventually("YES", lambda: self.element("Book").get("isAbstract"))
        expect(field).to_be_focused()
        expect(field).to_have_value("typed")


RICH = """<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" userDefinedModelVersionIdentifier="">
    <entity name="Book" representedClassName="Book" syncable="YES" coreSpotlightDisplayNameExpression="title">
        <attribute name="place" optional="YES" attributeType="Composite" composite="Place"/>
        <attribute name="title" attributeType="String" defaultValueString="None"/>
        <attribute name="web" optional="YES" attributeType="URI" defaultValueString="https://example.org/"/>
        <fetchedProperty name="twins" optional="YES"><fetchRequest name="fetchedPropertyFetchRequest" entity="Book" predicateString="title == $FETCH_SOURCE.title"/></fetchedProperty>
        <fetchIndex name="byTitle" partialIndexPredicate="title != nil"><fetchIndexElement property="title" type="Binary" order="ascending"/><fetchIndexElement expression="uppercase:(title)" expressionType="String" type="Binary" order="descending"/></fetchIndex>
        <uniquenessConstraints><uniquenessConstraint><constraint value="title"/><constraint value="web"/></uniquenessConstraint></uniquenessConstraints>
        <userInfo><entry key="owner" value="library"/></userInfo>
    </entity>
    <fetchRequest name="Cheap" entity="Book" predicateString="nonsense &lt; 5"/>
    <configuration name="Local"><memberEntity name="Book"/></configuration>
    <composite name="Place"><attribute name="city" optional="YES" attributeType="String"/></composite>
</model>"""


class Rich(EditorTest):
    """All kinds of elements, two versions of which one cannot be read, files that others change."""

    weight = 8

    def start_server(self):
        folder = self.make_folder()
        self.model = folder / "Library.xcdatamodeld"
        for name, text in [("Library", RICH), ("Library 2", RICH), ("Broken", "<model")]:
            (self.model / f"{name}.xcdatamodel").mkdir(parents=True)
            (self.model / f"{name}.xcdatamodel/contents").write_text(text)
        return Editor(self.model)

    def views(self, page):
        """Shows every view in turn, and gives its name."""
        page.locator("#item-entity-Book").click()
        expect(page.get_by_role("table", name="Constraints")).to_contain_text("title,web")
        expect(page.locator("#f-coreSpotlightDisplayNameExpression-check")).to_have_text("✓ Valid")
        yield "constraints"
        for member in ["fetchedProperty-twins", "fetchIndex-byTitle", "attribute-web", "attribute-place"]:
            page.locator(f"#item-entity-Book-{member}").click()
            expect(page.locator("#f-name")).to_have_value(member.split("-")[1])
            yield member
        self.eventually("https://example.org/", lambda: self.element("Book", "web").get("defaultValueString"))
        page.locator("#f-name").fill("title")
        page.locator("#f-name").press("Enter")
        expect(page.locator("#f-name-problem")).to_be_visible()
        yield "a refused value"
        page.locator("#item-composite-Place").click()
        yield "composite"
        page.locator("#item-configuration-Local").click()
        expect(page.locator("#member-0")).to_be_checked()
        yield "configuration"
        page.locator("#item-fetchRequest-Cheap").click()
        expect(page.locator("#f-predicateString-check")).to_have_text("'nonsense' is not a key path of the entity 'Book'")
        yield "fetch request"
        page.locator("[id='version:Library']").click()
        page.locator("#remove-version").click()
        yield "remove a version"
        page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
        page.locator("#item-entity-Book").click()
        page.get_by_label("Codegen").select_option("class")
        self.eventually("class", lambda: self.element("Book").get("codeGenerationType"))
        file = self.model / "Library.xcdatamodel/contents"
        file.write_text(RICH.replace('syncable="YES"', 'syncable="YES" codeGenerationType="category"'))
        expect(page.locator("#disk")).to_be_visible()
        yield "changed on disk"
        page.locator("#disk").click()
        expect(page.get_by_role("dialog").get_by_role("row")).to_have_count(2)
        yield "merge"
        page.get_by_role("dialog").get_by_role("button", name="Not Now").click()
        expect(page.locator("#disk")).to_be_focused()

    def check(self, scheme):
        page = self.window(color_scheme=scheme, viewport={"width": 1280, "height": 900})
        self.page = page
        self.enter(page)
        for view in self.views(page):
            with self.subTest(view=view):
                self.eventually([], lambda: problems(page, LANDMARKS))
                self.eventually([], lambda: violations(page))
                self.eventually([], lambda: cut_off(page))

    def test_every_kind_passes_the_checks_in_light(self):
        self.check("light")

    @long
    def test_every_kind_passes_the_checks_in_dark(self):
        self.check("dark")

    def test_unknown_names_are_reported_where_they_are_typed(self):
        page = self.page
        for item, field in [
            ("#item-fetchRequest-Cheap", "f-predicateString"), ("#item-entity-Book", "f-coreSpotlightDisplayNameExpression"),
            ("#item-entity-Book-fetchIndex-byTitle", "f-partialIndexPredicate"), (None, "expression-1"),
            ("#item-entity-Book-fetchedProperty-twins", "f-predicateString"),
        ]:
            with self.subTest(item=item, field=field):
                if item:
                    page.locator(item).click()
                text = page.locator(f"#{field}")
                text.fill("title" if "redicate" not in field else "title == 'x'")
                expect(page.locator(f"#{field}-check")).to_have_text("✓ Valid")
                text.fill("gone" if "redicate" not in field else "gone == 'x'")
                expect(page.locator(f"#{field}-check")).to_have_text("'gone' is not a key path of the entity 'Book'")
                expect(text).to_have_attribute("aria-invalid", "true")
                text.fill("title" if "redicate" not in field else "title == 'x'")
                text.press("Enter")
                expect(page.locator(f"#{field}-check")).to_have_text("✓ Valid")


HOSTILE = """<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" userDefinedModelVersionIdentifier="">
    <entity name="&lt;img src=x onerror=alert(1)&gt;" representedClassName="&lt;script&gt;alert(2)&lt;/script&gt;">
        <attribute name="javascript:alert(3)" attributeType="String" defaultValueString="&quot;&gt;&lt;svg onload=alert(4)&gt;"/>
        <attribute name="{{constructor}}" attributeType="Nonsense"/>
    </entity>
    <entity name="כותרת ארוכה" representedClassName="Hebrew">
        <attribute name="שם" optional="YES" attributeType="String"/>
        <attribute name="LONG" optional="YES" attributeType="String"/>
    </entity>
    <fetchRequest name="../../etc" entity="Gone" predicateString="&lt;b&gt;"/>
    <unknown name="x"><deeper/></unknown>
</model>""".replace("LONG", "w" * 300)


class Hostile(EditorTest):
    def start_server(self):
        folder = self.make_folder()
        model = folder / "Library.xcdatamodeld"
        (model / "Library.xcdatamodel").mkdir(parents=True)
        (model / "Library.xcdatamodel/contents").write_text(HOSTILE)
        return Editor(model)

    def test_a_hostile_model_shows_as_text(self):
        page = self.page
        dialogs = []
        page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
        expect(page.locator("#sidebar")).to_contain_text("<img src=x onerror=alert(1)>")
        page.locator("#sidebar button.name").first.click()
        expect(page.locator("#editor")).to_contain_text("javascript:alert(3)")
        page.locator("#editor button.name").first.click()
        expect(page.locator("#f-defaultValueString")).to_have_value('"><svg onload=alert(4)>')
        expect(page.locator("#report .findings")).to_contain_text("Nonsense")
        page.locator("#mode-diagram").click()
        expect(page.locator("#diagram g.box")).to_have_count(2)
        self.assertEqual([], dialogs)
        self.eventually(0, lambda: page.locator("#sidebar img, #editor img, #diagram image").count())

    def test_a_hostile_name_is_a_text_in_a_picture(self):
        page = self.page
        page.locator("#mode-diagram").click()
        expect(page.locator("#diagram g.box")).to_have_count(2)
        with page.expect_download() as download:
            page.get_by_role("button", name="Export SVG").click()
        # The model's names put no element and no attribute of their own into the drawing.
        tree = XML.parse(download.value.path()).getroot()
        self.assertEqual({"svg", "g", "rect", "path", "text", "title"}, {element.tag.split("}")[1] for element in tree.iter()})
        self.assertEqual([], [name for element in tree.iter() for name in element.keys() if name.startswith("on") or "href" in name])
        texts = [element.text for element in tree.iter("{http://www.w3.org/2000/svg}text")]
        for name in ["<img src=x onerror=alert(1)>", "javascript:alert(3)", "{{constructor}}", "כותרת ארוכה", "w" * 300]:
            self.assertIn(name, texts)

    def test_long_names_and_right_to_left_text(self):
        page = self.page
        name = page.locator("#sidebar button.name", has_text="כותרת")
        expect(name).to_have_css("direction", "rtl")
        name.click()
        expect(page.locator("#editor")).to_contain_text("w" * 300)
        for width in [360, 1280]:
            page.set_viewport_size({"width": width, "height": 800})
            self.eventually([], lambda: too_wide(page))
            self.eventually([], lambda: cut_off(page))
            self.eventually([], lambda: violations(page))
        self.eventually([], lambda: page.evaluate(
            """() => [...document.querySelectorAll("#editor .name, #sidebar .name")]
                 .filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.textContent)"""))


class Safety(EditorTest):
    allowed = ("401",)

    def ask(self, method, path, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.app.port, timeout=30)
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        answer.read()
        connection.close()
        return answer.status

    def test_without_the_token_there_is_nothing(self):
        page = self.window()
        page.goto(self.app.url)
        expect(page.locator("body")).to_contain_text("address that the command printed")
        for path in ["/", "/api/document", "/files/main.js", "/?token=0"]:
            self.assertEqual(401, self.ask("GET", path))
        self.assertEqual(401, self.ask("POST", "/api/save"))
        self.assertEqual(421, self.ask("GET", "/", Host="evil.example"))

    def test_a_browser_is_opened_with_an_address_that_works_once(self):
        folder = self.make_folder()
        opened = folder / "opened"
        fake = folder / "xdg-open"
        fake.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > "{opened}.part" && mv "{opened}.part" "{opened}"\n')
        fake.chmod(0o755)
        with unittest.mock.patch.dict(os.environ, PATH=f"{folder}:{os.environ['PATH']}"):
            app = Server(program(), "edit", "--new", folder / "New.xcdatamodeld")
        self.addCleanup(app.stop)
        self.eventually(True, opened.exists)
        address = opened.read_text()
        self.assertRegex(address, rf"^http://127\.0\.0\.1:{app.port}/\?ticket=[0-9a-f]{{64}}\n$")
        # It is not the address that the terminal shows.
        self.assertNotIn(address.strip(), app.output)
        page = self.window()
        page.goto(address.strip())
        expect(page.locator("#edited")).to_be_visible()
        page = self.window()
        page.goto(address.strip())
        expect(page.locator("body")).to_contain_text("address that the command printed")

    def test_a_port_that_is_taken_is_named(self):
        done = subprocess.run(
            [program(), "edit", "--no-open", "--port", str(self.app.port), self.app.model], capture_output=True, text=True, timeout=60)
        self.assertEqual(2, done.returncode)
        self.assertIn(f"Port {self.app.port} is taken by another program.", done.stderr)

    def test_a_page_of_another_port_loads_nothing(self):
        class Page(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(b"<!doctype html><title>Other</title>")

            def log_message(self, *arguments):
                pass

        other = http.server.HTTPServer(("127.0.0.1", 0), Page)
        threading.Thread(target=other.serve_forever, daemon=True).start()
        self.addCleanup(other.server_close)
        self.addCleanup(other.shutdown)
        # The same browser, with the cookie.
        page = self.page.context.new_page()
        page.goto(f"http://127.0.0.1:{other.server_port}")
        loaded = page.evaluate(
            """(source) => new Promise((done) => document.head.append(Object.assign(document.createElement("script"), {
                src: source, onload: () => done(true), onerror: () => done(false),
            })))""", f"{self.app.url}/files/dom.js")
        self.assertFalse(loaded)
        # A link leads to the page all the same.
        page.evaluate("(address) => { location.href = address; }", f"{self.app.url}/")
        expect(page.locator("#edited")).to_be_visible()

    def test_leaving_unsaved_changes_asks_first(self):
        page = self.page
        asked = []
        page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
        # Nothing is edited: the page reloads without a question.
        page.reload()
        expect(page.locator("#edited")).to_be_visible()
        self.assertEqual([], asked)
        self.add_entity("Book")
        page.reload()
        expect(page.locator("#edited")).to_have_text("Edited")
        self.eventually(["beforeunload"], lambda: asked)

    def test_no_address_keeps_the_token(self):
        self.assertNotIn("token", self.page.url)
        self.holds(lambda: "token" not in self.page.evaluate("document.cookie"))
        self.eventually("", lambda: self.page.evaluate("document.cookie"))
        self.page.reload()
        expect(self.page.locator("#edited")).to_be_visible()

"""The editor under a person's hands: keys that are pressed one after the other, and a pointer that is held down for a while."""

import re

from editor import BOOKS, Editor, EditorTest, expect

FOCUSED = "document.activeElement.id || document.activeElement.className || document.activeElement.localName"


class Keys:
    """What a person does with keys alone."""

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)

    def type(self, text, delay=0):
        self.page.keyboard.type(text, delay=delay)

    def focused(self):
        return self.page.evaluate(FOCUSED)

    def tab_to(self, id, key="Tab", most=200):
        """Goes on until something has the focus."""
        self.answered()
        for _ in range(most):
            if self.focused() == id:
                return
            self.press(key)
        self.fail(f"{key} does not lead to {id}; the focus is at {self.focused()}")

    def enter_date(self, id):
        """Goes to the first part of a date."""
        if self.focused() != id:
            self.tab_to(id)
        for _ in range(10):
            if self.focused() != id:
                break
            self.press("Shift+Tab")
        self.press("Tab")
        self.eventually(id, lambda: self.focused())

    def go(self, part):
        """Goes to a part of the window."""
        self.answered()
        for _ in range(5):
            if self.page.evaluate("id => document.getElementById(id).contains(document.activeElement)", part):
                return
            self.press("F6")
        self.fail(f"F6 does not lead to {part}")


class Dates(Keys, EditorTest):
    """Dates are typed digit by digit. Which of day and month is first is the browser's affair, so they are the same here; a clock
    of 24 hours does not hear of AM."""

    weight = 5

    def setUp(self):
        super().setUp()
        self.add_entity("Book")
        self.add_attribute("born", "Date")

    def date(self, setting="defaultDateTimeInterval"):
        return self.element("Book", "born").get(setting)

    def test_a_date_is_typed_over_another_as_one_step(self):
        for delay in [0, 150]:
            with self.subTest(delay=delay):
                self.fill("f-defaultDateTimeInterval", "2001-01-02T00:00:10")
                self.eventually("86410", self.date)
                revision = self.revision()
                self.enter_date("f-defaultDateTimeInterval")
                self.type("06062024101112", delay)
                expect(self.page.locator("#f-defaultDateTimeInterval")).to_have_value("2024-06-06T10:11:12")
                # Nothing is sent until the date is complete.
                self.eventually(revision, lambda: self.revision())
                self.press("Enter")
                self.eventually("739361472", self.date)
                self.eventually(revision + 1, lambda: self.revision())
                expect(self.page.locator("#f-defaultDateTimeInterval")).to_be_focused()
                self.page.locator("#undo").click()
                self.eventually("86410", self.date)

    def test_a_date_is_sent_when_its_field_loses_focus(self):
        self.fill("f-defaultDateTimeInterval", "2001-01-02T00:00:10")
        self.eventually("86410", self.date)
        revision = self.revision()
        self.enter_date("f-minDateTimeInterval")
        self.type("02021850030405AM")
        self.enter_date("f-maxDateTimeInterval")
        self.eventually("-4762356955", lambda: self.date("minDateTimeInterval"))
        self.type("12129999111213AM")
        self.press("Control+s")
        self.eventually("252422305933", lambda: self.date("maxDateTimeInterval"))
        expect(self.page.locator("#edited")).to_have_text("Saved")
        # Two dates, and the save.
        self.eventually(3, lambda: self.revision() - revision)
        attribute = self.contents().find("entity/attribute")
        self.assertEqual(
            ("86410", "-4762356955", "252422305933"),
            tuple(attribute.get(name) for name in ["defaultDateTimeInterval", "minDateTimeInterval", "maxDateTimeInterval"]))

    def test_the_year_alone_is_typed(self):
        self.fill("f-defaultDateTimeInterval", "2001-01-02T00:00:10")
        self.eventually("86410", self.date)
        self.enter_date("f-defaultDateTimeInterval")
        # The year is the third part.
        self.press("ArrowRight", "ArrowRight")
        self.type("2024", 150)
        expect(self.page.locator("#f-defaultDateTimeInterval")).to_have_attribute("type", "datetime-local")
        self.press("Enter")
        self.eventually("725846410", self.date)

    def test_old_dates_have_the_picker_too(self):
        for date, interval in [("0001-01-01T00:00:00", "-63113904000"), ("1492-10-12T06:30:00", "-16037890200")]:
            field = self.page.locator("#f-defaultDateTimeInterval")
            field.fill(date)
            field.blur()
            self.eventually(interval, self.date)
            expect(self.page.locator("#f-defaultDateTimeInterval")).to_have_attribute("type", "datetime-local")
            expect(self.page.locator("#f-defaultDateTimeInterval")).to_have_value(re.compile(f"^{date[:16]}"))

    def test_an_incomplete_date_is_not_a_date(self):
        self.fill("f-defaultDateTimeInterval", "2001-01-02T00:00:10")
        self.eventually("86410", self.date)
        self.enter_date("f-defaultDateTimeInterval")
        self.press("Backspace")
        self.tab_to("f-minDateTimeInterval")
        expect(self.page.locator("#status")).to_contain_text("incomplete")
        expect(self.page.locator("#f-defaultDateTimeInterval")).to_have_value("2001-01-02T00:00:10")
        self.eventually("86410", lambda: self.date())
        # All of it taken out is not a date.
        self.enter_date("f-defaultDateTimeInterval")
        for _ in range(7):
            self.press("Backspace", "ArrowRight")
        self.press("Enter")
        self.eventually(None, self.date)


class Alone(Keys, EditorTest):
    """A model is made without a pointer."""

    def test_a_model_is_made_from_nothing(self):
        page = self.page
        # The way in: the link at the beginning, then the parts of the window.
        self.press("Tab")
        expect(page.get_by_role("link", name="Skip to the editor")).to_be_focused()
        self.press("Enter", "Tab")
        self.tab_to("bar-entity")
        self.press("Enter")
        expect(page.locator("input.renaming")).to_be_focused()
        self.type("Author")
        self.press("Enter")
        expect(page.locator("#item-entity-Author")).to_be_focused()
        self.go("sidebar")
        self.tab_to("add-entity", "Shift+Tab")
        self.press("Enter")
        expect(page.locator("input.renaming")).to_be_focused()
        self.type("Book")
        self.press("Enter")
        expect(page.locator("#item-entity-Book")).to_be_focused()
        # An attribute, its type, its default.
        self.go("editor")
        self.tab_to("bar-attribute")
        self.press("Enter")
        expect(page.locator("input.renaming")).to_be_focused()
        self.type("born")
        self.press("Enter")
        expect(page.locator("#item-entity-Book-attribute-born")).to_be_focused()
        self.press("Tab")
        expect(page.locator("#type-born")).to_be_focused()
        self.type("Da")
        self.press("Enter")
        self.eventually("Date", lambda: self.element("Book", "born").get("attributeType"))
        self.go("inspector")
        self.enter_date("f-defaultDateTimeInterval")
        self.type("06062024101112AM", 20)
        self.press("Enter")
        self.eventually("739361472", lambda: self.element("Book", "born").get("defaultDateTimeInterval"))
        # Another name, in its place.
        self.go("editor")
        self.tab_to("item-entity-Book-attribute-born")
        self.press("F2")
        expect(page.locator("input.renaming")).to_be_focused()
        self.type("printed")
        self.press("Enter")
        expect(page.locator("#item-entity-Book-attribute-printed")).to_be_focused()
        # Two relationships that lead to each other.
        for name in ["author", "seller"]:
            self.tab_to("bar-relationship")
            self.press("Enter")
            expect(page.locator("input.renaming")).to_be_focused()
            self.type(name)
            self.press("Enter")
            expect(page.locator(f"#item-entity-Book-relationship-{name}")).to_be_focused()
        self.press("Tab")
        expect(page.locator("#destination-seller")).to_be_focused()
        self.type("Au")
        self.press("Enter")
        self.eventually("Author", lambda: self.element("Book", "seller").get("destinationEntity"))
        self.tab_to("item-entity-Book-relationship-seller", "Shift+Tab")
        self.press("ArrowUp")
        expect(page.locator("#item-entity-Book-relationship-author")).to_be_focused()
        self.press("Delete")
        self.eventually(["seller"], lambda: [
            child["settings"]["name"] for child in self.tree()["children"][1]["children"] if child["kind"] == "relationship"])
        expect(page.locator("#item-entity-Book-relationship-seller")).to_be_focused()
        # A constraint and an index.
        self.tab_to("bar-constraint")
        self.press("Enter")
        expect(page.locator("input.renaming")).to_be_focused()
        self.type("printed,seller")
        self.press("Enter")
        expect(page.locator("[id='item-entity-Book-uniquenessConstraint-printed,seller']")).to_be_focused()
        self.go("inspector")
        self.tab_to("unique-down-0")
        self.press("Enter")
        expect(page.locator("[id='item-entity-Book-uniquenessConstraint-seller,printed']")).to_be_visible()
        expect(page.locator("#unique-up-1")).to_be_focused()
        self.go("editor")
        self.tab_to("bar-fetchIndex")
        self.press("Enter")
        expect(page.locator("input.renaming")).to_be_focused()
        self.press("Enter")
        self.go("inspector")
        self.tab_to("part-order-0")
        self.press("ArrowDown", "Enter")
        expect(page.get_by_role("table", name="Indexes")).to_contain_text("printed ↓")
        # Back and forth, and saved.
        self.go("sidebar")
        self.press("Control+z")
        expect(page.get_by_role("table", name="Indexes")).not_to_contain_text("↓")
        self.press("Control+Shift+z")
        expect(page.get_by_role("table", name="Indexes")).to_contain_text("printed ↓")
        self.press("Control+s")
        expect(page.locator("#edited")).to_have_text("Saved")
        book = self.contents().find("entity[@name='Book']")
        self.assertEqual(
            ["attribute printed", "relationship seller", "fetchIndex byPrintedIndex", "uniquenessConstraints"],
            [f"{child.tag} {child.get('name') or ''}".strip() for child in book if child.tag != "userInfo"][:4])
        self.assertEqual("descending", book.find("fetchIndex/fetchIndexElement").get("order"))
        self.assertEqual("739361472", book.find("attribute").get("defaultDateTimeInterval"))


class Around(Keys, EditorTest):
    """The ways through a model that is there."""

    weight = 5
    sample = BOOKS

    def start_server(self):
        app = super().start_server()
        file = app.model / "Books.xcdatamodel/contents"
        file.write_text(file.read_text().replace("</model>", """    <fetchRequest name="Cheap" entity="Book" predicateString="price &lt; 5"/>
    <fetchRequest name="Old" entity="Book" predicateString="nothing &lt; 5"/>
    <configuration name="Catalogue"><memberEntity name="Author"/><memberEntity name="Book"/></configuration>
</model>"""))
        app.stop()
        return Editor(app.model)

    def test_the_sidebar(self):
        page = self.page
        self.go("sidebar")
        self.tab_to("item-entity-Author")
        self.press("ArrowDown")
        expect(page.locator("#item-entity-Book")).to_be_focused()
        expect(page.locator("#editor h2")).to_contain_text("Book")
        # The arrows end with the list.
        self.press("ArrowDown")
        expect(page.locator("#item-entity-Book")).to_be_focused()
        self.press("ArrowUp")
        expect(page.locator("#editor h2")).to_contain_text("Author")
        for name, kind in [("fetchRequest-Cheap", "fetch request"), ("configuration-Catalogue", "configuration")]:
            self.tab_to(f"item-{name}")
            self.press("Enter")
            expect(page.locator("#editor h2")).to_contain_text(kind)
            expect(page.locator(f"#item-{name}")).to_be_focused()
        self.press("F6")
        self.tab_to("member-0")
        self.press("Space")
        self.eventually(1, lambda: len(self.tree()["children"][-1]["children"]))
        expect(page.locator("#member-0")).to_be_focused()
        self.go("sidebar")
        self.tab_to("version:Books")
        self.press("Enter")
        expect(page.locator("#editor .facts")).to_be_visible()
        expect(page.locator("[id='version:Books']")).to_be_focused()

    def test_the_reports(self):
        page = self.page
        self.go("panel")
        self.tab_to("tab-warnings")
        for report in ["swift", "hashes", "migration", "warnings"]:
            self.press("ArrowRight")
            expect(page.locator(f"#tab-{report}")).to_be_focused()
            expect(page.locator(f"#tab-{report}")).to_have_attribute("aria-selected", "true")
        self.tab_to("finding-0")
        self.press("Enter")
        expect(page.locator("#editor #f-predicateString")).to_have_value("nothing < 5")
        self.press("F6")
        self.has_focus("sidebar")

    def test_the_diagram(self):
        page = self.page
        self.tab_to("mode-diagram", most=20)
        self.press("Enter")
        expect(page.locator("#diagram g.box")).to_have_count(2)
        expect(page.locator("#mode-diagram")).to_be_focused()
        self.tab_to("box-Book")
        before = self.still(page.locator("#box-Book"))
        self.press("ArrowLeft")
        self.holds(lambda: page.locator("#box-Book").bounding_box()["x"] < before["x"])
        self.tab_to("zoom-in")
        self.press("Enter")
        self.holds(lambda: page.locator("#box-Book").bounding_box()["width"] > before["width"])
        expect(page.locator("#zoom-in")).to_be_focused()
        self.tab_to("lay-out")
        self.press("Enter")
        expect(page.locator("#lay-out")).to_be_focused()
        self.tab_to("box-Author", "Shift+Tab")
        # Opened, it is where the focus goes on.
        self.press("Enter")
        expect(page.locator("#editor h2")).to_contain_text("Author")
        self.has_focus("editor")
        self.press("Tab")
        self.has_focus("editor")

    def test_the_diagram_closes_for_an_element_that_it_does_not_show(self):
        page = self.page
        for item, field in [("fetchRequest-Cheap", "#editor #f-predicateString"), ("configuration-Catalogue", "#editor #member-0")]:
            with self.subTest(item=item):
                page.locator("#mode-diagram").click()
                expect(page.locator("#diagram")).to_be_visible()
                self.go("sidebar")
                self.tab_to(f"item-{item}")
                self.press("Enter")
                expect(page.locator(field)).to_be_visible()
                expect(page.locator("#diagram")).to_have_count(0)
                expect(page.locator("#mode-tables")).to_have_attribute("aria-pressed", "true")
        page.locator("#mode-diagram").click()
        # The link of a warning.
        page.get_by_role("tab", name="Warnings").click()
        page.get_by_role("button", name="Old", exact=True).last.click()
        expect(page.locator("#editor #f-predicateString")).to_have_value("nothing < 5")
        # An entity stays in the diagram.
        page.locator("#mode-diagram").click()
        page.locator("#item-entity-Author").click()
        expect(page.locator("#box-Author")).to_have_attribute("aria-current", "true")
        expect(page.locator("#diagram")).to_be_visible()
        # What is new there has its page.
        self.go("sidebar")
        self.tab_to("add-composite")
        self.press("Enter")
        expect(page.locator("input.renaming")).to_be_focused()
        self.type("Address")
        self.press("Enter")
        expect(page.locator("#editor h2")).to_contain_text("Address")

    def test_a_merge(self):
        page = self.page
        self.go("sidebar")
        self.tab_to("item-entity-Book")
        self.press("Enter")
        self.go("inspector")
        self.tab_to("f-versionHashModifier")
        self.type("mine")
        self.press("Enter")
        self.eventually("mine", lambda: self.element("Book").get("versionHashModifier"))
        file = self.app.model / "Books.xcdatamodel/contents"
        text = file.read_text().replace('<entity name="Book"', '<entity name="Book" versionHashModifier="theirs"')
        file.write_text(text)
        expect(page.locator("#disk")).to_be_visible()
        for end in ["Escape", "Not Now"]:
            self.tab_to("disk", "Shift+Tab")
            self.press("Enter")
            dialog = page.get_by_role("dialog")
            expect(dialog).to_be_visible()
            if end == "Escape":
                self.press("Escape")
            else:
                for _ in range(20):
                    if page.evaluate("document.activeElement.textContent") == end:
                        break
                    self.press("Tab")
                self.press("Enter")
            expect(dialog).to_have_count(0)
            expect(page.locator("#disk")).to_be_focused()
        self.press("Enter")
        choice = page.get_by_role("dialog").get_by_role("combobox")
        expect(choice).to_be_visible()
        for _ in range(20):
            if page.evaluate("document.activeElement.localName") == "select":
                break
            self.press("Tab")
        expect(choice).to_be_focused()
        self.type("On")
        expect(choice).to_have_value("theirs")
        self.press("Tab", "Tab", "Enter")
        expect(page.get_by_role("dialog")).to_have_count(0)
        self.eventually("theirs", lambda: self.element("Book").get("versionHashModifier"))
        self.holds(lambda: page.evaluate("document.activeElement !== document.body"))
        self.press("Control+s")
        expect(page.locator("#edited")).to_have_text("Saved")
        self.holds(lambda: 'versionHashModifier="theirs"' in file.read_text())


class Presses(EditorTest):
    """A hand that is as slow as a hand."""

    def click(self, selector):
        # Waits until the page stands still.
        self.page.locator(selector).hover()
        self.page.mouse.down()
        # What the press has told is answered, and drawn, before the release.
        self.answered()
        self.page.wait_for_timeout(100)
        self.page.mouse.up()

    def test_a_click_beside_a_field_in_use_has_its_effect(self):
        page = self.page
        self.add_entity("Book")
        for text, selector, happened in [
            ("a", "#f-isAbstract", lambda: self.element("Book").get("isAbstract")), ("b", "#save", lambda: page.locator("#edited").inner_text()),
            ("c", "#bar-attribute", lambda: str(page.locator("input.renaming").count())),
        ]:
            with self.subTest(selector=selector):
                self.answered()
                page.locator("#f-versionHashModifier").click()
                page.keyboard.press("End")
                page.keyboard.type(text)
                self.click(selector)
                self.eventually({"#f-isAbstract": "YES", "#save": "Saved", "#bar-attribute": "1"}[selector], happened)
        self.eventually("abc", lambda: self.element("Book").get("versionHashModifier"))

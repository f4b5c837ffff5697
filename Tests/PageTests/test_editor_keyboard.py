"""The editor by the keyboard: nothing here is clicked, focused or filled in by a script; keys are pressed, as a person does."""

import re

from editor import BOOKS, EditorTest, expect

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
        self.assertEqual(id, self.focused())

    def go(self, part):
        """Goes to a part of the window."""
        for _ in range(5):
            if self.page.evaluate("id => document.getElementById(id).contains(document.activeElement)", part):
                return
            self.press("F6")
        self.fail(f"F6 does not lead to {part}")

    def revision(self):
        return self.page.evaluate("fetch('/api/document').then((answer) => answer.json()).then((document) => document.revision)")


class Dates(Keys, EditorTest):
    """Dates are typed digit by digit. Which of day and month is first is the browser's affair, so they are the same here; a clock
    of 24 hours does not hear of AM."""

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
                # Nothing is told until it is whole.
                self.assertEqual(revision, self.revision())
                self.press("Enter")
                self.eventually("739361472", self.date)
                self.assertEqual(revision + 1, self.revision())
                expect(self.page.locator("#f-defaultDateTimeInterval")).to_be_focused()
                self.page.locator("#undo").click()
                self.eventually("86410", self.date)

    def test_a_date_is_told_when_it_is_left(self):
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
        self.assertEqual(3, self.revision() - revision)
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

    def test_part_of_a_date_is_none(self):
        self.fill("f-defaultDateTimeInterval", "2001-01-02T00:00:10")
        self.eventually("86410", self.date)
        self.enter_date("f-defaultDateTimeInterval")
        self.press("Backspace")
        self.tab_to("f-minDateTimeInterval")
        expect(self.page.locator("#status")).to_contain_text("not whole")
        expect(self.page.locator("#f-defaultDateTimeInterval")).to_have_value("2001-01-02T00:00:10")
        self.assertEqual("86410", self.date())
        # All of it taken out is no date.
        self.enter_date("f-defaultDateTimeInterval")
        for _ in range(7):
            self.press("Backspace", "ArrowRight")
        self.press("Enter")
        self.eventually(None, self.date)


class Presses(EditorTest):
    """A hand that is as slow as a hand."""

    def click(self, selector):
        box = self.page.locator(selector).bounding_box()
        self.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        self.page.mouse.down()
        # What the press has told is answered, and drawn, before the release.
        self.page.wait_for_timeout(300)
        self.page.mouse.up()

    def test_a_click_beside_a_field_that_is_typed_in_is_heard(self):
        page = self.page
        self.add_entity("Book")
        for text, selector, happened in [
            ("a", "#f-isAbstract", lambda: self.element("Book").get("isAbstract")), ("b", "#save", lambda: page.locator("#edited").inner_text()),
            ("c", "#bar-attribute", lambda: str(page.locator("input.renaming").count())),
        ]:
            with self.subTest(selector=selector):
                page.locator("#f-versionHashModifier").click()
                page.keyboard.press("End")
                page.keyboard.type(text)
                self.click(selector)
                self.eventually({"#f-isAbstract": "YES", "#save": "Saved", "#bar-attribute": "1"}[selector], happened)
        self.assertEqual("abc", self.element("Book").get("versionHashModifier"))

"""The diagram."""

import re
import struct
import xml.etree.ElementTree as XML

from editor import BOOKS, Editor, EditorTest, expect


def large_model(count):
    """A model in which every entity leads to the next and back, to one far away, and to itself; every fifth inherits."""
    lines = []
    for number in range(count):
        parent = f' parentEntity="E{number - 1}"' if number % 5 == 4 else ""
        attributes = "".join(f'<attribute name="a{number}x{index}" optional="YES" attributeType="String"/>' for index in range(number % 9))
        lines.append(f"""<entity name="E{number}" representedClassName="E{number}"{parent}>{attributes}
            <relationship name="next{number}" optional="YES" maxCount="1" destinationEntity="E{(number + 1) % count}" inverseName="last{(number + 1) % count}" inverseEntity="E{(number + 1) % count}"/>
            <relationship name="last{number}" optional="YES" toMany="YES" destinationEntity="E{(number - 1) % count}" inverseName="next{(number - 1) % count}" inverseEntity="E{(number - 1) % count}"/>
            <relationship name="far{number}" optional="YES" maxCount="1" destinationEntity="E{number * 7 % count}"/>
            <relationship name="own{number}" optional="YES" maxCount="1" destinationEntity="E{number}" inverseName="own{number}" inverseEntity="E{number}"/>
        </entity>""")
    return f'<?xml version="1.0"?><model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">{"".join(lines)}</model>'


class Large(EditorTest):
    def start_server(self):
        folder = self.make_folder()
        model = folder / "Large.xcdatamodeld"
        (model / "Large.xcdatamodel").mkdir(parents=True)
        (model / "Large.xcdatamodel/contents").write_text(large_model(90))
        return Editor(model)

    def overlaps(self):
        """The pairs of boxes that lie over each other."""
        return self.page.evaluate(
            """() => {
                const boxes = [...document.querySelectorAll("#diagram g.box")].map((box) => {
                    const frame = box.querySelector("rect").getBoundingClientRect();
                    return { id: box.id, left: frame.left, right: frame.right, top: frame.top, bottom: frame.bottom };
                });
                const over = (a, b) => a.left < b.right - 0.5 && b.left < a.right - 0.5 && a.top < b.bottom - 0.5 && b.top < a.bottom - 0.5;
                return boxes.flatMap((a, index) => boxes.slice(index + 1).filter((b) => over(a, b)).map((b) => `${a.id} ${b.id}`));
            }""")

    def test_many_entities_are_laid_out_and_laid_out_again(self):
        page = self.page
        page.locator("#mode-diagram").click()
        expect(page.locator("#diagram g.box")).to_have_count(90)
        self.eventually([], lambda: self.overlaps())
        # A line for each parent is dashed; there is one for each pair, each that leads far, and each that leads back to itself.
        self.eventually(18, lambda: page.locator("#diagram path[stroke-dasharray]").count())
        expect(page.locator("#diagram path[stroke-dasharray] title").first).to_have_text("E4 inherits from E3")
        own = page.locator("#diagram path", has=page.locator("title", has_text=re.compile("^own7 / own7$")))
        expect(own).to_have_count(1)
        self.holds(lambda: "NaN" not in own.get_attribute("d"))
        self.eventually(90 * 3, lambda: page.locator("#diagram g > path:first-child:not([stroke-dasharray])").count())
        # What was moved onto another one is put back.
        box = page.locator("#box-E1")
        self.still(box)
        place = box.get_attribute("transform")
        box.focus()
        self.until("() => document.querySelector('#diagram > g').hasAttribute('transform')")
        target = page.locator("#box-E2").get_attribute("transform")
        [x, y], [to_x, to_y] = [[float(part) for part in re.findall(r"-?[\d.]+", text)] for text in [place, target]]
        for key, steps in [("ArrowRight" if to_x > x else "ArrowLeft", abs(to_x - x)), ("ArrowDown" if to_y > y else "ArrowUp", abs(to_y - y))]:
            for _ in range(round(steps / 10)):
                page.keyboard.press(key)
        self.holds(lambda: "box-E1 box-E2" in self.overlaps())
        page.locator("#lay-out").click()
        expect(box).to_have_attribute("transform", place)
        self.eventually([], lambda: self.overlaps())


class Diagram(EditorTest):
    sample = BOOKS

    def setUp(self):
        super().setUp()
        self.page.get_by_role("button", name="Diagram").click()
        expect(self.page.locator("#diagram g.box")).to_have_count(2)

    def box(self, name):
        return self.page.locator(f"#box-{name}")

    def is_at(self, name, x, y):
        found = self.box(name).bounding_box()
        return abs(found["x"] - x) <= 2 and abs(found["y"] - y) <= 2

    def is_within(self, name, frame, is_whole=False):
        """Whether a box is in the frame, or its beginning is."""
        found = self.box(name).bounding_box()
        width, height = (found["width"], found["height"]) if is_whole else (0, 0)
        return (frame["x"] <= found["x"] and found["x"] + width <= frame["x"] + frame["width"] + 1
                and frame["y"] <= found["y"] and found["y"] + height <= frame["y"] + frame["height"] + 1)

    def test_entities_are_boxes_that_do_not_overlap(self):
        expect(self.box("Book")).to_contain_text("canonicalTitle")
        expect(self.box("Author")).to_contain_text("books")
        a, b = self.still(self.box("Book")), self.still(self.box("Author"))
        self.assertTrue(a["x"] + a["width"] <= b["x"] or b["x"] + b["width"] <= a["x"])
        expect(self.page.locator("#diagram title", has_text="books / author")).to_have_count(1)

    def test_a_box_is_dragged_and_its_lines_follow(self):
        before = self.still(self.box("Book"))
        line = self.page.locator("#diagram path").first
        path = line.get_attribute("d")
        self.page.mouse.move(before["x"] + 20, before["y"] + 8)
        self.page.mouse.down()
        self.page.mouse.move(before["x"] + 60, before["y"] + 40, steps=4)
        self.page.mouse.up()
        self.holds(lambda: self.is_at("Book", before["x"] + 40, before["y"] + 32))
        after = self.still(self.box("Book"))
        self.holds(lambda: path != self.page.locator("#diagram path").first.get_attribute("d"))
        # The place is kept while the tables are shown.
        self.page.get_by_role("button", name="Tables").click()
        self.page.get_by_role("button", name="Diagram").click()
        self.holds(lambda: self.is_at("Book", after["x"], after["y"]))

    def test_a_box_is_moved_and_opened_by_the_keyboard(self):
        self.box("Book").focus()
        before = self.still(self.box("Book"))
        self.page.keyboard.press("ArrowRight")
        self.holds(lambda: self.box("Book").bounding_box()["x"] > before["x"])
        self.page.keyboard.press("Enter")
        expect(self.page.locator("#editor h2")).to_contain_text("Book")
        expect(self.page.get_by_role("table", name="Attributes")).to_be_visible()

    def test_zoom_and_fit(self):
        before = self.still(self.box("Book"))["width"]
        self.page.get_by_role("button", name="Zoom In").click()
        self.holds(lambda: self.box("Book").bounding_box()["width"] > before * 1.2)
        self.page.mouse.move(600, 300)
        self.page.mouse.wheel(0, 600)
        self.until("width => document.querySelector('#box-Book').getBoundingClientRect().width < width", before)
        self.page.get_by_role("button", name="Fit").click()
        frame = self.still(self.page.locator("#diagram"))
        for name in ["Book", "Author"]:
            self.holds(lambda: self.is_within(name, frame, is_whole=True))

    def test_the_keyboard_brings_boxes_into_the_frame(self):
        page = self.page
        for _ in range(6):
            page.get_by_role("button", name="Zoom In").click()
        frame = self.still(page.locator("#diagram"))
        for _ in range(2):
            for name in ["Author", "Book"]:
                self.box(name).focus()
                # The key that leads to a box is let go there.
                page.keyboard.press("Tab")
                page.keyboard.press("Shift+Tab")
                expect(self.box(name)).to_be_focused()
                self.holds(lambda: self.is_within(name, frame))

    def test_two_fingers_zoom(self):
        page = self.window(has_touch=True, viewport={"width": 1280, "height": 800})
        self.enter(page)
        page.locator("#mode-diagram").click()
        expect(page.locator("#diagram g.box")).to_have_count(2)
        page.locator("#zoom-fit").click()
        before = self.still(page.locator("#box-Book"))
        frame = self.still(page.locator("#diagram"))
        x, y = frame["x"] + frame["width"] / 2, frame["y"] + frame["height"] / 2
        fingers = page.context.new_cdp_session(page)
        def touch(type, *distances):
            points = [{"x": x + side * distance, "y": y, "id": side} for distance in distances for side in [-1, 1]]
            fingers.send("Input.dispatchTouchEvent", {"type": type, "touchPoints": points})
        touch("touchStart", 40)
        for distance in [50, 65, 80]:
            touch("touchMove", distance)
        touch("touchEnd")
        book = page.locator("#box-Book")
        self.holds(lambda: abs(2 - book.bounding_box()["width"] / before["width"]) <= 0.1)
        # What was between the fingers stays there.
        middle = lambda box: (x - box["x"]) / box["width"]
        self.holds(lambda: abs(middle(before) - middle(book.bounding_box())) <= 0.02)

    def test_names_are_whole_in_a_picture(self):
        page = self.page
        name = "aNameThatIsSoLongThatNoBoxOnThePageHasRoomForAllOfIt" * 4
        page.get_by_role("button", name="Tables").click()
        self.select_entity("Author")
        self.add_attribute(name, "String")
        page.get_by_role("button", name="Diagram").click()
        expect(self.box("Author")).to_contain_text("…")
        self.eventually(name, lambda: self.box("Author").locator("title", has_text=name).text_content())
        with page.expect_download() as download:
            page.get_by_role("button", name="Export SVG").click()
        tree = XML.parse(download.value.path()).getroot()
        texts = [text.text for text in tree.iter("{http://www.w3.org/2000/svg}text")]
        self.assertIn(name, texts)
        self.assertFalse([text for text in texts if "…" in text])
        # The boxes are beside each other all the same.
        boxes = []
        for group in tree.iter("{http://www.w3.org/2000/svg}g"):
            frame = group.find("{http://www.w3.org/2000/svg}rect")
            if frame is not None and group.get("transform"):
                at = [float(part) for part in re.findall(r"-?[\d.]+", group.get("transform"))]
                boxes.append((at[0], at[0] + float(frame.get("width"))))
        self.assertEqual(2, len(boxes))
        (_, right), (left, _) = sorted(boxes)
        self.assertLessEqual(right, left)

    def test_it_is_exported(self):
        with self.page.expect_download() as download:
            self.page.get_by_role("button", name="Export SVG").click()
        self.assertEqual("Books.svg", download.value.suggested_filename)
        tree = XML.parse(download.value.path()).getroot()
        self.assertTrue(tree.tag.endswith("svg"))
        self.assertIn("canonicalTitle", "".join(tree.itertext()))
        with self.page.expect_download() as download:
            self.page.get_by_role("button", name="Export PNG").click()
        data = download.value.path().read_bytes()
        self.assertEqual(b"\x89PNG\r\n\x1a\n", data[:8])
        width, height = struct.unpack(">II", data[16:24])
        self.assertTrue(width > 400 and height > 300)

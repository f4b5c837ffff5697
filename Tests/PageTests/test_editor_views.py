"""Every view of the editor on a phone, in a window of middle width and in a wide one: nothing is cut off, broken or too wide."""

import faulthandler

from browser import long
from checks import broken_words, cut_in_fields, cut_off, problems, too_wide, violations
from editor import LANDMARKS, Editor, EditorTest, expect

MODEL = """<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" userDefinedModelVersionIdentifier="">
    <entity name="Author" representedClassName="Author" syncable="YES">
        <attribute name="name" attributeType="String"/>
        <relationship name="books" optional="YES" toMany="YES" minCount="1" maxCount="12" deletionRule="No Action" ordered="YES" destinationEntity="Book" inverseName="author" inverseEntity="Book"/>
    </entity>
    <entity name="Book" representedClassName="Book" syncable="YES" codeGenerationType="category">
        <attribute name="born" optional="YES" attributeType="Date" minDateTimeInterval="-31622400" maxDateTimeInterval="800000000" defaultDateTimeInterval="86410" usesScalarValueType="NO"/>
        <attribute name="canonicalTitle" optional="YES" attributeType="String" derived="YES" derivationExpression="canonical:(title)"/>
        <attribute name="home" optional="YES" attributeType="Composite" composite="Address"/>
        <attribute name="price" optional="YES" attributeType="Decimal" minValueString="0" maxValueString="1000" defaultValueString="12.50"/>
        <attribute name="tint" optional="YES" attributeType="Transformable" valueTransformerName="NSSecureUnarchiveFromData" customClassName="NSColor"/>
        <attribute name="title" attributeType="String" regularExpressionString="[A-Z].*" defaultValueString="unknown"/>
        <attribute name="uuid" optional="YES" attributeType="UUID" usesScalarValueType="NO"/>
        <attribute name="web" optional="YES" attributeType="URI"/>
        <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Author" inverseName="books" inverseEntity="Author"/>
        <fetchedProperty name="twins" optional="YES"><fetchRequest name="fetchedPropertyFetchRequest" entity="Book" predicateString="title == $FETCH_SOURCE.title"/></fetchedProperty>
        <fetchIndex name="byTitle" partialIndexPredicate="title != nil"><fetchIndexElement property="canonicalTitle" type="Binary" order="descending"/><fetchIndexElement expression="uppercase:(title)" expressionType="Integer 64" type="Binary" order="ascending"/></fetchIndex>
        <uniquenessConstraints><uniquenessConstraint><constraint value="title"/><constraint value="web"/></uniquenessConstraint></uniquenessConstraints>
        <userInfo><entry key="owner" value="library"/></userInfo>
    </entity>
    <fetchRequest name="Cheap" entity="Book" predicateString="nonsense &lt; 5" fetchLimit="20" resultType="1"/>
    <configuration name="Catalogue"><memberEntity name="Book"/></configuration>
    <composite name="Address"><attribute name="city" optional="YES" attributeType="String"/></composite>
</model>"""


class Views(EditorTest):
    weight = 15

    def start_server(self):
        folder = self.make_folder()
        self.model = folder / "Library.xcdatamodeld"
        for name in ["Library", "Library 2"]:
            (self.model / f"{name}.xcdatamodel").mkdir(parents=True)
            (self.model / f"{name}.xcdatamodel/contents").write_text(MODEL)
        (self.model / ".xccurrentversion").write_text(
            '<?xml version="1.0" encoding="UTF-8"?>\n<plist version="1.0"><dict><key>_XCCurrentVersionName</key>'
            "<string>Library.xcdatamodel</string></dict></plist>\n")
        return Editor(self.model)

    def pane(self, name):
        """Shows a part of the window, where only one is shown."""
        button = self.page.locator("#panes").get_by_role("button", name=name)
        if button.is_visible():
            button.click()

    def item(self, id):
        self.pane("Model")
        self.page.locator(f"[id='item-{id}']").click()

    def member(self, kind, name):
        self.item("entity-Book")
        self.pane("Editor")
        self.page.locator(f"[id='item-entity-Book-{kind}-{name}']").click()
        self.pane("Inspector")
        expect(self.page.locator("#f-uniquenessConstraint" if kind == "uniquenessConstraint" else "#f-name")).to_have_value(name)

    def views(self):
        """Shows each view in turn, and gives its name."""
        page = self.page
        self.item("entity-Book")
        self.pane("Editor")
        yield "tables"
        self.pane("Inspector")
        yield "entity"
        for name in ["born", "canonicalTitle", "home", "price", "tint", "title", "uuid", "web"]:
            self.member("attribute", name)
            yield f"attribute {name}"
        for kind, name in [("relationship", "author"), ("fetchedProperty", "twins"), ("fetchIndex", "byTitle"), ("uniquenessConstraint", "title,web")]:
            self.member(kind, name)
            if kind == "fetchIndex":
                expect(page.locator("#expression-1-check")).to_have_text("✓ Valid")
            yield kind
        self.item("entity-Author")
        self.pane("Editor")
        page.locator("#item-entity-Author-relationship-books").click()
        self.pane("Inspector")
        expect(page.locator("#f-maxCount")).to_have_value("12")
        yield "relationship to many"
        for id in ["fetchRequest-Cheap", "configuration-Catalogue", "composite-Address"]:
            self.item(id)
            for pane in ["Editor", "Inspector"]:
                self.pane(pane)
                yield f"{id} {pane}"
        self.item("entity-Book")
        self.pane("Reports")
        for report in ["Warnings", "Generated Swift", "Version Hashes", "Migration"]:
            page.get_by_role("tab", name=report).click()
            yield report
        self.pane("Model")
        page.locator("[id='version:Library']").click()
        self.pane("Editor")
        yield "model"
        self.pane("Inspector")
        for button in ["new-version", "rename-version", "remove-version"]:
            page.locator(f"#{button}").click()
            expect(page.get_by_role("dialog")).to_be_visible()
            yield button
            page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
        # A change of what others change too.
        self.member("attribute", "price")
        page.locator("#f-minValueString").fill("1")
        page.locator("#f-minValueString").press("Enter")
        self.eventually("1", lambda: self.element("Book", "price").get("minValueString"))
        (self.model / "Library.xcdatamodel/contents").write_text(
            MODEL.replace('minValueString="0"', 'minValueString="5"').replace('name="web" optional="YES"', 'name="web"', 1))
        page.locator("#disk").click()
        expect(page.locator("#dialog tbody tr")).to_have_count(2)
        yield "merge"
        page.get_by_role("dialog").get_by_role("button", name="Merge").evaluate("button => button.form.noValidate = true")
        page.get_by_role("dialog").get_by_role("button", name="Merge").click()
        expect(page.get_by_role("alert")).not_to_be_empty()
        yield "a refused merge"

    def look(self, width, height, scheme):
        faulthandler.dump_traceback_later(900, exit=True)
        self.page = self.window(viewport={"width": width, "height": height}, color_scheme=scheme)
        self.enter(self.page)
        for view in self.views():
            with self.subTest(view=view):
                for check in [violations, cut_off, cut_in_fields, broken_words, too_wide]:
                    self.eventually([], lambda: check(self.page))
                if width > 760:
                    self.eventually([], lambda: problems(self.page, LANDMARKS))

    @long
    def test_every_view_of_a_phone(self):
        self.look(360, 740, "light")

    @long
    def test_every_view_of_middle_width(self):
        self.look(900, 740, "dark")

    def test_every_view_of_a_wide_window(self):
        self.look(1280, 800, "light")

"""What Apple's *Configuring Attributes* says of the editor, sentence by sentence."""

import re

from editor import EditorTest, expect


class Attributes(EditorTest):
    def setUp(self):
        super().setUp()
        self.add_entity("Book")

    def setting(self, name, value, attribute="title"):
        self.eventually(value, lambda: self.element("Book", attribute).get(name))

    def test_add_attribute_appears_with_a_placeholder_and_is_named_in_place(self):
        page = self.page
        page.get_by_role("button", name="Add Attribute", exact=True).click()
        expect(page.locator("input.renaming")).to_have_value("attribute")
        page.keyboard.press("Escape")
        row = page.get_by_role("table", name="Attributes").get_by_role("row").nth(1)
        expect(row.get_by_role("button")).to_have_text("attribute")
        expect(row.get_by_role("combobox")).to_have_value("Undefined")
        row.get_by_role("button").dblclick()
        field = page.locator("input.renaming")
        expect(field).to_be_focused()
        field.fill("title")
        field.press("Enter")
        expect(row.get_by_role("button")).to_have_text("title")
        row.get_by_role("combobox").select_option("String")
        self.assertEqual({"name": "title", "optional": "YES", "attributeType": "String"}, self.wait_type("String"))
        expect(page.locator("#f-attributeType")).to_have_value("String")

    def wait_type(self, type):
        self.setting("attributeType", type)
        return self.element("Book", "title")

    def test_the_list_of_types_is_whole(self):
        self.add_member("attribute", "title")
        options = self.page.get_by_label("Type of title").first.locator("option").all_inner_texts()
        self.assertEqual(
            ["Undefined", "Integer 16", "Integer 32", "Integer 64", "Decimal", "Double", "Float", "String", "Boolean", "Date",
             "Binary", "UUID", "URI", "Transformable"], options)

    def test_attributes_are_optional_and_saved_by_default(self):
        self.add_attribute("title", "String")
        expect(self.page.get_by_label("Optional")).to_be_checked()
        expect(self.page.get_by_label("Transient")).not_to_be_checked()
        self.check("f-optional", False)
        self.check("f-transient")
        self.setting("optional", None)
        self.setting("transient", "YES")
        expect(self.page.locator("#editor .note")).to_have_text("transient")

    def test_the_inspector_shows_the_type_of_the_list_and_the_other_way_round(self):
        self.add_attribute("title", "String")
        self.page.locator("#f-attributeType").select_option("Date")
        expect(self.page.get_by_label("Type of title").first).to_have_value("Date")

    def test_defaults_by_type(self):
        page = self.page
        self.add_attribute("title", "String")
        self.check("f-hasDefault")
        self.setting("defaultValueString", "")
        self.fill("f-defaultValueString", "unknown")
        self.setting("defaultValueString", "unknown")
        page.locator("#f-attributeType").select_option("Integer 64")
        expect(page.locator("#f-defaultValueString")).to_have_value("0")
        page.locator("#f-attributeType").select_option("Boolean")
        page.locator("select#f-defaultValueString").select_option("YES")
        self.setting("defaultValueString", "YES")
        page.locator("#f-attributeType").select_option("Date")
        expect(page.locator("#f-defaultDateTimeInterval")).to_have_attribute("type", "datetime-local")
        self.fill("f-defaultDateTimeInterval", "2001-01-02T00:00:10")
        self.setting("defaultDateTimeInterval", "86410")
        expect(page.locator("#f-defaultDateTimeInterval")).to_have_value("2001-01-02T00:00:10")
        page.locator("#f-attributeType").select_option("UUID")
        page.get_by_role("button", name="New UUID").click()
        expect(page.locator("#f-defaultValueString")).to_have_value(re.compile("^[0-9A-F-]{36}$"))
        page.locator("#f-attributeType").select_option("Decimal")
        self.fill("f-defaultValueString", "12.50")
        self.setting("defaultValueString", "12.50")

    def test_an_invalid_default_is_reported(self):
        self.add_attribute("title", "Integer 16")
        self.fill("f-defaultValueString", "many")
        expect(self.page.locator("#inspector .findings")).to_contain_text("many")
        expect(self.page.locator("#report .findings")).to_contain_text("Book.title")

    def test_validation_is_that_of_the_type(self):
        page = self.page
        self.add_attribute("title", "String")
        self.fill("f-minValueString", "1")
        self.fill("f-maxValueString", "40")
        self.setting("maxValueString", "40")
        expect(page.get_by_label("Min Length")).to_have_value("1")
        page.locator("#f-attributeType").select_option("Double")
        expect(page.get_by_label("Min Value")).to_have_value("")
        expect(page.get_by_label("Reg. Ex.")).to_have_count(0)
        page.locator("#f-attributeType").select_option("Date")
        self.fill("f-minDateTimeInterval", "2000-01-01T00:00")
        self.setting("minDateTimeInterval", "-31622400")
        page.locator("#f-attributeType").select_option("Binary")
        expect(page.get_by_role("heading", name="Validation")).to_have_count(0)

    def test_a_regular_expression_is_tried(self):
        page = self.page
        self.add_attribute("title", "String")
        page.get_by_label("Reg. Ex.").fill("[A-Z][a-z]+")
        verdict = page.locator("#try-verdict")
        expect(verdict).to_have_text("✓ Valid")
        page.get_by_label("Try It").fill("Emma")
        expect(verdict).to_have_text("✓ Matches")
        page.get_by_label("Try It").fill("emma")
        expect(verdict).to_have_text("✗ Does not match")
        self.setting("regularExpressionString", "[A-Z][a-z]+")
        page.get_by_label("Reg. Ex.").fill("(")
        expect(verdict).to_contain_text("not valid")

    def test_scalar_types_change_the_generated_code(self):
        page = self.page
        self.add_attribute("price", "Double")
        expect(page.get_by_label("Use Scalar Type")).to_be_checked()
        page.get_by_role("tab", name="Generated Swift").click()
        expect(page.locator("#report")).to_contain_text("var price: Double")
        self.check("f-usesScalarValueType", False)
        self.setting("usesScalarValueType", "NO", "price")
        expect(page.locator("#report")).to_contain_text("var price: NSNumber?")

    def test_spotlight_history_and_storage(self):
        self.add_attribute("title", "Binary")
        for id, setting in [
            ("f-spotlightIndexingEnabled", "spotlightIndexingEnabled"), ("f-preserveAfterDeletion", "preserveAfterDeletion"),
            ("f-allowsExternalBinaryDataStorage", "allowsExternalBinaryDataStorage"), ("f-allowsCloudEncryption", "allowsCloudEncryption"),
        ]:
            self.check(id)
            self.setting(setting, "YES")

    def test_a_transformable_attribute_has_a_transformer_and_a_class(self):
        self.add_attribute("title", "Transformable")
        expect(self.page.get_by_label("Transformer")).to_have_value("NSSecureUnarchiveFromData")
        self.fill("f-valueTransformerName", "ColorToDataTransformer")
        self.fill("f-customClassName", "TintColor")
        self.setting("customClassName", "TintColor")

    def test_user_info(self):
        page = self.page
        self.add_attribute("title", "String")
        page.get_by_role("button", name="Add Entry").click()
        key = page.get_by_label("Key 1")
        expect(key).to_be_focused()
        key.fill("jsonKey")
        key.press("Enter")
        page.get_by_label("Value 1").fill("<b>title</b>")
        page.get_by_label("Value 1").press("Enter")
        self.eventually(
            [{"key": "jsonKey", "value": "<b>title</b>"}],
            lambda: [entry["settings"] for entry in self.tree()["children"][0]["children"][0]["children"][0]["children"]])
        page.get_by_role("button", name="Remove entry jsonKey").click()
        expect(page.get_by_label("Key 1")).to_have_count(0)

    def test_versioning(self):
        self.add_attribute("title", "String")
        self.fill("f-versionHashModifier", "2")
        self.fill("f-elementID", "name")
        self.setting("versionHashModifier", "2")
        self.setting("elementID", "name")

    def test_a_derivation_is_checked_as_it_is_typed(self):
        page = self.page
        self.add_attribute("name", "String")
        self.add_attribute("title", "String")
        page.get_by_label("Derived").check()
        field = page.get_by_label("Derivation")
        note = page.locator("#f-derivationExpression-check")
        field.fill("canonical:(nam")
        expect(note).to_contain_text("column")
        expect(field).to_have_attribute("aria-invalid", "true")
        field.fill("canonical:(nothing)")
        expect(note).to_contain_text("no property 'nothing'")
        field.fill("canonical:(name)")
        expect(note).to_have_text("✓ Valid")
        field.press("Enter")
        self.setting("derivationExpression", "canonical:(name)")
        self.setting("derived", "YES")
        expect(page.get_by_role("heading", name="Validation")).to_have_count(0)

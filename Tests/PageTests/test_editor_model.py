"""Everything of a model besides attributes: entities, relationships, indexes, requests, configurations, versions."""

import re

from checks import cut_off, problems, violations
from editor import BOOKS, LANDMARKS, EditorTest, expect


class Model(EditorTest):
    def test_entities_have_their_settings(self):
        page = self.page
        self.add_entity("Publication")
        self.add_entity("Book")
        page.get_by_label("Parent Entity").select_option("Publication")
        self.eventually("Publication", lambda: self.element("Book").get("parentEntity"))
        page.locator("#f-module").fill("Current Product Module")
        page.locator("#f-module").press("Enter")
        self.eventually(".Book", lambda: self.element("Book").get("representedClassName"))
        page.get_by_label("Codegen").select_option("Category/Extension")
        self.eventually("category", lambda: self.element("Book").get("codeGenerationType"))
        page.get_by_label("Codegen").select_option("Manual/None")
        self.fill("f-versionHashModifier", "2")
        self.fill("f-elementID", "OldBook")
        self.eventually(None, lambda: self.element("Book").get("codeGenerationType"))
        self.eventually("OldBook", lambda: self.element("Book").get("elementID"))
        self.select_entity("Publication")
        self.check("f-isAbstract")
        expect(page.locator("#item-entity-Publication")).to_have_css("font-style", "italic")
        self.eventually(["", "Book"], lambda: page.get_by_label("Parent Entity").locator("option").evaluate_all("options => options.map(o => o.value)"))

    def test_an_inverse_is_set_on_both_sides(self):
        page = self.page
        self.add_entity("Author")
        self.add_member("relationship", "books")
        self.add_entity("Book")
        self.add_member("relationship", "author")
        page.get_by_label("Destination of author").first.select_option("Author")
        page.get_by_label("Inverse of author").first.select_option("books")
        self.eventually("author", lambda: self.element("Author", "books").get("inverseName"))
        self.eventually("Book", lambda: self.element("Author", "books")["destinationEntity"])
        self.select_entity("Author")
        page.locator("#item-entity-Author-relationship-books").click()
        expect(page.locator("#f-inverseName")).to_have_value("author")
        page.locator("#f-toMany").select_option("To Many")
        self.check("f-ordered")
        page.get_by_label("Delete Rule").select_option("Cascade")
        self.fill("f-minCount", "1")
        self.eventually(
            {"name": "books", "optional": "YES", "toMany": "YES", "minCount": "1", "deletionRule": "Cascade", "ordered": "YES",
             "destinationEntity": "Book", "inverseName": "author", "inverseEntity": "Book"}, lambda: self.element("Author", "books"))
        page.locator("#f-inverseName").select_option("No Inverse")
        self.eventually(None, lambda: self.element("Book", "author").get("inverseName"))
        expect(page.locator("#report .findings")).to_contain_text("inverse")

    def test_an_invalid_count_is_refused(self):
        page = self.page
        self.add_entity("Book")
        self.add_member("relationship", "pages")
        page.locator("#f-toMany").select_option("To Many")
        self.fill("f-minCount", "few")
        expect(page.locator("#f-minCount")).to_have_attribute("aria-invalid", "true")
        expect(page.locator("#f-minCount-problem")).to_contain_text("whole number")
        expect(page.locator("#status")).to_contain_text("whole number")

    def test_indexes_and_constraints(self):
        page = self.page
        self.add_entity("Book")
        self.add_attribute("title", "String")
        self.add_attribute("isbn", "String")
        self.add_member("fetchIndex", "byTitle")
        page.get_by_label("Property of element 1").select_option("title")
        page.get_by_label("Order of element 1").select_option("Descending")
        page.get_by_role("button", name="Add Element").click()
        page.get_by_label("Property of element 2").select_option("Expression…")
        page.locator("#expression-1").fill("lowercase:(title)")
        page.locator("#expression-1").press("Enter")
        expect(page.get_by_role("table", name="Indexes")).to_contain_text("title ↓, lowercase:(title)")
        page.locator("#f-partialIndexPredicate").fill("isbn !")
        expect(page.locator("#f-partialIndexPredicate-check")).to_contain_text("column")
        page.locator("#f-partialIndexPredicate").fill("isbn != nil")
        page.locator("#f-partialIndexPredicate").press("Enter")
        self.eventually("isbn != nil", lambda: self.element("Book", "byTitle").get("partialIndexPredicate"))
        self.page.get_by_label("Result of element 2").select_option("Integer 64")
        self.eventually("Integer 64", lambda: self.parts("Book", "byTitle")[1].get("expressionType"))
        self.page.get_by_label("Result of element 2").select_option("Not set")
        self.eventually(None, lambda: self.parts("Book", "byTitle")[1].get("expressionType"))

    def parts(self, *names):
        """The settings of the parts of an element."""
        element = self.tree()
        for name in names:
            element = next(child for child in element["children"] if child["settings"].get("name") == name)
        return [child["settings"] for child in element["children"]]

    def constraints(self):
        """The constraints of the first entity."""
        lists = [child for child in self.tree()["children"][0]["children"] if child["kind"] == "uniquenessConstraints"]
        return [[part["settings"]["value"] for part in constraint["children"]] for list in lists for constraint in list["children"]]

    def test_a_constraint_is_named_in_its_place_and_checked_as_it_is_typed(self):
        page = self.page
        self.add_entity("Book")
        self.add_attribute("title", "String")
        self.add_attribute("isbn", "String")
        page.get_by_role("button", name="Add Constraint").click()
        field = page.locator("input.renaming")
        expect(field).to_be_focused()
        expect(field).to_have_value("isbn")
        self.eventually([["isbn"]], self.constraints)
        page.keyboard.type("isbn,titel")
        note = page.locator(".named .note")
        expect(note).to_have_text("'titel' is not a property of the entity")
        expect(field).to_have_attribute("aria-invalid", "true")
        expect(field).to_have_accessible_description("'titel' is not a property of the entity")
        page.keyboard.press("Backspace")
        page.keyboard.press("Backspace")
        page.keyboard.type("le")
        expect(note).to_have_text("")
        page.keyboard.press("Enter")
        self.eventually([["isbn", "title"]], self.constraints)
        expect(page.locator("[id='item-entity-Book-uniquenessConstraint-isbn,title']")).to_be_focused()
        # It cannot be without a name.
        page.keyboard.press("F2")
        page.keyboard.press("Backspace")
        page.keyboard.press("Enter")
        expect(page.locator("#status")).to_contain_text("at least one name")
        page.keyboard.press("Escape")
        page.keyboard.press("Delete")
        self.eventually([], self.constraints)
        self.holds(lambda: "uniquenessConstraints" not in [child["kind"] for child in self.tree()["children"][0]["children"]])

    def test_the_inspector_of_a_constraint(self):
        page = self.page
        self.add_entity("Book")
        for name in ["isbn", "number", "title"]:
            self.add_attribute(name, "String")
        page.get_by_role("button", name="Add Constraint").click()
        page.keyboard.press("Escape")
        expect(page.locator("#inspector h2")).to_have_text("Constraint")
        self.eventually(["", "number", "title"], lambda: page.locator("#unique-add option").evaluate_all("options => options.map(o => o.value)"))
        page.get_by_label("Add to the constraint").select_option("title")
        self.eventually([["isbn", "title"]], self.constraints)
        page.get_by_label("Add to the constraint").select_option("number")
        self.eventually([["isbn", "title", "number"]], self.constraints)
        page.get_by_role("button", name="Move number up").click()
        self.eventually([["isbn", "number", "title"]], self.constraints)
        expect(page.get_by_role("button", name="Move number up")).to_be_focused()
        page.keyboard.press("Enter")
        self.eventually([["number", "isbn", "title"]], self.constraints)
        expect(page.get_by_role("button", name="Move number down")).to_be_focused()
        page.get_by_role("button", name="Remove isbn").click()
        self.eventually([["number", "title"]], self.constraints)
        expect(page.get_by_role("list", name="Unique together").get_by_role("listitem")).to_have_text([re.compile("number"), re.compile("title")])
        names = page.get_by_label("Names")
        note = page.locator("#f-uniquenessConstraint-check")
        for text, problem in [("number, number", "twice"), ("number,", "missing"), ("number,cover", "'cover' is not a property")]:
            names.fill(text)
            expect(note).to_contain_text(problem)
            expect(names).to_have_attribute("aria-invalid", "true")
        names.press("Enter")
        self.eventually([["number", "cover"]], self.constraints)
        # The error is shown beside the constraint, and the warning leads to it.
        expect(page.locator("#inspector .findings")).to_contain_text("'cover'")
        page.locator("#item-entity-Book-attribute-isbn").click()
        expect(page.locator("#inspector h2")).to_have_text("Attribute")
        page.get_by_role("button", name="Book.number, cover").click()
        expect(page.locator("#inspector h2")).to_have_text("Constraint")
        expect(page.get_by_label("Names")).to_have_value("number,cover")
        page.locator("#undo").click()
        self.eventually([["number", "title"]], self.constraints)
        page.locator("[id='item-entity-Book-uniquenessConstraint-number,title']").click()
        page.locator("#remove").click()
        self.eventually([], self.constraints)

    def test_fetch_requests_and_fetched_properties(self):
        page = self.page
        self.add_entity("Book")
        self.add_attribute("price", "Decimal")
        self.add_member("fetchedProperty", "cheap")
        page.locator("#f-predicateString").fill("price < 5")
        page.locator("#f-predicateString").press("Enter")
        expect(page.get_by_role("table", name="Fetched Properties")).to_contain_text("price < 5")
        page.get_by_role("button", name="Add Fetch Request").click()
        self.type_name("Dear")
        expect(page.locator("#editor #f-entity")).to_have_value("Book")
        page.locator("#f-predicateString").fill("price >")
        expect(page.locator("#f-predicateString-check")).to_contain_text("column")
        page.locator("#f-predicateString").fill("price > 50")
        page.locator("#f-predicateString").press("Enter")
        self.fill("f-fetchLimit", "20")
        page.get_by_label("Result", exact=True).select_option("Dictionaries")
        self.check("f-returnDistinctResults")
        self.eventually(
            {"name": "Dear", "entity": "Book", "predicateString": "price > 50", "fetchLimit": "20", "resultType": "2",
             "returnDistinctResults": "YES"}, lambda: self.element("Dear"))

    def test_configurations(self):
        page = self.page
        self.add_entity("Author")
        self.add_entity("Book")
        page.get_by_role("button", name="Add Configuration").click()
        self.type_name("Cloud")
        page.locator("#editor").get_by_label("Author").check()
        self.check("f-usedWithCloudKit")
        self.eventually({"name": "Cloud", "usedWithCloudKit": "YES"}, lambda: self.element("Cloud"))
        self.eventually(["Author"], lambda: [
            child["settings"]["name"] for child in self.tree()["children"][-1]["children"]])

    def test_things_of_one_name_have_marks_of_their_own(self):
        page = self.page
        self.add_entity("Book")
        page.get_by_role("button", name="Add Configuration").click()
        self.type_name("Same")
        page.get_by_role("button", name="Add Fetch Request").click()
        self.type_name("Same")
        request, configuration = (page.locator("#sidebar li", has=page.locator(f"#item-{kind}-Same")) for kind in ["fetchRequest", "configuration"])
        # The configuration is empty; there is nothing wrong with the request.
        expect(configuration.get_by_role("img", name="warning")).to_be_visible()
        expect(request.get_by_role("img")).to_have_count(0)
        expect(page.locator("#inspector .findings")).to_have_count(0)
        page.get_by_role("button", name="Same", exact=True).last.click()
        expect(page.locator("#editor h2")).to_contain_text("configuration")
        expect(page.locator("#inspector .findings")).to_have_text("the configuration has no entities")
        page.locator("#editor").get_by_label("Book").check()
        expect(configuration.get_by_role("img")).to_have_count(0)
        page.locator("#item-fetchRequest-Same").click()
        page.locator("#f-predicateString").fill("gone == 1")
        page.locator("#f-predicateString").press("Enter")
        expect(request.get_by_role("img", name="warning")).to_be_visible()
        expect(configuration.get_by_role("img")).to_have_count(0)
        page.locator("#item-configuration-Same").click()
        expect(page.locator("#inspector .findings")).to_have_count(0)

    def test_composites(self):
        page = self.page
        page.get_by_role("button", name="Add Composite").click()
        self.type_name("Address")
        self.add_attribute("street", "String")
        self.add_entity("Person")
        self.add_member("attribute", "home")
        page.get_by_label("Type of home").first.select_option("Composite: Address")
        self.eventually("Address", lambda: self.element("Person", "home").get("composite"))
        expect(page.locator("#report")).to_contain_text("Nothing is wrong")

    def test_renaming_takes_references_along_and_two_of_a_name_are_refused(self):
        page = self.page
        self.add_entity("Author")
        self.add_entity("Book")
        self.add_member("relationship", "author")
        page.get_by_label("Destination of author").first.select_option("Author")
        self.select_entity("Author")
        page.locator("#item-entity-Author").press("F2")
        page.locator("input.renaming").fill("Book")
        page.locator("input.renaming").press("Enter")
        expect(page.locator("#status")).to_contain_text("already")
        page.locator("input.renaming").fill("Writer")
        page.locator("input.renaming").press("Enter")
        expect(page.locator("#item-entity-Writer")).to_be_focused()
        self.eventually("Writer", lambda: self.element("Book", "author")["destinationEntity"])
        self.eventually("Writer", lambda: self.element("Writer")["representedClassName"])

    def test_undo_redo_and_the_unsaved_state(self):
        page = self.page
        expect(page.locator("#edited")).to_have_text("Saved")
        expect(page.locator("#save")).to_be_disabled()
        expect(page.locator("#undo")).to_be_disabled()
        self.add_entity("Book")
        expect(page.locator("#edited")).to_have_text("Edited")
        expect(page).to_have_title("• Library.xcdatamodeld – Model Editor")
        page.keyboard.press("Control+z")
        page.keyboard.press("Control+z")
        expect(page.locator("#sidebar .entity")).to_have_count(0)
        expect(page.locator("#edited")).to_have_text("Saved")
        page.keyboard.press("Control+Shift+z")
        page.keyboard.press("Control+y")
        expect(page.locator("#item-entity-Book")).to_be_visible()
        page.keyboard.press("Control+s")
        expect(page.locator("#edited")).to_have_text("Saved")
        self.eventually(["Book"], lambda: [entity.get("name") for entity in self.contents().iter("entity")])
        page.locator("#item-entity-Book").press("Delete")
        expect(page.locator("#sidebar .entity")).to_have_count(0)
        page.get_by_role("button", name="Undo").click()
        expect(page.locator("#item-entity-Book")).to_be_visible()

    def test_versions(self):
        page = self.page
        self.add_entity("Book")
        self.add_attribute("title", "String")
        self.save()
        page.get_by_role("button", name="Add Version", exact=True).click()
        dialog = page.get_by_role("dialog")
        expect(dialog.get_by_label("Version name")).to_have_value("Library 2")
        dialog.get_by_role("button", name="Add").click()
        expect(page.get_by_role("dialog")).to_have_count(0)
        expect(page.locator(".version")).to_have_text("Library 2")
        self.select_entity("Book")
        self.add_attribute("isbn", "String")
        page.get_by_role("tab", name="Migration").click()
        page.get_by_label("Stores of").select_option("Library")
        expect(page.locator("#verdict")).to_contain_text("Lightweight migration is possible")
        expect(page.locator(".changes")).to_contain_text("attribute Book.isbn added")
        self.check("f-optional", False)
        expect(page.locator("#verdict")).to_contain_text("not possible")
        expect(page.locator("#report .findings")).to_contain_text("Book.isbn")
        self.check("f-optional")
        page.locator("[id='version:Library 2']").click()
        page.get_by_label("Current", exact=True).select_option("Library 2")
        expect(page.locator("#sidebar li", has_text="Library 2")).to_contain_text("✓")
        self.save()
        self.holds(lambda: "Library 2.xcdatamodel" in (self.app.model / ".xccurrentversion").read_text())
        self.eventually(["title"], lambda: [attribute.get("name") for attribute in self.contents("Library").iter("attribute")])
        self.eventually(2, lambda: len(list(self.contents("Library 2").iter("attribute"))))

    def version_names(self):
        return sorted(path.stem for path in self.app.model.glob("*.xcdatamodel"))

    def add_version(self):
        self.page.get_by_role("button", name="Add Version", exact=True).click()
        self.page.get_by_role("dialog").get_by_role("button", name="Add").click()
        expect(self.page.get_by_role("dialog")).to_have_count(0)
        expect(self.page.locator(".version")).to_have_text("Library 2")

    def test_texts_without_a_meaning_for_the_framework_are_saved(self):
        page = self.page
        self.add_entity("Book")
        self.add_attribute("title", "String")
        self.add_member("relationship", "sequel")
        for selector in ["#item-entity-Book", "#item-entity-Book-relationship-sequel"]:
            page.locator(selector).click()
            page.get_by_role("button", name="Add Entry").click()
            page.locator("#info-key-0").fill("owner")
            page.locator("#info-key-0").press("Enter")
            page.locator("#info-value-0").fill("library")
            page.locator("#info-value-0").press("Enter")
        page.locator("#item-entity-Book").click()
        self.fill("f-coreSpotlightDisplayNameExpression", "title")
        page.locator("[id='version:Library']").click()
        self.fill("f-userDefinedModelVersionIdentifier", "7.1")
        self.save()
        model = self.contents()
        self.assertEqual("7.1", model.get("userDefinedModelVersionIdentifier"))
        book = model.find("entity")
        self.assertEqual("title", book.get("coreSpotlightDisplayNameExpression"))
        for holder in [book, book.find("relationship")]:
            self.assertEqual([("owner", "library")], [(entry.get("key"), entry.get("value")) for entry in holder.findall("userInfo/entry")])

    def test_a_new_version_has_the_focus(self):
        self.page.get_by_role("button", name="Add Version", exact=True).focus()
        self.page.keyboard.press("Enter")
        self.page.keyboard.press("Enter")
        expect(self.page.get_by_role("dialog")).to_have_count(0)
        expect(self.page.locator("[id='version:Library 2']")).to_be_focused()

    def test_a_version_may_have_any_name(self):
        page = self.page
        for name in ["hash", "name", "next"]:
            page.get_by_role("button", name="Add Version", exact=True).click()
            page.get_by_role("dialog").get_by_label("Version name").fill(name)
            page.get_by_role("dialog").get_by_role("button", name="Add").click()
            expect(page.get_by_role("dialog")).to_have_count(0)
        self.add_entity("Book")
        expect(page.locator("#version-hash")).to_have_count(1)
        page.locator("[id='version:name']").focus()
        page.keyboard.press("F2")
        expect(page.get_by_label("Version name")).to_be_focused()
        self.eventually([], lambda: [wrong for wrong in problems(page, LANDMARKS) if wrong.startswith("twice")])

    def test_a_version_that_cannot_be_read_says_why_to_all(self):
        page = self.page
        self.add_version()
        (self.app.model / "Library.xcdatamodel/contents").write_text("<model")
        self.reopen()
        button = page.locator("[id='version:Library']")
        expect(button).to_have_attribute("aria-disabled", "true")
        expect(button).to_have_accessible_description(re.compile("not well-formed XML"))
        expect(page.locator("[id='why:Library']")).to_be_visible()
        button.focus()
        page.keyboard.press("Enter")
        expect(page.locator("#status")).to_contain_text("not well-formed XML")
        self.eventually([], lambda: violations(page))
        self.eventually([], lambda: cut_off(page))

    def test_an_invalid_current_version_is_repaired(self):
        page = self.page
        self.add_version()
        marker = self.app.model / ".xccurrentversion"
        marker.write_text(marker.read_text().replace("Library.", "Gone."))
        self.reopen()
        expect(page.locator("#editor .notice")).to_contain_text("'Gone.xcdatamodel' is not there")
        expect(page.locator("#edited")).to_have_text("Edited")
        self.eventually([], lambda: violations(page))
        self.save()
        expect(page.locator(".notice")).to_have_count(0)
        self.holds(lambda: "Library.xcdatamodel" in marker.read_text())
        # Nothing is edited: it is shown at once.
        marker.write_text("junk")
        expect(page.locator("#editor .notice")).to_contain_text(".xccurrentversion")
        self.save()
        self.holds(lambda: "Library.xcdatamodel" in marker.read_text())

    def test_a_version_is_renamed(self):
        page = self.page
        self.add_version()
        page.locator("[id='version:Library']").focus()
        page.keyboard.press("F2")
        dialog = page.get_by_role("dialog")
        expect(dialog.get_by_label("Version name")).to_have_value("Library")
        # A name that cannot be is refused where it is typed.
        dialog.get_by_label("Version name").fill("Library 2")
        dialog.get_by_role("button", name="Rename").click()
        expect(dialog.get_by_role("alert")).to_contain_text("already")
        dialog.get_by_label("Version name").fill("Shelf")
        dialog.get_by_role("button", name="Rename").click()
        expect(page.get_by_role("dialog")).to_have_count(0)
        expect(page.locator("[id='version:Shelf']")).to_be_focused()
        expect(page.locator("#sidebar li", has_text="Shelf")).to_contain_text("✓")
        self.eventually(["Library", "Library 2"], lambda: self.version_names())
        self.save()
        self.eventually(["Library 2", "Shelf"], lambda: self.version_names())
        self.holds(lambda: "Shelf.xcdatamodel" in (self.app.model / ".xccurrentversion").read_text())
        page.locator("#undo").click()
        expect(page.locator("[id='version:Library']")).to_be_visible()
        self.save()
        self.eventually(["Library", "Library 2"], lambda: self.version_names())
        self.holds(lambda: "Library.xcdatamodel" in (self.app.model / ".xccurrentversion").read_text())

    def test_a_version_is_removed(self):
        page = self.page
        self.add_version()
        page.locator("[id='version:Library']").click()
        page.locator("#remove-version").click()
        dialog = page.get_by_role("dialog")
        # The current one goes only when another is chosen.
        dialog.get_by_role("button", name="Remove").click()
        expect(dialog).to_be_visible()
        dialog.get_by_label("Current version").select_option("Library 2")
        dialog.get_by_role("button", name="Remove").click()
        expect(page.get_by_role("dialog")).to_have_count(0)
        expect(page.locator("[id='version:Library']")).to_have_count(0)
        expect(page.locator("#sidebar li", has_text="Library 2")).to_contain_text("✓")
        page.locator("[id='version:Library 2']").click()
        expect(page.locator("#remove-version")).to_be_disabled()
        self.eventually(["Library", "Library 2"], lambda: self.version_names())
        self.save()
        self.eventually(["Library 2"], lambda: self.version_names())
        self.holds(lambda: "Library 2.xcdatamodel" in (self.app.model / ".xccurrentversion").read_text())
        page.locator("#undo").click()
        expect(page.locator("[id='version:Library']")).to_be_visible()
        self.save()
        self.eventually(["Library", "Library 2"], lambda: self.version_names())
        expect(page.locator("#sidebar li", has_text="Library").first).to_contain_text("✓")

    def test_a_version_hash_changes_with_the_entity(self):
        page = self.page
        self.add_entity("Book")
        self.save()
        expect(page.locator("#version-hash")).not_to_contain_text("changed")
        expect(page.locator("#version-hash")).not_to_be_empty()
        before = page.locator("#version-hash").inner_text()
        self.add_attribute("title", "String")
        page.locator("#item-entity-Book").click()
        expect(page.locator("#version-hash")).to_contain_text("changed")
        expect(page.locator("#version-hash")).not_to_contain_text(before)
        page.get_by_role("tab", name="Version Hashes").click()
        expect(page.get_by_role("table", name="Version hashes")).to_contain_text("changed")

    def test_what_others_change_on_disk_is_merged(self):
        page = self.page
        self.add_entity("Book")
        self.save()
        file = self.app.model / "Library.xcdatamodel/contents"
        text = file.read_text()
        # Nothing is edited: the file is read anew.
        file.write_text(text.replace('codeGenerationType="class"', 'codeGenerationType="category"'))
        expect(page.locator("#f-codeGenerationType")).to_have_value("category")
        # Something is: both are shown.
        page.get_by_label("Codegen").select_option("Manual/None")
        file.write_text(text.replace("</model>", '    <entity name="Theirs" syncable="YES"/>\n</model>'))
        page.locator("#disk").click()
        dialog = page.get_by_role("dialog")
        expect(dialog.get_by_role("row", name="Theirs")).to_contain_text("On disk")
        dialog.get_by_label("Take for Book codeGenerationType").select_option("On disk")
        dialog.get_by_role("button", name="Merge").click()
        expect(page.locator("#item-entity-Theirs")).to_be_visible()
        expect(page.locator("#f-codeGenerationType")).to_have_value("class")
        expect(page.locator("#edited")).to_have_text("Saved")
        self.eventually(text.count("entity") + 1, lambda: file.read_text().count("entity"))

    def test_a_refused_merge_says_so_and_keeps_what_was_chosen(self):
        page = self.page
        for name in ["Book", "Author"]:
            self.add_entity(name)
        self.save()
        file = self.app.model / "Library.xcdatamodel/contents"
        text = file.read_text()
        for name in ["Book", "Author"]:
            self.select_entity(name)
            page.get_by_label("Codegen").select_option("Manual/None")
        file.write_text(text.replace('codeGenerationType="class"', 'codeGenerationType="category"'))
        page.locator("#disk").click()
        dialog = page.get_by_role("dialog")
        choice = dialog.get_by_label("Take for Book codeGenerationType")
        choice.select_option("Yours")
        dialog.get_by_label("Take for Author codeGenerationType").select_option("On disk")
        # The files change once more before the merge is sent.
        file.write_text(file.read_text().replace("</model>", '    <entity name="Theirs" syncable="YES"/>\n</model>'))
        dialog.get_by_role("button", name="Merge").click()
        expect(dialog.get_by_role("alert")).to_contain_text("have changed in the meantime")
        expect(dialog.get_by_role("row", name="Theirs")).to_be_visible()
        expect(choice).to_have_value("mine")
        expect(dialog.get_by_label("Take for Author codeGenerationType")).to_have_value("theirs")
        self.has_focus("dialog")
        self.eventually([], lambda: violations(page))
        dialog.get_by_role("button", name="Merge").click()
        expect(dialog).to_have_count(0)
        expect(page.locator("#save")).to_be_focused()
        self.holds(lambda: "codeGenerationType" not in self.element("Book"))
        self.eventually("category", lambda: self.element("Author").get("codeGenerationType"))

    def test_text_typed_for_one_element_is_not_applied_to_another(self):
        page = self.page
        self.add_entity("Book")
        other = self.window()
        self.enter(other)
        page.locator("#item-entity-Book").click()
        self.add_entity("Loan")
        page.locator("#f-elementID").click()
        page.keyboard.type("mine")
        # What is typed for Loan goes with it; Book has the field then.
        other.locator("#item-entity-Loan").click()
        other.keyboard.press("Delete")
        expect(page.locator("#item-entity-Loan")).to_have_count(0)
        expect(page.locator("#f-elementID")).to_have_value("")
        page.locator("#f-versionHashModifier").click()
        self.save()
        self.holds(lambda: "mine" not in (self.app.model / "Library.xcdatamodel/contents").read_text())

    def test_a_broken_file_is_written_over_only_if_that_is_chosen(self):
        page = self.page
        self.add_entity("Book")
        file = self.app.model / "Library.xcdatamodel/contents"
        file.write_text("<model")
        page.locator("#disk").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_role("button", name="Merge").click()
        expect(dialog).to_be_visible()
        dialog.get_by_label("Keep mine").check()
        dialog.get_by_role("button", name="Merge").click()
        expect(dialog).to_have_count(0)
        self.eventually("<model", lambda: file.read_text())
        self.save()
        self.holds(lambda: 'name="Book"' in file.read_text())

    def test_two_windows_see_each_other(self):
        other = self.window()
        self.enter(other)
        self.add_entity("Book")
        expect(other.locator("#item-entity-Book")).to_be_visible()


class Books(EditorTest):
    sample = BOOKS

    def test_warnings_lead_to_what_they_are_about(self):
        page = self.page
        self.select_entity("Book")
        page.locator("#item-entity-Book-attribute-title").click()
        self.check("f-derived")
        page.locator("#f-derivationExpression").fill("nothing")
        page.locator("#f-derivationExpression").press("Enter")
        page.locator("#item-entity-Author").click()
        page.get_by_role("button", name="Book.title").click()
        expect(page.locator("#f-name")).to_have_value("title")
        expect(page.locator("#inspector .findings")).to_contain_text("nothing")

    def test_generated_swift_follows_the_model(self):
        page = self.page
        self.select_entity("Book")
        page.get_by_role("tab", name="Generated Swift").click()
        expect(page.locator("#report")).to_contain_text("Book+CoreDataProperties.swift")
        page.locator("#item-entity-Book-attribute-url").click()
        page.locator("#item-entity-Book-attribute-url").press("F2")
        page.locator("input.renaming").fill("address")
        page.locator("input.renaming").press("Enter")
        expect(page.locator("#report")).to_contain_text("var address: URL?")
        page.get_by_label("Style").select_option("Xcode (@NSManaged)")
        expect(page.locator("#report")).to_contain_text("@NSManaged public var address: URL?")

    def test_saving_what_was_undone_changes_no_byte(self):
        file = self.app.model / "Books.xcdatamodel/contents"
        before = file.read_bytes()
        self.select_entity("Book")
        self.page.locator("#item-entity-Book-attribute-price").click()
        self.check("f-optional", False)
        self.save()
        changed = file.read_bytes()
        self.assertEqual(1, sum(a != b for a, b in zip(before.split(b"\n"), changed.split(b"\n"))))
        self.check("f-optional")
        self.save()
        self.eventually(before, lambda: file.read_bytes())

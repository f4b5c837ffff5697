"""The whole model of Books, made in the editor from an empty file, to a program that uses it."""

import faulthandler
import subprocess

from browser import Server, long
from checks import violations
from compiling import run_book_program
from editor import BOOKS, EditorTest, expect, program


@long
class BuildsBooks(EditorTest):
    weight = 60

    def attribute(self, name, type, **settings):
        self.add_attribute(name, type)
        page = self.page
        for setting, value in settings.items():
            if setting == "derivation":
                self.check("f-derived")
                page.locator("#f-derivationExpression").fill(value)
                page.locator("#f-derivationExpression").press("Enter")
                expect(page.locator("#editor tr.chosen")).to_contain_text("derived")
            elif isinstance(value, bool):
                self.check(f"f-{setting}", value)
            else:
                self.fill(f"f-{setting}", value)

    def index(self, name, property):
        self.add_member("fetchIndex", name)
        self.page.get_by_label("Property of element 1").select_option(property)
        expect(self.page.get_by_role("table", name="Indexes")).to_contain_text(property)

    def test_the_model_is_built_saved_generated_compiled_and_run(self):
        page = self.page
        self.add_entity("Author")
        page.get_by_label("Codegen").select_option("Manual/None")
        self.attribute("name", "String", optional=False, minValueString="1", spotlightIndexingEnabled=True)
        self.add_member("relationship", "books")
        page.locator("#f-toMany").select_option("To Many")

        self.add_entity("Book")
        page.get_by_label("Codegen").select_option("Manual/None")
        self.attribute("abstract", "Binary")
        self.attribute("abstractText", "String", spotlightIndexingEnabled=True)
        self.attribute("title", "String", optional=False, minValueString="1", spotlightIndexingEnabled=True)
        self.attribute("price", "Decimal", defaultValueString="", minValueString="0")
        self.attribute("publishDate", "Date")
        self.attribute("publishMonthID", "String", transient=True)
        self.attribute("tintColor", "Transformable", valueTransformerName="ColorToDataTransformer", customClassName="TintColor")
        self.attribute("url", "URI")
        self.attribute("uuid", "UUID")
        self.add_member("relationship", "author")
        page.get_by_label("Destination of author").first.select_option("Author")
        page.get_by_label("Inverse of author").first.select_option("books")
        self.attribute("authorName", "String", derivation="author.name")
        self.attribute("canonicalTitle", "String", derivation="canonical:(title)")
        self.attribute("lastModified", "Date", derivation="now()")
        self.index("byCanonicalTitleIndex", "canonicalTitle")
        self.index("byPublishDateIndex", "publishDate")
        self.index("byUuidIndex", "uuid")

        self.select_entity("Author")
        self.attribute("bookCount", "Integer 64", derivation="books.@count")
        self.attribute("totalPrice", "Decimal", derivation="books.price.@sum")
        self.index("byNameIndex", "name")
        expect(page.locator("#report")).to_contain_text("Nothing is wrong")
        self.save()

        difference = subprocess.run(
            [program(), "model", "diff", BOOKS, self.app.model], capture_output=True, text=True)
        self.assertEqual((0, ""), (difference.returncode, difference.stderr), difference.stdout)
        mine, sample = (
            (path / f"{path.stem}.xcdatamodel/contents").read_text().splitlines()[2:] for path in [self.app.model, BOOKS])
        self.assertEqual(sample, mine)
        # And what is generated for it is what is generated for the sample.
        outputs = []
        for model in [self.app.model, BOOKS]:
            folder = self.folder / f"out-{model.stem}"
            subprocess.run(
                [program(), "model", "generate", "--all", "-o", folder, model], check=True, capture_output=True)
            outputs.append({
                file.name: file.read_text().replace("model Library", "model Books") for file in folder.iterdir()})
        self.assertTrue(outputs[0])
        self.assertEqual(outputs[1], outputs[0])

        # The classes, and a program that puts a book into a new store with them.
        faulthandler.dump_traceback_later(900, exit=True)
        store, printed = run_book_program(self.app.model, self.folder)
        self.assertEqual("emile, ou de l’education\nJean-Jacques Rousseau 1 12.5\n", printed)
        # Its store is one of the model.
        counted = subprocess.run(
            [program(), "store", "query", store, "Book", "author.name BEGINSWITH 'Jean'", "--count", "--model", self.app.model],
            check=True, capture_output=True, text=True)
        self.assertEqual("1", counted.stdout.strip())
        self.look_at(store)

    def look_at(self, store):
        """The store in its browser: the history of what the program did."""
        browser = Server(program(), "browse", "--no-open", "--model", self.app.model, store)
        self.addCleanup(browser.stop)
        page = self.window()
        page.goto(browser.entrance)
        expect(page.locator("#entity-Book .count")).to_have_text("1")
        page.locator("#view-history").click()
        timeline = page.get_by_role("list", name="Transactions")
        expect(timeline.get_by_role("heading")).to_have_count(1)
        expect(timeline).to_contain_text("by the program")
        timeline.get_by_role("button", name="Book/1").click()
        expect(page.locator("#object")).to_have_text("ÉMILE, ou De l’éducation")
        self.eventually([], lambda: violations(page))

"""Makes the pictures of the documentation from the real pages of the command.

    python3 Tests/PageTests/screenshots.py [FOLDER]

FOLDER is Documentation/Images unless named. COREDATA and CHROMIUM are as in the tests.
"""

import shutil
import sys
import tempfile
from pathlib import Path

from browser import ROOT, Server, browser_path, expect
from compiling import run_book_program
from editor import BOOKS, Editor, program
from playwright.sync_api import sync_playwright
from store import make_store


def window(browser, editor, width, height, scheme, scale=1):
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=scheme, device_scale_factor=scale, locale="en-GB",
        timezone_id="Europe/Berlin")
    context.set_default_timeout(10_000)
    page = context.new_page()
    page.goto(editor.entrance)
    if width < 760:
        page.locator("#panes").get_by_role("button", name="Model").click()
    page.locator("#item-entity-Book").click()
    expect(page.locator("#version-hash")).to_have_count(1)
    return page


def attributes(browser, editor, folder):
    """The tables of an entity, a derived attribute in the inspector, generated Swift."""
    page = window(browser, editor, 1280, 860, "light")
    page.locator("#item-entity-Book-attribute-canonicalTitle").click()
    page.get_by_role("tab", name="Generated Swift").click()
    expect(page.locator("#f-derivationExpression-check")).to_have_text("✓ Valid")
    expect(page.locator("#report pre").first).to_be_visible()
    page.screenshot(path=folder / "editor-attributes-light.png")


def diagram(browser, editor, folder):
    """The diagram."""
    page = window(browser, editor, 1280, 720, "light")
    page.locator("#reports").click()
    page.locator("#mode-diagram").click()
    expect(page.locator("#diagram g.box")).to_have_count(2)
    page.screenshot(path=folder / "editor-diagram-light.png")


def phone(browser, editor, folder):
    """The inspector on a phone, in the dark."""
    page = window(browser, editor, 390, 844, "dark", scale=2)
    page.locator("#panes").get_by_role("button", name="Editor").click()
    page.locator("#item-entity-Book-attribute-title").click()
    page.locator("#panes").get_by_role("button", name="Inspector").click()
    expect(page.locator("#f-name")).to_have_value("title")
    page.screenshot(path=folder / "editor-phone-dark.png")


def versions(browser, editor, folder):
    """The versions of a model: a new name."""
    page = window(browser, editor, 1280, 860, "light")
    page.locator("[id='version:Books']").click()
    page.locator("#rename-version").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    page.screenshot(path=folder / "editor-versions-light.png")


def migration(browser, editor, folder):
    """What a mandatory attribute more means for stores. Last, since it changes the model."""
    page = window(browser, editor, 1280, 860, "dark")
    page.locator("#bar-attribute").click()
    page.locator("input.renaming").fill("isbn")
    page.keyboard.press("Enter")
    page.get_by_label("Type of isbn").first.select_option("String")
    page.locator("#f-optional").uncheck()
    page.get_by_role("tab", name="Migration").click()
    expect(page.locator("#verdict")).to_contain_text("not possible")
    page.screenshot(path=folder / "editor-migration-dark.png")


def merge(browser, editor, folder):
    """A merge with a conflict, after the change of the last picture."""
    page = window(browser, editor, 1280, 860, "light")
    page.locator("#item-entity-Book-attribute-price").click()
    page.locator("#f-minValueString").fill("1")
    page.locator("#f-minValueString").press("Enter")
    expect(page.locator("#undo")).to_have_attribute("title", "Undo Change of a setting")
    file = editor.model / "Books.xcdatamodel/contents"
    file.write_text(
        file.read_text().replace('minValueString="0"', 'minValueString="5"')
        .replace('<attribute name="url" optional="YES"', '<attribute name="url"'))
    page.locator("#disk").click()
    expect(page.get_by_role("dialog").get_by_role("row")).to_have_count(4)
    page.screenshot(path=folder / "editor-merge-light.png")
    page = window(browser, editor, 390, 844, "dark", scale=2)
    page.locator("#disk").click()
    expect(page.locator("#dialog tbody tr")).to_have_count(3)
    page.screenshot(path=folder / "editor-merge-phone-dark.png")


ADDITIONS = """    <fetchRequest name="Cheap" entity="Book" predicateString="price &lt; 5 AND author.name BEGINSWITH[cd] $NAME"/>
    <configuration name="Catalogue"><memberEntity name="Author"/><memberEntity name="Book"/></configuration>
    <composite name="Imprint">
        <attribute name="city" optional="YES" attributeType="String"/>
        <attribute name="founded" optional="YES" attributeType="Date" usesScalarValueType="NO"/>
    </composite>
</model>"""


def rich(folder):
    """The model of Books with a fetch request, a configuration, a composite type and a second version."""
    model = folder / "rich" / BOOKS.name
    shutil.copytree(BOOKS, model)
    contents = model / "Books.xcdatamodel/contents"
    contents.write_text(contents.read_text().replace("</model>", ADDITIONS))
    shutil.copytree(model / "Books.xcdatamodel", model / "Books 2.xcdatamodel")
    (model / ".xccurrentversion").write_text(
        '<?xml version="1.0" encoding="UTF-8"?>\n<plist version="1.0"><dict><key>_XCCurrentVersionName</key><string>Books.xcdatamodel</string></dict></plist>\n')
    return model


def inspectors(browser, editor, folder):
    """An entity with the warnings, a relationship with the version hashes, an index."""
    page = window(browser, editor, 1280, 860, "light")
    page.get_by_role("tab", name="Warnings").click()
    page.screenshot(path=folder / "editor-entity-light.png")
    page.locator("#item-entity-Book-fetchIndex-byUuidIndex").click()
    expect(page.locator("#f-name")).to_have_value("byUuidIndex")
    page.screenshot(path=folder / "editor-index-light.png")
    page = window(browser, editor, 1280, 860, "dark")
    page.locator("#item-entity-Book-relationship-author").click()
    page.get_by_role("tab", name="Version Hashes").click()
    expect(page.get_by_role("table", name="Version hashes")).to_be_visible()
    page.screenshot(path=folder / "editor-relationship-dark.png")


def pages(browser, editor, folder):
    """A fetch request whose predicate leads nowhere, a configuration, a composite type, the model, the removal of a version."""
    page = window(browser, editor, 1280, 720, "light")
    page.locator("#item-fetchRequest-Cheap").click()
    page.locator("#f-predicateString").fill("prise < 5")
    expect(page.locator("#f-predicateString-check")).to_contain_text("'prise' is not a key path")
    page.screenshot(path=folder / "editor-fetch-request-light.png")
    page.locator("#item-composite-Imprint").click()
    page.locator("#item-composite-Imprint-attribute-city").click()
    expect(page.locator("#f-name")).to_have_value("city")
    page.screenshot(path=folder / "editor-composite-light.png")
    page.locator("[id='version:Books']").click()
    page.locator("#remove-version").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    page.screenshot(path=folder / "editor-remove-light.png")
    page = window(browser, editor, 1280, 720, "dark")
    page.locator("#item-configuration-Catalogue").click()
    expect(page.locator("#member-0")).to_be_checked()
    page.screenshot(path=folder / "editor-configuration-dark.png")
    page.locator("[id='version:Books']").click()
    expect(page.locator("#f-current")).to_be_visible()
    page.screenshot(path=folder / "editor-model-dark.png")


def constraint(browser, editor, folder):
    """A constraint, and a name in it that is none, while it is typed."""
    page = window(browser, editor, 1280, 860, "dark")
    page.locator("#bar-constraint").click()
    page.locator("input.renaming").fill("title,publishDate,author")
    page.keyboard.press("Enter")
    expect(page.locator("[id='item-entity-Book-uniquenessConstraint-title,publishDate,author']")).to_be_focused()
    page.locator("#f-uniquenessConstraint").fill("title,publishDate,autor")
    expect(page.locator("#f-uniquenessConstraint-check")).to_contain_text("'autor' is not a property")
    page.screenshot(path=folder / "editor-constraint-dark.png")


def pattern(browser, editor, folder):
    """A regular expression that is tried."""
    page = window(browser, editor, 1280, 860, "light")
    page.locator("#item-entity-Book-attribute-title").click()
    page.locator("#f-regularExpressionString").fill("[A-Z].*")
    page.locator("#f-try").fill("emile")
    expect(page.locator("#try-verdict")).to_have_text("✗ Does not match")
    page.screenshot(path=folder / "editor-pattern-light.png")


def store_window(browser, app, width, height, scheme, scale=1):
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=scheme, device_scale_factor=scale, locale="en-GB",
        timezone_id="Europe/Berlin")
    context.set_default_timeout(10_000)
    page = context.new_page()
    page.goto(app.entrance)
    expect(page.locator("#entity-Book .count")).to_have_text("250")
    page.locator("#entity-Book").dispatch_event("click")
    expect(page.locator("#count")).to_have_text("250 objects")
    return page


def store_table(browser, app, folder):
    """A table that is filtered and sorted, an object, the SQL."""
    page = store_window(browser, app, 1280, 800, "light")
    page.locator("#predicate").fill("author.name == 'Bo' AND price < 30")
    page.locator("#predicate").press("Enter")
    page.locator("#sort-publishDate").click()
    expect(page.locator("th[aria-sort=ascending]")).to_be_visible()
    page.locator("[id='row-Book/1']").click()
    expect(page.locator("img.picture")).to_be_visible()
    page.locator("#statements summary").click()
    page.screenshot(path=folder / "browser-table-light.png")


def store_search(browser, app, folder):
    """Words that were found in the objects of all entities, and an object of them."""
    page = store_window(browser, app, 1280, 720, "light")
    field = page.get_by_role("searchbox", name="Words in the objects of all entities")
    field.fill("ada OR 00*")
    field.press("Enter")
    expect(page.locator("#page h3")).to_have_text(["Author 1 object", "Book 7 objects"])
    expect(page.locator("[aria-labelledby='found-Book'] mark")).to_have_count(7)
    page.locator("[id='hit-Book/5']").click()
    expect(page.locator("#object")).to_have_text("Book 005")
    page.screenshot(path=folder / "browser-search-light.png")


def store_chart(browser, app, folder):
    """Counts by year, in the dark."""
    page = store_window(browser, app, 1280, 720, "dark")
    page.locator("#mode-chart").click()
    page.locator("#chart-by").select_option("publishDate")
    page.locator("#chart-unit").select_option("year")
    expect(page.locator("svg.bars rect")).to_have_count(31)
    page.screenshot(path=folder / "browser-chart-dark.png")


def store_values(browser, app, folder):
    """An object with a picture and an archive, open for changes, in the dark."""
    page = store_window(browser, app, 1280, 860, "dark")
    page.locator("[id='row-Book/1']").click()
    expect(page.locator("img.picture")).to_be_visible()
    page.screenshot(path=folder / "browser-values-dark.png")


def store_facts(browser, app, folder):
    """The metadata and the version hashes."""
    page = store_window(browser, app, 1280, 720, "light")
    page.locator("#view-facts").click()
    expect(page.get_by_role("table", name="Version hashes")).to_contain_text("the same")
    page.screenshot(path=folder / "browser-metadata-light.png")


def store_predicate(browser, app, folder):
    """Names that complete a predicate, and what is wrong with one."""
    page = store_window(browser, app, 1280, 720, "light")
    page.locator("#predicate").press_sequentially("aut")
    expect(page.get_by_role("option").first).to_be_visible()
    page.screenshot(path=folder / "browser-completion-light.png")
    page.locator("#predicate").fill("price < 5 AND == 3")
    expect(page.locator("#predicate-check .problem")).to_be_visible()
    page.screenshot(path=folder / "browser-predicate-light.png")


def store_history(browser, app, folder):
    """What a program did to its store, on a phone too."""
    with tempfile.TemporaryDirectory() as place:
        store, _ = run_book_program(BOOKS, Path(place))
        other = Server(program(), "browse", "--no-open", store)
        try:
            page = browser.new_context(viewport={"width": 1280, "height": 720}, locale="en-GB", timezone_id="Europe/Berlin").new_page()
            page.goto(other.entrance)
            page.locator("#view-history").click()
            expect(page.get_by_role("list", name="Transactions").get_by_role("heading").first).to_be_visible()
            page.screenshot(path=folder / "browser-history-light.png")
            page = browser.new_context(
                viewport={"width": 390, "height": 844}, color_scheme="dark", device_scale_factor=2, locale="en-GB", timezone_id="Europe/Berlin").new_page()
            page.goto(other.entrance)
            page.locator("#pane-sidebar").click()
            page.locator("#view-history").click()
            expect(page.get_by_role("list", name="Transactions").get_by_role("heading").first).to_be_visible()
            page.screenshot(path=folder / "browser-history-phone-dark.png")
        finally:
            other.stop()


def store_phone(browser, app, folder):
    """A chart and an object on a phone, open for changes."""
    page = store_window(browser, app, 390, 844, "light", scale=2)
    page.locator("#mode-chart").click()
    page.locator("#chart-by").select_option("publishDate")
    page.locator("#chart-unit").select_option("year")
    expect(page.locator("svg.bars rect")).to_have_count(31)
    page.screenshot(path=folder / "browser-chart-phone-light.png")
    page.locator("#mode-table").click()
    page.locator("[id='row-Book/3']").click()
    page.locator("[id='f-Book/3-price']").fill("-1")
    page.locator("[id='f-Book/3-price']").blur()
    page.locator("#save").click()
    expect(page.locator("[id='f-Book/3-price-problem']")).to_be_visible()
    page.screenshot(path=folder / "browser-phone-light.png")


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "Documentation/Images"
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        model = Path(place) / BOOKS.name
        shutil.copytree(BOOKS, model)
        editor = Editor(model)
        try:
            browser = playwright.chromium.launch(executable_path=browser_path())
            for picture in [attributes, diagram, phone, versions, migration, merge]:
                picture(browser, editor, folder)
            browser.close()
        finally:
            editor.stop()
        editor = Editor(rich(Path(place)))
        try:
            browser = playwright.chromium.launch(executable_path=browser_path())
            for picture in [inspectors, pages, pattern, constraint]:
                picture(browser, editor, folder)
            browser.close()
        finally:
            editor.stop()
        app = Server(program(), "browse", "--no-open", "--write", make_store(Path(place)))
        try:
            browser = playwright.chromium.launch(executable_path=browser_path())
            for picture in [store_table, store_search, store_chart, store_values, store_facts, store_predicate, store_history, store_phone]:
                picture(browser, app, folder)
            browser.close()
        finally:
            app.stop()


main()

"""Makes the pictures of the documentation from the real pages.

    python3 Examples/Books/PageTests/screenshots.py [FOLDER]

FOLDER is Documentation/Images unless named. BOOKS and CHROMIUM are as in the tests. The catalogue has many scripts:
the machine needs fonts for them (on Debian, fonts-noto-core and fonts-noto-cjk).
"""

import sys
import tempfile
from pathlib import Path

from app import ROOT, App, browser_path
from playwright.sync_api import expect, sync_playwright


def window(browser, width, height, scheme, scale=1):
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=scheme, device_scale_factor=scale, locale="en-GB",
        timezone_id="Europe/Berlin")
    context.set_default_timeout(10_000)
    return context.new_page()


def desktop(browser, app, folder):
    """The search, with its three times, the words that it found, and one change that is not saved."""
    page = window(browser, 1280, 900, "light")
    page.goto(f"{app.url}/?q=uber")
    page.get_by_role("link", name="Über die Dörfer").click()
    page.get_by_role("link", name="Change", exact=True).click()
    page.get_by_label("Price").fill("13.50")
    page.get_by_label("Title").fill("Über die Dörfer. Dramatisches Gedicht")
    page.get_by_role("button", name="Keep the changes").click()
    expect(page.locator(".facts .badge")).to_contain_text("Changed")
    page.goto(f"{app.url}/?q=uber")
    expect(page.locator(".book .badge")).to_have_count(1)
    # Once more, so that the times are not those of the very first search.
    page.reload()
    expect(page.locator(".book .badge")).to_have_count(1)
    expect(page.locator("#timings tbody tr")).to_have_count(3)
    expect(page.locator(".book h3 mark").first).to_be_visible()
    page.screenshot(path=folder / "books-desktop-light.png")


def search(browser, app, folder):
    """The books of an author whose name has the words, with the reason and the rank, in the dark."""
    page = window(browser, 1000, 800, "dark")
    # Twice, so that the times are not those of the very first search.
    for _ in range(2):
        page.goto(app.url)
        page.get_by_label("Search books").fill("kafk")
        expect(page.locator(".book .author mark").first).to_have_text("Kafka")
    expect(page.locator(".where").first).to_contain_text("author’s name")
    expect(page.locator("#timings tbody tr")).to_have_count(3)
    page.screenshot(path=folder / "books-search-dark.png")


def book(browser, app, folder):
    """A book with an unsaved change: derived values before and after the save, and the row as it is stored."""
    page = window(browser, 1000, 800, "light")
    page.goto(f"{app.url}/?q=uber")
    page.get_by_role("link", name="Über die Dörfer").click()
    expect(page.locator(".stored")).to_be_visible()
    page.screenshot(path=folder / "books-stored-light.png", full_page=True)


def phone(browser, app, folder):
    """The list on a phone, in the dark."""
    page = window(browser, 390, 844, "dark", scale=2)
    page.goto(f"{app.url}/?from=1967-12")
    expect(page.locator(".book").first).to_be_visible()
    page.screenshot(path=folder / "books-phone-dark.png")


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "Documentation/Images"
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as store, sync_playwright() as playwright:
        app = App(str(Path(store) / "Books.sqlite"))
        try:
            browser = playwright.chromium.launch(executable_path=browser_path())
            for picture in [phone, search, desktop, book]:
                picture(browser, app, folder)
            browser.close()
        finally:
            app.stop()


main()

# shellcheck shell=bash
# What the page tests need: Chromium, and Python with Playwright and axe. To be sourced, after say.sh and packages.sh.
#
# CHROMIUM may name a browser, PYTHON a Python that has Playwright and axe.

# Where they are installed when this machine's Python has none.
page_test_environment="${PAGE_TEST_ENVIRONMENT:-.build/page-tests}"

has_browser() {
    [ -n "${CHROMIUM:-}" ] || has_command chromium || has_command google-chrome || ubuntu_browser >/dev/null
}

# Ubuntu's chromium-browser may be a script that only requests a snap.
ubuntu_browser() {
    has_command chromium-browser && chromium-browser --version 2>/dev/null | grep -i chromium
}

has_page_test_modules() { "${PYTHON:-python3}" -c 'import axe_playwright_python, playwright' 2>/dev/null; }

# Notes which packages the page tests lack.
need_browser() {
    need python3 has_command python3
    if ! has_browser; then
        may_install && ! apt_has chromium && refresh_packages
        # Where apt has no browser, Playwright brings one.
        if ! may_install || apt_has chromium; then need chromium false; fi
    fi
    if has_command python3 && has_page_test_modules; then return; fi
    [ -x "$page_test_environment/bin/python" ] || need python3-venv has_venv
}

has_venv() { python3 -c 'import ensurepip, venv' 2>/dev/null; }

# Makes a Python with Playwright and axe, if this machine's has none, and sees to a browser.
prepare_page_tests() {
    if ! has_page_test_modules; then
        PYTHON="$page_test_environment/bin/python"
        if ! has_page_test_modules; then
            python3 -m venv "$page_test_environment"
            "$PYTHON" -m pip install -q -r Tests/PageTests/requirements.txt \
                || fail "Playwright and axe could not be installed. Get them with: pip install -r Tests/PageTests/requirements.txt"
        fi
    fi
    export PYTHON="${PYTHON:-python3}"
    has_browser && return
    as_root "$(readlink -m "$PYTHON")" -m playwright install-deps chromium >&2 || true
    "$PYTHON" -m playwright install chromium >&2 || fail "There is no Chromium, and Playwright could not get one."
    CHROMIUM="$("$PYTHON" -c '
from playwright.sync_api import sync_playwright
with sync_playwright() as playwright: print(playwright.chromium.executable_path)')"
    export CHROMIUM
}

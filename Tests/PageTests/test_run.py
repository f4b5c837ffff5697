"""How page tests are run: what happens when one fails."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

FAILING = """
import os, unittest
from pathlib import Path

def is_first(name):
    marker = Path(name)
    known = marker.exists()
    marker.touch()
    return not known

class One(unittest.TestCase):
    def test_passes(self):
        pass

    def test_fails_at_first(self):
        self.assertFalse(FIRST and is_first("one"))

    def test_ends_its_process(self):
        if ENDS and is_first("ended"):
            os._exit(1)

    @unittest.skip("not here")
    def test_is_skipped(self):
        self.fail()

class Other(unittest.TestCase):
    def test_part_fails(self):
        with self.subTest(part=1):
            self.assertFalse(PART and is_first("other"))

    def test_always_fails(self):
        self.assertFalse(ALWAYS)
"""


class SecondTry(unittest.TestCase):
    def run_tests(self, noted="", **wrong):
        """The exit code, the output, and the names that are noted of those that passed on the second try."""
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made)
            flags = {name: name in wrong for name in ["FIRST", "ENDS", "PART", "ALWAYS"]}
            (folder / "test_these.py").write_text("\n".join(f"{name} = {value}" for name, value in flags.items()) + FAILING)
            (folder / "noted").write_text(noted)
            done = subprocess.run(
                [sys.executable, Path(__file__).parent / "run.py", folder], capture_output=True, text=True, timeout=120,
                env={**os.environ, "PAGE_TEST_SECOND_TRIES": str(folder / "noted")})
            return done.returncode, done.stdout, (folder / "noted").read_text()

    def test_nothing_is_run_twice_that_passes(self):
        code, output, noted = self.run_tests()
        self.assertEqual((0, ""), (code, noted))
        self.assertIn("6 page tests, 0 failed", output)
        self.assertEqual(1, output.count("test_these.One.test_passes"))
        self.assertIn("skipped", output)

    def test_one_that_passes_on_the_second_try_is_named(self):
        for kind, name in [("FIRST", "One.test_fails_at_first"), ("ENDS", "One.test_ends_its_process"), ("PART", "Other.test_part_fails")]:
            with self.subTest(kind=kind):
                code, output, noted = self.run_tests(**{kind: True})
                self.assertEqual((0, f"test_these.{name}\n"), (code, noted))
                self.assertIn(f"passed on the second try: test_these.{name}", output)

    def test_one_that_fails_twice_has_failed(self):
        code, output, noted = self.run_tests(ALWAYS=True)
        self.assertEqual((1, ""), (code, noted))
        self.assertIn("FAILED: test_these.Other.test_always_fails", output)

    def test_two_failing_tests_are_not_run_again(self):
        code, output, noted = self.run_tests(FIRST=True, PART=True)
        self.assertEqual((1, ""), (code, noted))
        self.assertIn("6 page tests, 2 failed", output)

    def test_only_one_test_of_a_run_is_run_again(self):
        code, output, noted = self.run_tests("before\n", FIRST=True)
        self.assertEqual((1, "before\n"), (code, noted))
        self.assertNotIn("Once more", output)

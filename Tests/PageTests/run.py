"""Runs the page tests of a folder, each process with a browser of its own. A test that fails is run once more, alone.

    python3 Tests/PageTests/run.py FOLDER [names of tests]

PAGE_TEST_JOBS says how many processes there are (2). PAGE_TEST_SECOND_TRIES names a file, in which the test is noted that passed on
the second try. There may be one: when the file has one already, or more than one test fails, those that fail have failed.
"""

import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path


class Result(unittest.TestResult):
    """Writes a line of JSON for all that happens."""

    def __init__(self, stream):
        super().__init__()
        self.stream = stream
        self.begun = 0

    def send(self, **event):
        print(json.dumps(event), file=self.stream, flush=True)

    def startTest(self, test):
        super().startTest(test)
        self.begun = time.monotonic()
        self.send(begins=test.id())

    def stopTest(self, test):
        super().stopTest(test)
        self.send(ends=test.id(), seconds=time.monotonic() - self.begun)

    def fail(self, test, error):
        self.send(fails=test.id(), text=f"{test}\n{self._exc_info_to_string(error, self.owner(test))}")

    @staticmethod
    def owner(test):
        """The test that a part of it belongs to; what is of a class is its own."""
        return getattr(test, "test_case", test)

    def addError(self, test, error):
        super().addError(test, error)
        self.fail(test, error)

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self.fail(test, error)

    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        if error:
            self.send(fails=test.id(), text=f"{subtest}\n{self._exc_info_to_string(error, test)}")

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.send(skips=test.id(), text=reason)


def work():
    """A process that runs the tests that it reads the names of."""
    # What tests print is not an answer.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    # What `unittest` does not take for the failure of a test.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        for line in sys.stdin:
            result = Result(answers)
            unittest.defaultTestLoader.loadTestsFromNames(json.loads(line)).run(result)
            result.send(done=True)
    except KeyboardInterrupt:
        sys.exit(143)


class Worker:
    """Such a process, seen from outside."""

    running = set()

    def __init__(self):
        self.process = None

    def run(self, names):
        """Runs tests, and gives their lines and those that fail, with what they say."""
        lines, failed, rest = [], {}, list(names)
        while rest:
            if self.process is None:
                self.process = subprocess.Popen(
                    [sys.executable, str(Path(__file__).resolve()), "--worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
                self.running.add(self.process)
            print(json.dumps(rest), file=self.process.stdin, flush=True)
            running, skipped, is_done = None, set(), False
            for line in self.process.stdout:
                event = json.loads(line)
                if "begins" in event:
                    running = event["begins"]
                if "fails" in event:
                    failed.setdefault(event["fails"], []).append(event["text"])
                if "skips" in event:
                    skipped.add(event["skips"])
                if "ends" in event:
                    name, running = event["ends"], None
                    state = "FAILED" if name in failed else "skipped" if name in skipped else "passed"
                    lines.append(f"{state:7} {event['seconds']:6.1f} s  {name}")
                    if name in rest:
                        rest.remove(name)
                if "done" in event:
                    is_done = True
                    break
            if is_done:
                break
            # It has ended in the middle of a test, which says why above.
            self.end()
            name = running or rest[0]
            failed.setdefault(name, []).append(f"{name}\nThe process that ran it has ended.\n")
            lines.append(f"FAILED           {name}")
            if name in rest:
                rest.remove(name)
        return lines, failed

    def end(self):
        if self.process:
            self.process.stdin.close()
            self.process.wait()
            self.process.stdout.close()
            self.running.discard(self.process)
        self.process = None

    @classmethod
    def end_all(cls):
        """Ends those that are in the middle of tests; each ends its browser."""
        for process in list(cls.running):
            process.terminate()
            process.wait()


def tests_of(suite):
    for part in suite:
        if isinstance(part, unittest.TestSuite):
            yield from tests_of(part)
        else:
            yield part


def groups(names):
    """The names of the tests of each class, those first that take long."""
    loader = unittest.defaultTestLoader
    found = {}
    for test in tests_of(loader.loadTestsFromNames(names)):
        if isinstance(test, unittest.loader._FailedTest):
            raise SystemExit(f"{test.id()}: {test._exception}")
        found.setdefault(type(test), []).append(test.id())
    return [tests for kind, tests in sorted(found.items(), key=lambda pair: -len(pair[1]) * getattr(pair[0], "weight", 1))]


def run_all(found):
    """Runs groups of tests by several processes. What failed, by the name of the test."""
    waiting, failed, lock = queue.SimpleQueue(), {}, threading.Lock()
    for tests in found:
        waiting.put(tests)

    def run():
        worker = Worker()
        while True:
            try:
                tests = waiting.get_nowait()
            except queue.Empty:
                break
            lines, wrong = worker.run(tests)
            with lock:
                print(*lines, *(text for texts in wrong.values() for text in texts), sep="\n", flush=True)
                failed.update(wrong)
        worker.end()

    threads = [threading.Thread(target=run, daemon=True) for _ in range(int(os.environ.get("PAGE_TEST_JOBS", "2")))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return failed


def passes_alone(name):
    """Runs a test once more, alone."""
    print(f"\nOnce more, alone: {name}", flush=True)
    # What is not about a test is about its class.
    names = [name[name.index("(") + 1:-1]] if "(" in name else [name]
    worker = Worker()
    lines, failed = worker.run([test for tests in groups(names) for test in tests])
    worker.end()
    print(*lines, *(text for texts in failed.values() for text in texts), sep="\n", flush=True)
    return not failed


def main(folder, names):
    os.chdir(folder)
    names = names or sorted(path.stem for path in Path(".").glob("test_*.py"))
    found = groups(names)
    if not found:
        raise SystemExit(f"There are no tests in {folder}.")
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as shared:
        os.environ["PAGE_TESTS_FOLDER"] = shared
        try:
            return run_twice(found, begun)
        finally:
            Worker.end_all()


def run_twice(found, begun):
    """Runs groups of tests, and that one once more which fails. The exit code."""
    failed = run_all(found)
    noted = os.environ.get("PAGE_TEST_SECOND_TRIES")
    is_spent = bool(noted and os.path.exists(noted) and os.path.getsize(noted))
    if len(failed) == 1 and not is_spent and passes_alone(*failed):
        (name,) = failed
        failed = {}
        print(f"\npassed on the second try: {name}", flush=True)
        if noted:
            with open(noted, "a") as file:
                print(name, file=file)
    count = sum(map(len, found))
    print(f"\n{count} page tests, {len(failed)} failed, {time.monotonic() - begun:.0f} s")
    for name in failed:
        print(f"FAILED: {name}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.path.insert(0, os.getcwd())
    if sys.argv[1:] == ["--worker"]:
        work()
    elif len(sys.argv) > 1:
        sys.path.insert(0, os.path.abspath(sys.argv[1]))
        # A run that is ended takes its temporary files along.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
        sys.exit(main(sys.argv[1], sys.argv[2:]))
    else:
        sys.exit(__doc__)

"""Compiles programs that use the library as it was built."""

import shutil
import subprocess
from pathlib import Path

from browser import ROOT
from editor import program


def compile_program(sources, result):
    """Compiles sources into a program, with the modules and objects beside the command: seconds, where a package of its
    own would build everything once more."""
    products = program().resolve().parent
    # SwiftPM keeps what packages it has checked out two folders above the products.
    packages = products.parents[1] / "checkouts"
    objects = result.with_suffix(".objects")
    linked = (products / "coredata.product/Objects.LinkFileList").read_text().splitlines()
    # All that the command consists of, but for its own `main`.
    objects.write_text("\n".join(line for line in linked if "/CoreDataCommand.build/" not in line))
    maps = [
        *(products / f"{name}.build/module.modulemap" for name in ["CSQLiteHardening", "CSwiftRuntime", "CEmbeddedModels"]),
        packages / "GRDB.swift/Sources/GRDBSQLite/module.modulemap", ROOT / "Sources/CZlib/module.modulemap",
    ]
    command = [
        shutil.which("swiftc"), "-swift-version", "6", *sources, "-I", products / "Modules",
        *(argument for path in maps for argument in ["-Xcc", f"-fmodule-map-file={path}"]),
        f"@{objects}", "-lsqlite3", "-lz", "-o", result,
    ]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=300)
    if done.returncode:
        raise AssertionError(f"The program does not compile:\n{done.stdout}{done.stderr}")



def run_book_program(model, folder):
    """Generates the classes of a model as that of Books, compiles them with a program that puts a book into a new store, and
    runs it. The store, and what the program printed."""
    classes = folder / "classes"
    subprocess.run([program(), "model", "generate", "--all", "-o", classes, model], check=True, capture_output=True)
    own = Path(__file__).parent / "BookProgram"
    compile_program([*sorted(own.iterdir()), *sorted(classes.iterdir())], folder / "program")
    store = folder / "Library.sqlite"
    done = subprocess.run([folder / "program", model, store], capture_output=True, text=True, timeout=60)
    if done.returncode:
        raise AssertionError(f"The program failed:\n{done.stdout}{done.stderr}")
    return store, done.stdout

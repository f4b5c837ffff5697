#!/usr/bin/env python3
"""Puts the catalogue of a module together: what lies in Sources/MODULE/MODULE.docc, and for CoreData the guides of Documentation as
articles and the files of the example that the tutorial ends with.

usage: catalogue.py MODULE FOLDER    (in the folder of the package; FOLDER is made)

Links between guides become links between articles; links to sources, which no documentation has, become their names.
"""
import pathlib, re, shutil, sys

GUIDES = ["SharedModel", "Generating", "Macros", "Porting", "Predicates", "Search", "CommandLine", "ModelEditor", "StoreBrowser", "Books",
          "Compatibility", "Reliability", "Performance"]
EXAMPLE = {
    "Package.swift": "Package.swift",
    "Sources/SharedModel/Journal.swift": "Journal.swift",
    "Sources/SharedModel/Trip+Planning.swift": "Trip+Planning.swift",
    "Sources/SharedModel/Journal.xcdatamodeld/Journal.xcdatamodel/contents": "contents.xml",
    "Tests/SharedModelTests/JournalTests.swift": "JournalTests.swift",
}
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")


def article(text, names):
    def link(match):
        image, title, target = match.groups()
        path = target.partition("#")[0]
        if "://" in target:
            return match.group(0)
        if image:
            return f"![{title}]({pathlib.Path(path).stem})"
        guide = pathlib.Path(path).stem
        return f"[{title}](doc:{guide})" if path.endswith(".md") and guide in names else title

    return LINK.sub(link, text)


def main():
    module, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    own = pathlib.Path("Sources", module, f"{module}.docc")
    shutil.rmtree(folder, ignore_errors=True)
    if own.exists():
        shutil.copytree(own, folder)
    else:
        folder.mkdir(parents=True)
    if module != "CoreData":
        return
    documentation = pathlib.Path("Documentation")
    names = [name for name in GUIDES if (documentation / f"{name}.md").exists()]
    for name in names:
        (folder / f"{name}.md").write_text(article((documentation / f"{name}.md").read_text(), names))
    shutil.copytree(documentation / "Images", folder / "Images")
    for source, name in EXAMPLE.items():
        # The tutorial's package lies beside the clone, the example in it.
        text = pathlib.Path("Examples/SharedModel", source).read_text().replace('path: "../.."', 'path: "../OpenCoreData"')
        (folder / "Tutorial" / "Resources" / name).write_text(text)


main()

#!/usr/bin/env python3
"""Copies the symbol graphs of a module for its documentation. Clients import `CoreData` alone: what it re-exports of the modules of the
stack is documented as its own.

usage: symbols.py GRAPHS MODULE FOLDER    (GRAPHS is what `swift package dump-symbol-graph` wrote)
"""
import json, pathlib, sys

REEXPORTED = ["ObjectGraph", "CoreDataSQL", "CoreDataSQLite"]


def own(graphs, module):
    """The graph of a module, and of CoreData with the modules of the stack in it."""
    graph = json.loads((graphs / f"{module}.symbols.json").read_text())
    # CoreData has some names again, for clients that qualify them.
    known = [symbol["pathComponents"] for symbol in graph["symbols"]]
    for name in REEXPORTED if module == "CoreData" else []:
        part = json.loads((graphs / f"{name}.symbols.json").read_text())
        graph["symbols"] += [symbol for symbol in part["symbols"] if symbol["pathComponents"] not in known]
        graph["relationships"] += part["relationships"]
    return graph


def main():
    graphs, module, folder = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
    folder.mkdir(parents=True)
    (folder / f"{module}.symbols.json").write_text(json.dumps(own(graphs, module)))
    for name in [module] + (REEXPORTED if module == "CoreData" else []):
        for path in graphs.glob(f"{name}@*.symbols.json"):
            extended = path.name.split("@")[1].removesuffix(".symbols.json")
            if module == "CoreData" and extended in REEXPORTED + ["CoreData"]:
                continue
            graph = json.loads(path.read_text())
            graph["module"]["name"] = module
            (folder / f"{module}@{extended}{'' if name == module else '.' + name}.symbols.json").write_text(json.dumps(graph))


main()

"""Puts the statements of a test run before PostgreSQL: makes the tables of each model in a schema of its own, and prepares each statement in
the first schemas that have its tables and columns.

    dialect.py STATEMENTS psql [ARGUMENT...]
"""

import collections
import json
import re
import subprocess
import sys

# So many schemas are tried for a statement: models of tests have tables of the same names.
TRIES = 4
COMMON = "common"
DEFINITION = re.compile(r"(CREATE|ALTER|DROP)\s")
NAME = re.compile(r'"(?:[^"]|"")*"')


def run(psql, commands):
    """Runs (key, SQL) one by one; the errors by their keys."""
    script = ["\\set VERBOSITY terse", "\\set ON_ERROR_STOP off"]
    for key, sql in commands:
        script += [f"\\echo @@{key}", sql]
    done = subprocess.run(
        [*psql, "-X", "-q", "-A", "-t", "-f", "-"],
        input="\n".join(script),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    errors, key = {}, None
    for line in done.stdout.splitlines():
        if line.startswith("@@"):
            key = line[2:]
        elif "ERROR:" in line and key not in errors:
            errors[key] = line.split("ERROR:", 1)[1].strip()
    if done.returncode not in (0, 3):
        sys.exit(f"psql: {done.stdout[-1000:]}")
    return errors


def read(path):
    schemas, statements, obstacles = [], [], []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            entry = json.loads(line)
            if "schema" in entry:
                schemas.append(entry["schema"])
            elif "obstacle" in entry:
                obstacles.append(entry)
            else:
                statements.append(entry)
    return schemas, statements, obstacles


def kind(reason):
    """A reason without the names and positions in it."""
    reason = re.sub(r" at character \d+$", "", reason)
    if reason.startswith("operator does not exist") and "boolean" in reason:
        return "a Boolean is not a number: operator does not exist"
    return re.sub(r"\d+", "N", NAME.sub('"…"', reason))


def show(title, found):
    """found: (reason, statement)"""
    groups = collections.defaultdict(list)
    for reason, text in found:
        groups[kind(reason)].append(text)
    print(f"\n{title}: {len(found)}")
    for reason, texts in sorted(groups.items(), key=lambda group: -len(group[1])):
        print(f"  {len(texts):6}  {reason}")
        example = min(texts, key=len)
        print(f"          {example[:300]}{'…' if len(example) > 300 else ''}")


def main():
    path, psql = sys.argv[1], sys.argv[2:]
    schemas, statements, obstacles = read(path)

    # The tables of the models.
    commands, in_schemas = [], set()
    for index, texts in enumerate(schemas):
        commands.append((f"schema {index}", f"CREATE SCHEMA s{index}; SET search_path = s{index};"))
        for position, text in enumerate(texts):
            in_schemas.add(text)
            commands.append((f"{index}.{position}", f"{text};"))
    # Those that all stores have, such as the history's: made by statements of their own.
    commands.append((COMMON, f"CREATE SCHEMA {COMMON}; SET search_path = {COMMON};"))
    definitions = [s["statement"] for s in statements if DEFINITION.match(s["statement"])]
    own = [text for text in dict.fromkeys(definitions) if text not in in_schemas]
    for position, text in enumerate(own):
        commands.append((f"own.{position}", f"{text};"))
    refused = []
    for key, error in run(psql, commands).items():
        first, _, position = key.partition(".")
        text = own[int(position)] if first == "own" else schemas[int(first)][int(position)] if position else key
        # The same table is made for stores with other columns.
        if not (first == "own" and "already exists" in error):
            refused.append((error, text))
    made = sum(len(texts) for texts in schemas) + len(own) - len(refused)
    print(f"Made: {len(schemas)} schemas, {made} tables, indexes and columns.")

    # Which schemas have which names.
    where = collections.defaultdict(set)
    for index, texts in enumerate(schemas):
        for name in {name for text in texts for name in NAME.findall(text)}:
            where[name].add(index)
    # What is not quoted stands for the same name in small letters.
    plain = re.compile(r"\b[AZ][A-Za-z0-9_]+\b")
    common = {name for text in own for name in NAME.findall(text)}
    common |= {f'"{name.lower()}"' for text in own for name in plain.findall(NAME.sub("", text))}
    fixed = {'"z_pk"', '"z_ent"', '"z_opt"', '"z_max"', '"z_name"', '"z_super"', '"z_primarykey"', '"z_metadata"'}

    def candidates(names):
        found = None
        for name in names:
            if name in fixed or (name in common and name not in where):
                continue
            found = where[name] if found is None else found & where[name]
        return sorted(found)[:TRIES] if found is not None else [0]

    queries = [s for s in statements if not DEFINITION.match(s["statement"])]
    left = {str(index): candidates(query["names"]) for index, query in enumerate(queries)}
    failures = {key: "no schema has its tables and columns" for key, found in left.items() if not found}
    pending = {key: found for key, found in left.items() if found}
    for turn in range(TRIES):
        commands = []
        for key, found in pending.items():
            text = queries[int(key)]["statement"]
            path = f"SET search_path = s{found[turn]}, {COMMON};"
            commands.append((key, f"{path} PREPARE p AS {text}; DEALLOCATE ALL;"))
        errors = run(psql, commands)
        for key in pending:
            failures.pop(key, None)
        for key, error in errors.items():
            failures[key] = error
        pending = {key: found for key, found in pending.items() if key in errors and len(found) > turn + 1}
        if not pending:
            break

    print(f"Prepared: {len(queries) - len(failures)} of {len(queries)} statements.")
    if refused:
        show("Not made", refused)
    if failures:
        show("Not prepared", [(error, queries[int(key)]["statement"]) for key, error in failures.items()])
    if obstacles:
        show("No form, and decided on rows", [(o["obstacle"], o["statement"]) for o in obstacles])


main()

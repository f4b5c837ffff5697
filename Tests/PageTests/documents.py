"""Stores that the command cannot make: XML, binary, with a history. A program that uses the library makes them, once."""

import subprocess
from pathlib import Path

from browser import made_once
from compiling import compile_program

# Without derived attributes, which XML and binary stores do not compute.
MODEL = """<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" sourceLanguage="Swift" userDefinedModelVersionIdentifier="">
    <entity name="Author" syncable="YES">
        <attribute name="name" attributeType="String"/>
        <relationship name="books" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Book" inverseName="author" inverseEntity="Book"/>
    </entity>
    <entity name="Book" syncable="YES">
        <attribute name="price" optional="YES" attributeType="Decimal"/>
        <attribute name="title" attributeType="String"/>
        <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Author" inverseName="books" inverseEntity="Author"/>
    </entity>
</model>"""

# The author of a transaction, and more.
HOSTILE = "<img src=x onerror=alert(4)>"


def make(place):
    compile_program([Path(__file__).parent / "DocumentProgram/main.swift"], place / "program")
    model = place / "Library.xcdatamodel"
    model.mkdir()
    (model / "contents").write_text(MODEL)
    subprocess.run([place / "program", model, place, HOSTILE], check=True, timeout=120)


def stores():
    """The folder with `Books.xml`, `Books.binary` and `History.sqlite`, all of the same model."""
    return made_once("documents", make)


def model():
    """Their model."""
    return stores() / "Library.xcdatamodel"

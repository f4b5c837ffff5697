import Foundation
import TestSupport
import Testing

/// `coredata store search`.
@Suite struct StoreSearchCommandTests {
    private let folder: ModelFolder
    private let store: String
    private let model: String

    /// Makes a store of a text, by the command itself. It has no persistent history.
    init() throws {
        folder = try ModelFolder()
        store = folder.url.appending(path: "Texts.sqlite").path
        model = folder.url.appending(path: "Texts.xcdatamodel").path
        try folder.write(Self.model(flags: true), to: "Texts.xcdatamodel/contents")
        try folder.write(Self.model(flags: false), to: "Plain.xcdatamodel/contents")
        try folder.write(
            #"""
            {"format": "coredata-dump", "version": 1, "entities": [
              {"name": "Author", "objects": [{"objectID": "Author/1", "name": "Jo Schloss"}]},
              {"name": "Book", "objects": [
                {"objectID": "Book/1", "title": "Das Schloß", "note": "hidden"},
                {"objectID": "Book/2", "title": "Schloss Gripsholm"}]},
              {"name": "Novel", "objects": [{"objectID": "Novel/3", "title": "Das Schloß", "genre": "unfinished"}]},
              {"name": "Tag", "objects": [{"objectID": "Tag/1", "label": "Schloss"}]}]}
            """#, to: "texts.json")
        let run = try Command("store", "import", store, file("texts.json"), "--model", model)
        try #require(run.status == 0, "\(run.errors)")
    }

    private static func model(flags: Bool) -> String {
        let flag = flags ? #" spotlightIndexingEnabled="YES""# : ""
        return """
            <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" lastSavedToolsVersion="22222" \
            systemVersion="22G91" minimumToolsVersion="Automatic" sourceLanguage="Swift" userDefinedModelVersionIdentifier="">
                <entity name="Author" representedClassName="Author" syncable="YES">
                    <attribute name="name" optional="YES" attributeType="String"\(flag)/>
                </entity>
                <entity name="Book" representedClassName="Book" syncable="YES">
                    <attribute name="title" optional="YES" attributeType="String"\(flag)/>
                    <attribute name="note" optional="YES" attributeType="String"/>
                </entity>
                <entity name="Novel" representedClassName="Novel" parentEntity="Book" syncable="YES">
                    <attribute name="genre" optional="YES" attributeType="String"\(flag)/>
                </entity>
                <entity name="Tag" representedClassName="Tag" syncable="YES">
                    <attribute name="label" optional="YES" attributeType="String"/>
                </entity>
            </model>
            """
    }

    private func file(_ name: String) -> String { folder.url.appending(path: name).path }

    private func search(_ arguments: String...) throws -> Command {
        try Command(["store", "search"] + arguments)
    }

    private func found(_ arguments: String...) throws -> FoundTexts {
        let run = try Command(["store", "search", "--json"] + arguments)
        #expect(run.status == 0 && run.errors == "", "\(run.errors)")
        return try run.json(FoundTexts.self)
    }

    private func ids(_ found: FoundTexts) -> [[String]] { found.entities.map(\.ids) }

    @Test(
        "The objects of each entity are printed with their texts, the words in brackets where there is no terminal"
    )
    func text() throws {
        let run = try search(store, "schloss")
        #expect(run.status == 0 && run.errors == "" && !run.output.contains("\u{1B}"))
        let lines = run.output.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(
            lines.filter { !$0.hasPrefix(" ") } == [
                "Author  1 object", "", "Book  2 objects", "", "Novel  1 object", "",
            ])
        #expect(run.output.contains("  name: Jo [Schloss]\n"))
        #expect(run.output.contains("  title: Das [Schloß]\n"))
        #expect(run.output.contains("  title: [Schloss] Gripsholm\n"))
        #expect(lines.contains { $0.hasPrefix("  Author/1  ") })
        let none = try search(store, "castle")
        #expect(none.status == 0 && none.output == "" && none.errors == "no objects\n")
    }

    @Test("Texts are printed in one line, without what a terminal might obey")
    func controlCharacters() throws {
        try folder.write(
            #"""
            {"format": "coredata-dump", "version": 1, "entities": [
              {"name": "Author", "objects": [{"objectID": "Author/1", "name": "\u001b[31m Red\n\r\u0007 \u009b Castle"}]}]}
            """#, to: "control.json")
        let other = file("Control.sqlite")
        let made = try Command("store", "import", other, file("control.json"), "--model", model)
        try #require(made.status == 0, "\(made.errors)")
        let run = try search(other, "castle")
        #expect(run.output.hasSuffix("  name:  [31m Red      [Castle]\n"))
        #expect(run.output.split(separator: "\n").count == 2)
        #expect(
            try found(other, "castle").entities.first?.objects.first?.snippet.first?.text.contains("\u{1B}")
                ?? false)
    }

    @Test("The objects of each entity are printed as JSON with ranks and pieces of text")
    func json() throws {
        let all = try found(store, "SCHLOSS")
        #expect(all.count == 4 && all.entities.map(\.name) == ["Author", "Book", "Novel"])
        #expect(all.entities.map(\.count) == [1, 2, 1] && all.entities.allSatisfy(\.isRanked))
        #expect(ids(all)[0] == ["Author/1"] && Set(ids(all)[1]) == ["Book/1", "Book/2"])
        let hit = try #require(all.entities.last?.objects.first)
        #expect(hit.objectID == "Novel/3" && hit.attribute == "title" && (hit.rank ?? 0) > 0)
        #expect(
            hit.snippet == [
                FoundTexts.Piece(text: "Das ", isHighlighted: false),
                FoundTexts.Piece(text: "Schloß", isHighlighted: true),
            ])
        #expect(try found(store, "castle").count == 0)
        #expect(try ids(found(store, "schloss -das")) == [["Author/1"], ["Book/2"]])
        #expect(try ids(found(store, "--", "-das schloss")) == [["Author/1"], ["Book/2"]])
        #expect(try ids(found(store, #""das schl"*"#)) == [["Book/1"], ["Novel/3"]])
        #expect(try ids(found(store, "jo OR unfinished")) == [["Author/1"], ["Novel/3"]])
    }

    @Test("The objects can be limited to some of each entity, or to those of one with its subentities")
    func limits() throws {
        let one = try search(store, "schloss", "--limit", "1")
        #expect(one.output.contains("Book  2 objects, 1 of them here\n"))
        let limited = try found(store, "schloss", "--limit", "1")
        #expect(limited.count == 4 && limited.entities.map(\.objects.count) == [1, 1, 1])
        #expect(try search(store, "schloss", "--limit", "0").status == 64)
        #expect(try search(store).status == 64)
        #expect(try found(store, "schloss", "--entity", "Book").entities.map(\.name) == ["Book", "Novel"])
        #expect(try found(store, "schloss", "--entity", "Novel").entities.map(\.name) == ["Novel"])
        for (entity, text) in [
            ("Nothing", "it has: Author, Book, Novel, Tag"), ("Tag", "none of its attributes"),
        ] {
            let run = try search(store, "schloss", "--entity", entity)
            #expect(run.status == 2 && run.output == "" && run.errors.contains(text), "\(run.errors)")
        }
    }

    @Test(
        "Without the flag in the model, the message says how to set it, and all strings are searched on request"
    )
    func noFlags() throws {
        let plain = ["--model", file("Plain.xcdatamodel")]
        let run = try Command(["store", "search", store, "schloss"] + plain)
        #expect(run.status == 2 && run.output == "")
        for part in ["Index in Spotlight", "isIndexedBySpotlight", "--model", "--all-attributes"] {
            #expect(run.errors.contains(part), "\(run.errors)")
        }
        let all = try Command(
            ["store", "search", "--json", "--all-attributes", store, "schloss OR hidden"] + plain)
        #expect(try all.json(FoundTexts.self).entities.map(\.name) == ["Author", "Book", "Novel", "Tag"])
        // The flags of the model that is given count.
        #expect(try found(store, "hidden").count == 0)
        let note = try #require(try found(store, "hidden", "--all-attributes").entities.first?.objects.first)
        #expect(note.objectID == "Book/1" && note.attribute == "note")
    }

    @Test("Neither a store without history nor its folder change")
    func nothingChanges() throws {
        let url = URL(fileURLWithPath: store)
        let files = FileManager.default
        let before = try Data(contentsOf: url)
        let names = try files.contentsOfDirectory(atPath: folder.url.path).sorted()
        #expect(try found(store, "schloss").count == 4)
        #expect(try found(store, "schloss", "--all-attributes").count == 5)
        #expect(try Data(contentsOf: url) == before)
        #expect(try files.contentsOfDirectory(atPath: folder.url.path).sorted() == names)
    }

    @Test("A store that is write-protected, in a folder that is too, is searched")
    func writeProtected() throws {
        let files = FileManager.default
        let inner = folder.url.appending(path: "Protected")
        try files.createDirectory(at: inner, withIntermediateDirectories: true)
        let copy = inner.appending(path: "Copy.sqlite")
        try files.copyItem(atPath: store, toPath: copy.path)
        try files.setAttributes([.posixPermissions: 0o444], ofItemAtPath: copy.path)
        try files.setAttributes([.posixPermissions: 0o555], ofItemAtPath: inner.path)
        defer { try? files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: inner.path) }
        #expect(try found(copy.path, "schloss").count == 4)
        #expect(try files.contentsOfDirectory(atPath: inner.path) == ["Copy.sqlite"])
    }

    @Test(
        "Any text is valid as what is searched for",
        arguments: [
            "", "\"", "*", "(schloss", "NEAR(a b)", "title:x", "OR", "- -", "'; DROP TABLE d0; --",
            "\u{1B}[31m",
            "\u{301}\u{301}", "𝔖𝔠𝔥𝔩𝔬𝔰𝔰",
        ])
    func hostileWords(_ words: String) throws {
        let run = try search(store, "--", words)
        #expect(run.status == 0 && !run.output.contains("\u{1B}"), "\(run.errors)")
    }

    @Test(
        "An XML or binary store is searched with its model, and without it by all strings",
        arguments: ["xml", "binary"])
    func documents(_ type: String) throws {
        let document = file("Texts.\(type)")
        let made = try Command(
            "store", "import", document, file("texts.json"), "--model", model, "--type", type)
        try #require(made.status == 0, "\(made.errors)")
        #expect(try found(document, "schloss", "--model", model).count == 4)
        let unknown = try search(document, "schloss")
        #expect(unknown.status == 2 && unknown.errors.contains("--all-attributes"))
        let all = try search(document, "schloss", "--all-attributes", "--json")
        #expect(all.status == 0 && all.errors.hasPrefix("warning: "))
        #expect(try all.json(FoundTexts.self).count == 5)
    }

    @Test("What is not a store is an error")
    func noStore() throws {
        for path in [file("Missing.sqlite"), file("texts.json")] {
            let run = try search(path, "schloss")
            #expect(run.status == 2 && run.output == "" && run.errors.hasPrefix("error: "), "\(path)")
        }
    }
}

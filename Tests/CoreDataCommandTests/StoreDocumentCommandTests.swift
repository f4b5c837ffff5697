import Foundation
import GRDB
import Testing

/// The store commands with XML and binary stores, and with what does not fit together.
@Suite struct StoreDocumentCommandTests {
    private let folder: ModelFolder

    init() throws {
        folder = try ModelFolder()
        try folder.write(
            """
            {"format": "coredata-dump", "version": 1, "metadata": {"edition": "first"}, "entities": [
              {"name": "Author", "objects": [{"objectID": "Author/1", "name": "Le Guin"}]},
              {"name": "Book", "objects": [
                {"objectID": "Book/1", "name": "The Dispossessed", "pages": 341, "author": "Author/1"},
                {"objectID": "Book/2", "name": "A & <B>", "pages": null, "author": "Author/1"},
                {"objectID": "Book/3", "pages": 12}]}]}
            """, to: "library.json")
    }

    private func coredata(_ arguments: [String]) throws -> Command { try Command(["store"] + arguments) }

    private func file(_ name: String) -> String { folder.url.appending(path: name).path }

    private func document(_ type: String) throws -> String {
        let path = file("Library.\(type)")
        let run = try coredata(
            ["import", path, file("library.json"), "--model", folder.model, "--type", type])
        try #require(run.status == 0, "\(run.errors)")
        #expect(run.output == "4 objects\n" && run.errors == "")
        return path
    }

    @Test("Every store command accepts an XML or binary store with its model", arguments: ["xml", "binary"])
    func everyCommandTakesADocument(_ type: String) throws {
        struct Info: Decodable {
            struct Entity: Decodable, Equatable {
                let name: String
                let count: Int
            }
            let type: String
            let journalMode: String?
            let hasModelCache: Bool
            let isModelReconstructed: Bool
            let entities: [Entity]
        }
        let store = try document(type)
        let before = try Data(contentsOf: URL(fileURLWithPath: store))
        let model = ["--model", folder.model]
        let info = try coredata(["info", "--json", store]).json(Info.self)
        #expect(info.type.lowercased() == type && info.journalMode == nil)
        #expect(!info.hasModelCache && info.isModelReconstructed)
        #expect(info.entities == [.init(name: "Author", count: 1), .init(name: "Book", count: 3)])
        #expect(try coredata(["info", store]).output.hasSuffix("\n1  Author\n3  Book\n"))

        let schema = try coredata(["schema", store] + model)
        #expect(schema.status == 0 && schema.errors.contains("has no SQL schema"))
        #expect(
            schema.output.contains("Book\n  author  to-one Author\n  name    String\n  pages   Integer 32\n"))
        #expect(try coredata(["schema", "--json", store] + model).output.contains("\"to-many Book\""))
        let sql = try coredata(["schema", "--sql", store])
        #expect(sql.status == 2 && sql.errors.contains("has no SQL schema"))

        let query = try coredata(
            [
                "query", store, "Book", "author.name == 'Le Guin'", "--sort", "name", "--columns",
                "name,pages", "--csv",
            ]
                + model)
        #expect(query.status == 0 && query.output.contains(",A & <B>,\n") && query.output.contains(",341\n"))
        #expect(try coredata(["query", store, "Book", "--count"] + model).output == "3\n")

        #expect(try coredata(["dump", "--json", "-o", file("dump.json"), store] + model).status == 0)
        let copy = file("Copy.sqlite")
        #expect(try coredata(["import", copy, file("dump.json")]).output == "4 objects\n")
        #expect(try coredata(["diff", store, copy] + model).status == 0)
        #expect(try coredata(["dump", store] + model).output.contains("  author  Author/"))
        #expect(try coredata(["export", store, "-o", file("Tables")] + model).status == 0)
        #expect(try String(contentsOfFile: file("Tables/Author.csv"), encoding: .utf8).contains(",Le Guin\n"))
        #expect(try coredata(["check", store] + model).output == "0 errors, 0 warnings\n")
        let check = try coredata(["check", store])
        #expect(check.status == 0 && check.output.contains("[no-model]"))
        let prepared = try coredata(["prepare-for-apple", store])
        #expect(
            prepared.status == 0 && prepared.output == "" && prepared.errors == "There is nothing to drop.\n")
        #expect(try coredata(["metadata", store]).output.contains("first"))
        #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == before)
        #expect(try coredata(["metadata", "--set", "edition=second", store]).output.contains("second"))
        #expect(try coredata(["check", store] + model).status == 0)
    }

    @Test(
        "Every store command accepts an XML or binary store without its model",
        arguments: ["xml", "binary"])
    func everyCommandTakesADocumentWithoutAModel(_ type: String) throws {
        let store = try document(type)
        let before = try Data(contentsOf: URL(fileURLWithPath: store))
        let isXML = type == "xml"
        let (name, pages) = isXML ? ("name", "pages") : ("attribute1", "attribute2")
        func said(_ run: Command) -> Bool {
            run.status == 0 && run.errors.contains("warning: The store holds no copy of its model")
                && run.errors.contains("Give the model with --model.")
                && run.errors.split(separator: "\n").count == 1
        }
        let schema = try coredata(["schema", "--json", store])
        #expect(said(schema), "\(schema.errors)")
        #expect(schema.output.contains("\"isModelReconstructed\" : true"), "\(schema.output)")
        let shown = try coredata(["schema", store]).output
        #expect(
            shown.contains(
                isXML
                    ? "Book\n  author  to-one Author\n  name    String\n  pages   Integer 32\n"
                    : "Book\n  attribute1  String\n  attribute2  Integer 64\n  author      to-one Author\n"),
            "\(shown)")
        let query = try coredata(
            [
                "query", store, "Book", "author.\(name) == 'Le Guin'", "--sort", name, "--columns",
                "\(name),\(pages)", "--csv",
            ])
        #expect(said(query) && query.output.contains(",A & <B>,\n") && query.output.contains(",341\n"))
        let dump = try coredata(["dump", "--json", store])
        #expect(said(dump) && dump.output.contains("\"author\":\"Author/"))
        #expect(dump.output.contains("\"books\":[\"Book/"))
        try folder.write(dump.output, to: "told.json")
        #expect(try coredata(["dump", store]).output.contains("  \(name)"))
        let tables = try coredata(["export", store, "-o", file("Tables")])
        #expect(said(tables))
        #expect(try String(contentsOfFile: file("Tables/Author.csv"), encoding: .utf8).contains(",Le Guin"))
        let other = file("Other.\(type)")
        try FileManager.default.copyItem(atPath: store, toPath: other)
        let same = try coredata(["diff", store, other])
        #expect(same.status == 0 && same.output == "" && same.errors.contains("warning: \(store): The store"))
        let check = try coredata(["check", store])
        #expect(
            check.status == 0 && check.output.contains("[no-model]")
                && check.output.hasSuffix("0 errors, 1 warning\n"))
        #expect(try coredata(["info", store]).output.contains("make one from the objects"))
        let copy = file("Copy.sqlite")
        let made = try coredata(["import", copy, file("told.json"), "--model", folder.model])
        if isXML {
            #expect(made.status == 0 && made.output == "4 objects\n", "\(made.errors)")
            #expect(try coredata(["diff", store, copy, "--model", folder.model]).status == 0)
        } else {
            #expect(made.status == 2 && made.errors.contains("attribute1"), "\(made.errors)")
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == before)
    }

    @Test("An XML store with an unknown type needs its model")
    func aDocumentOfAnUnknownTypeNeedsItsModel() throws {
        let store = try document("xml")
        let text = try String(contentsOfFile: store, encoding: .utf8)
        try folder.write(text.replacing("type=\"int32\"", with: "type=\"colour\""), to: "Library.xml")
        let run = try coredata(["dump", store])
        #expect(run.status == 2 && run.errors.contains("type 'colour' of attribute 'pages'"), "\(run.errors)")
        #expect(run.errors.contains("Give the model with --model."))
        let check = try coredata(["check", store])
        #expect(check.status == 0 && check.output.contains("[no-model]") && check.output.contains("colour"))
    }

    @Test("Unsupported operations and damage of an XML store have their exit codes")
    func unsupportedOperations() throws {
        let store = try document("xml")
        let append = try coredata([
            "import", "--append", store, file("library.json"), "--model", folder.model,
        ])
        #expect(append.status == 2 && append.errors.contains("SQLite stores only"))
        #expect(
            try coredata(["import", "--append", "--type", "xml", store, file("library.json")]).status == 64)
        #expect(try coredata(["import", file("New"), file("library.json"), "--type", "memory"]).status == 64)
        let older = try coredata(["dump", store, "--model", folder.model, "--model-version", "Library"])
        #expect(older.status == 2 && older.errors.contains("incompatible"), "\(older.errors)")
        let text = try String(contentsOfFile: store, encoding: .utf8)
        try folder.write(text.replacing("idrefs=\"z", with: "idrefs=\"z9"), to: "Library.xml")
        let check = try coredata(["check", store, "--model", folder.model])
        #expect(check.status == 1 && check.output.contains("[dangling-reference]"), "\(check.output)")
        #expect(try coredata(["dump", store, "--model", folder.model]).status == 2)
        try folder.write(String(text.prefix(text.count / 2)), to: "Library.xml")
        let cut = try coredata(["check", store, "--model", folder.model])
        #expect(cut.status == 1 && cut.output.contains("[damaged-file]"))
        #expect(try coredata(["info", store]).status == 2)
    }

    @Test("An import that leaves out a reference exits with 1 and a warning")
    func anIncompleteImportSaysSo() throws {
        let text = try String(contentsOfFile: file("library.json"), encoding: .utf8)
        try folder.write(
            text.replacing("341, \"author\": \"Author/1\"", with: "341, \"author\": \"Author/9\""),
            to: "stray.json")
        let run = try coredata(["import", file("Stray.sqlite"), file("stray.json"), "--model", folder.model])
        #expect(run.status == 1 && run.output == "4 objects\n")
        #expect(
            run.errors
                == "warning: Book.author: it leads to an object that does not exist (1: Book/1 to Author/9); left out.\n"
        )
        #expect(try coredata(["check", file("Stray.sqlite")]).output == "0 errors, 0 warnings\n")
    }

    @Test("A value of another type is an error with object, property and column")
    func valuesOfAnotherTypeAreNamed() throws {
        let store = file("Library.sqlite")
        #expect(try coredata(["import", store, file("library.json"), "--model", folder.model]).status == 0)
        let queue = try DatabaseQueue(path: store)
        try queue.write { try $0.execute(sql: "UPDATE ZBOOK SET ZPAGES = 'many' WHERE Z_PK = 2") }
        try queue.close()
        for arguments in [
            ["dump", store], ["dump", "--json", store], ["export", store, "-o", file("Tables")],
            ["query", store, "Book"], ["query", store, "Book", "--csv"], ["query", store, "Book", "--json"],
        ] {
            let run = try coredata(arguments)
            #expect(run.status == 2, "\(arguments)")
            #expect(run.errors.contains("Book/2, 'pages' (column ZPAGES of row 2)"), "\(run.errors)")
        }
        #expect(try coredata(["query", store, "Book", "name BEGINSWITH 'The'"]).status == 0)
        #expect(try coredata(["query", store, "Book", "--columns", "name"]).status == 0)
        #expect(try coredata(["check", store]).output.contains("[invalid-value]"))
    }

    @Test("The JSON of info and schema marks a reconstructed model")
    func aReconstructedModelIsMarked() throws {
        struct Mark: Decodable { let isModelReconstructed: Bool }
        let store = file("Library.sqlite")
        #expect(try coredata(["import", store, file("library.json"), "--model", folder.model]).status == 0)
        for command in ["info", "schema"] {
            #expect(try !coredata([command, "--json", store]).json(Mark.self).isModelReconstructed)
        }
        let queue = try DatabaseQueue(path: store)
        try queue.write { try $0.execute(sql: "DROP TABLE Z_MODELCACHE") }
        try queue.close()
        for command in ["info", "schema"] {
            #expect(try coredata([command, "--json", store]).json(Mark.self).isModelReconstructed)
        }
        #expect(try coredata(["dump", "--json", "-o", file("dump.json"), store]).status == 0)
        let copy = file("Copy.sqlite")
        let run = try coredata(["import", copy, file("dump.json"), "--model", folder.model])
        #expect(run.status == 0 && run.output == "4 objects\n", "\(run.errors)")
        #expect(try coredata(["diff", store, copy, "--model", folder.model]).status == 0)
    }
}

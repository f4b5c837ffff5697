import Foundation
import GRDB
import Testing

@Suite struct StoreCommandTests {
    private let folder: ModelFolder
    private let store: String

    /// Makes a store of a text, by the command itself.
    init() throws {
        folder = try ModelFolder()
        store = folder.url.appending(path: "Library.sqlite").path
        try folder.write(
            """
            {"format": "coredata-dump", "version": 1, "metadata": {"edition": "first"}, "entities": [
              {"name": "Author", "objects": [
                {"objectID": "Author/1", "name": "Le Guin"}, {"objectID": "Author/2", "name": null}]},
              {"name": "Book", "objects": [
                {"objectID": "Book/1", "name": "The Dispossessed", "pages": 341, "author": "Author/1"},
                {"objectID": "Book/2", "name": "A, \\"B\\"", "pages": null, "author": "Author/1"},
                {"objectID": "Book/3", "pages": 12}]}]}
            """, to: "library.json")
        let run = try coredata("import", store, file("library.json"), "--model", folder.model)
        try #require(run.status == 0, "\(run.errors)")
        #expect(run.output == "5 objects\n")
    }

    private func coredata(_ arguments: String...) throws -> Command { try Command(["store"] + arguments) }

    private func file(_ name: String) -> String { folder.url.appending(path: name).path }

    private func sql(_ statement: String) throws {
        let queue = try DatabaseQueue(path: store)
        try queue.write { try $0.execute(sql: statement) }
        try queue.close()
    }

    // MARK: info, schema

    @Test("The command info counts the objects of each entity")
    func infoCountsTheObjectsOfEachEntity() throws {
        struct Info: Decodable {
            struct Entity: Decodable, Equatable {
                let name: String
                let count: Int
            }
            let path: String
            let type: String
            let identifier: String
            let byteCount: Int
            let journalMode: String
            let hasModelCache: Bool
            let entities: [Entity]
        }
        let info = try coredata("info", "--json", store).json(Info.self)
        #expect(info.entities == [.init(name: "Author", count: 2), .init(name: "Book", count: 3)])
        #expect(info.path == store && info.type == "SQLite" && info.hasModelCache && info.byteCount > 4096)
        #expect(UUID(uuidString: info.identifier) != nil && info.journalMode == "wal")
        let text = try coredata("info", store)
        #expect(text.status == 0 && text.output.hasSuffix("\n2  Author\n3  Book\n"))
        #expect(!text.output.contains("\u{1B}"))
    }

    @Test("The command schema prints columns or SQL statements")
    func schemaPrintsColumnsAndStatements() throws {
        let text = try coredata("schema", store).output
        #expect(text.contains("ZBOOK  (Book 2)\n") && text.contains("  ZPAGES   INTEGER  Book.pages\n"))
        #expect(try coredata("schema", "--sql", store).output.contains("CREATE TABLE ZBOOK"))
        let json = try coredata("schema", "--json", store).output
        #expect(json.contains("\"Book.pages\""))
        #expect(try coredata("schema", "--json", "--sql", store).status == 64)
    }

    // MARK: query

    @Test("The command query prints a table")
    func queryPrintsATable() throws {
        let run = try coredata("query", store, "Book", "pages > 5", "--sort", "pages:desc")
        #expect(
            run.output == """
                objectID  author    name              pages
                Book/1    Author/1  The Dispossessed  341
                Book/3                                12

                """)
        #expect(run.status == 0 && run.errors == "")
        let none = try coredata("query", store, "Book", "pages > 5000")
        #expect(none.status == 0 && none.output == "" && none.errors == "no objects\n")
    }

    @Test("The command query counts and limits objects")
    func queryCountsAndLimits() throws {
        #expect(try coredata("query", store, "Book", "--count").output == "3\n")
        #expect(try coredata("query", store, "Book", "author.name == 'Le Guin'", "--count").output == "2\n")
        #expect(try coredata("query", store, "Book", "--limit", "2", "--count").output == "2\n")
        #expect(try coredata("query", store, "Book", "--limit", "0").status == 64)
    }

    @Test("The command query prints JSON and CSV")
    func queryPrintsJSONAndValues() throws {
        struct Book: Decodable, Equatable {
            let objectID: String
            let name: String?
            let pages: Int?
            let author: String?
        }
        let books = try coredata("query", store, "Book", "--sort", "name,pages", "--json").json([Book].self)
        #expect(
            books == [
                Book(objectID: "Book/3", name: "", pages: 12, author: nil),
                Book(objectID: "Book/2", name: "A, \"B\"", pages: nil, author: "Author/1"),
                Book(objectID: "Book/1", name: "The Dispossessed", pages: 341, author: "Author/1"),
            ])
        #expect(try coredata("query", store, "Book", "pages > 9999", "--json").json([Book].self) == [])
        let csv = try coredata("query", store, "Book", "--csv", "--columns", "name,pages")
        #expect(
            csv.output == """
                objectID,name,pages
                Book/1,The Dispossessed,341
                Book/2,"A, ""B""\",
                Book/3,"",12

                """)
        #expect(try coredata("query", store, "Book", "--csv", "--json").status == 64)
        let author = try coredata("query", store, "Author", "name == 'Le Guin'", "--columns", "books")
        #expect(author.output.contains("Book/1 Book/2"))
    }

    @Test("The commands query and check take a decimal that is not a number")
    func notANumber() throws {
        try folder.write(
            """
            <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" lastSavedToolsVersion="22222" \
            systemVersion="22G91" minimumToolsVersion="Automatic" sourceLanguage="Swift" \
            userDefinedModelVersionIdentifier="">
                <entity name="Item" representedClassName="Item" syncable="YES">
                    <attribute name="price" optional="YES" attributeType="Decimal"/>
                </entity>
            </model>
            """, to: "Prices.xcdatamodel/contents")
        try folder.write(
            """
            {"format": "coredata-dump", "version": 1, "entities": [{"name": "Item", "objects": [
              {"objectID": "Item/1", "price": "NaN"}, {"objectID": "Item/2", "price": "3"}]}]}
            """, to: "prices.json")
        let prices = file("Prices.sqlite")
        let made = try coredata("import", prices, file("prices.json"), "--model", file("Prices.xcdatamodel"))
        try #require(made.status == 0, "\(made.errors)")
        let csv = try coredata("query", prices, "Item", "--sort", "price", "--csv")
        #expect(csv.output == "objectID,price\nItem/2,3\nItem/1,NaN\n")
        struct Item: Decodable, Equatable { let price: String }
        let found = try coredata("query", prices, "Item", "price > 5", "--json").json([Item].self)
        #expect(found == [Item(price: "NaN")])
        let check = try coredata("check", prices)
        #expect(check.status == 0 && check.output == "0 errors, 0 warnings\n")
    }

    @Test(
        "The command query names an unknown entity, property or column",
        arguments: [
            (["Novel"], "no entity named 'Novel'; it has: Author, Book."), (["Book", "pages >"], ""),
            (["Book", "chapters == 1"], "chapters"), (["Book", "--sort", "chapters"], "chapters"),
            (["Book", "--columns", "chapters"], "chapters"),
        ])
    func queryNamesWhatIsWrong(_ arguments: [String], _ message: String) throws {
        let run = try Command(["store", "query", store] + arguments)
        #expect(run.status == 2 && run.output == "")
        #expect(
            run.errors.hasPrefix("error: ") && (message.isEmpty || run.errors.contains(message)),
            "\(run.errors)")
    }

    // MARK: dump, import, export, diff

    @Test("A dump is imported without loss")
    func aDumpIsImportedWithoutLoss() throws {
        #expect(try coredata("dump", "--json", "-o", file("dump.json"), store).status == 0)
        let copy = file("Copy.sqlite")
        #expect(try coredata("import", copy, file("dump.json")).output == "5 objects\n")
        let again = try coredata("dump", "--json", copy)
        #expect(try Data(contentsOf: folder.url.appending(path: "dump.json")) == Data(again.output.utf8))
        #expect(try coredata("diff", store, copy).status == 0)
        #expect(try coredata("check", copy).output == "0 errors, 0 warnings\n")
        #expect(try coredata("metadata", copy).output.contains("first"))
    }

    @Test("Output never replaces a file of the store, also through links")
    func theStoreIsNotReplacedByItsDump() throws {
        let link = file("link.json")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: store)
        try FileManager.default.linkItem(atPath: store, toPath: file("hard.json"))
        let before = try Data(contentsOf: URL(fileURLWithPath: store))
        for output in [store, link, file("hard.json")] {
            let run = try coredata("dump", "--json", "-o", output, store)
            #expect(run.status == 2 && run.errors.contains("a file of the store"), "\(run.errors)")
        }
        let log = "\(store)-wal"
        try Data().write(to: URL(fileURLWithPath: log))
        #expect(try coredata("dump", "-o", log, store).status == 2)
        try FileManager.default.createDirectory(atPath: file("Tables"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: file("Tables/Book.csv"), withDestinationPath: store)
        #expect(try coredata("export", store, "-o", file("Tables")).status == 2)
        #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == before)
    }

    @Test("Output follows links, keeps permissions and does not make targets of dangling links")
    func outputFollowsItsPath() throws {
        let text = try coredata("dump", "--json", store).output
        try folder.write("old", to: "private.json")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: file("private.json"))
        try FileManager.default.createSymbolicLink(
            atPath: file("link.json"), withDestinationPath: file("private.json"))
        #expect(try coredata("dump", "--json", "-o", file("link.json"), store).status == 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: file("private.json"))) == Data(text.utf8))
        let attributes = try FileManager.default.attributesOfItem(atPath: file("private.json"))
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        #expect(
            try FileManager.default.destinationOfSymbolicLink(atPath: file("link.json"))
                == file("private.json"))
        #expect(try coredata("dump", "--json", "-o", "/dev/stdout", store).output == text)
        #expect(try coredata("dump", "-o", folder.url.path, store).status == 2)
        try FileManager.default.createSymbolicLink(
            atPath: file("nowhere.json"), withDestinationPath: file("absent.json"))
        #expect(try coredata("dump", "-o", file("nowhere.json"), store).status == 2)
        #expect(!folder.exists("absent.json"))
    }

    @Test("Output to a pipe leaves the pipe in place")
    func aPipeStaysAPipe() throws {
        let pipe = file("pipe")
        try #require(mkfifo(pipe, 0o600) == 0)
        // A reader that is there before, so that neither process waits for the other.
        let descriptor = open(pipe, O_RDWR)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        #expect(try coredata("dump", "--entity", "Author", "-o", pipe, store).status == 0)
        var status = stat()
        #expect(lstat(pipe, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(descriptor, &bytes, bytes.count)
        #expect(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).hasPrefix("Author/1\n"))
    }

    @Test("The command import refuses existing, missing and swapped arguments")
    func importRefusesWhatDoesNotFit() throws {
        let again = try coredata("import", store, file("library.json"))
        #expect(again.status == 2 && again.errors.contains("--append"))
        let model = try coredata("import", file("New.sqlite"), file("library.json"))
        #expect(model.status == 2 && model.errors.contains("--model"))
        #expect(try coredata("import", "--append", file("New.sqlite"), file("library.json")).status == 2)
        let missing = try coredata(
            "import", file("library.json"), file("New.sqlite"), "--model", folder.model)
        #expect(missing.status == 2 && missing.errors.contains("The store comes first"))
        let swapped = try coredata("import", file("New.sqlite"), store, "--model", folder.model)
        #expect(swapped.status == 2 && !folder.exists("New.sqlite"))
        #expect(try coredata("import", "--append", store, file("library.json")).status == 0)
        #expect(try coredata("query", store, "Book", "--count").output == "6\n")
    }

    @Test("The command dump prints objects as text")
    func dumpPrintsText() throws {
        let text = try coredata("dump", "--entity", "Book", store).output
        #expect(
            text.hasPrefix(
                """
                Book/1
                  author  Author/1
                  name    The Dispossessed
                  pages   341
                """))
        #expect(!text.contains("\nAuthor/"))
    }

    @Test("The command export writes CSV and JSON lines")
    func exportWritesFiles() throws {
        let run = try coredata("export", store, "-o", file("Tables"))
        #expect(run.status == 0 && run.output.hasSuffix("Tables/Book.csv\n"))
        let authors = try String(contentsOfFile: file("Tables/Author.csv"), encoding: .utf8)
        #expect(authors == "objectID,books,name\nAuthor/1,Book/1 Book/2,Le Guin\nAuthor/2,,\n")
        #expect(
            try coredata("export", "--format", "jsonl", "--entity", "Author", store, "-o", file("Lines"))
                .status
                == 0)
        let lines = try String(contentsOfFile: file("Lines/Author.jsonl"), encoding: .utf8)
        #expect(lines.contains(#"{"objectID":"Author/2","books":[],"name":null}"#))
        #expect(!folder.exists("Lines/Book.jsonl"))
        #expect(try coredata("export", "--format", "xml", store, "-o", file("Lines")).status == 64)
    }

    @Test("The command diff prints changed and removed objects")
    func diffPrintsChanges() throws {
        let copy = file("Copy.sqlite")
        try FileManager.default.copyItem(atPath: store, toPath: copy)
        try sql("UPDATE ZBOOK SET ZPAGES = 342 WHERE Z_PK = 1; DELETE FROM ZBOOK WHERE Z_PK = 3")
        let run = try coredata("diff", copy, store)
        #expect(run.status == 1)
        #expect(run.output == "~ Book/1\n    pages: 341 -> 342\n- Book/3\n    name: \n    pages: 12\n")
        struct Difference: Decodable {
            let change: String
            let objectID: String
        }
        let list = try coredata("diff", "--json", store, copy).json([Difference].self)
        #expect(list.map(\.change) == ["changed", "added"] && list.map(\.objectID) == ["Book/1", "Book/3"])
    }

    // MARK: check, metadata, prepare-for-apple

    @Test("The command check exits with 1 for errors, and for warnings if strict")
    func checkExitsWithOneForErrorsOnly() throws {
        #expect(try coredata("check", store).status == 0)
        try sql("UPDATE ZBOOK SET ZNAME = NULL WHERE Z_PK = 1")
        let warned = try coredata("check", store)
        #expect(warned.status == 0 && warned.output.hasSuffix("0 errors, 1 warning\n"))
        #expect(try coredata("check", "--strict", store).status == 1)
        try sql("UPDATE ZBOOK SET ZAUTHOR = 77 WHERE Z_PK = 2")
        let run = try coredata("check", store)
        #expect(run.status == 1)
        #expect(
            run.output.contains(
                "Book.author: error: it leads to a key that no Author has (1: Book/2) [dangling-reference]"))
        struct Finding: Decodable {
            let severity: String
            let code: String
            let entity: String?
            let count: Int?
        }
        let findings = try coredata("check", "--json", store).json([Finding].self)
        #expect(Set(findings.map(\.code)) == ["mandatory-value", "dangling-reference"])
    }

    @Test("The command metadata shows, sets and removes values")
    func metadataAreShownAndChanged() throws {
        #expect(try coredata("metadata", store).output.contains("edition"))
        let run = try coredata(
            "metadata", "--set", "note=a=b", "--set-json", "list=[1,true]", "--remove", "edition", "--json",
            store)
        #expect(run.output.contains(#""note":"a=b""#) && run.output.contains(#""list":[1,true]"#))
        #expect(!run.output.contains("edition"))
        #expect(try coredata("metadata", "--json", store).output == run.output)
        #expect(try coredata("metadata", "--remove", "edition", store).status == 2)
        #expect(try coredata("metadata", "--set", "NSStoreUUID=x", store).status == 2)
        #expect(try coredata("metadata", "--set-json", "x=nope", store).status == 2)
        #expect(try coredata("metadata", "--set", "novalue", store).status == 64)
    }

    @Test("The command prepare-for-apple drops triggers that Apple lacks")
    func prepareForAppleDropsTriggers() throws {
        let none = try coredata("prepare-for-apple", store)
        #expect(none.status == 0 && none.output == "")
        try sql(
            """
            CREATE TRIGGER Z_DA_ZBOOK_Book_shout_SOURCE_INSERT AFTER INSERT ON ZBOOK BEGIN
            SELECT OpenCoreDataUppercase(NEW.ZNAME); END
            """)
        let name = "Z_DA_ZBOOK_Book_shout_SOURCE_INSERT\n"
        #expect(try coredata("prepare-for-apple", "--dry-run", store).output == name)
        #expect(try coredata("check", store).output.contains("[foreign-trigger]"))
        #expect(try coredata("prepare-for-apple", store).output == name)
        #expect(try coredata("check", store).output == "0 errors, 0 warnings\n")
    }

    // MARK: what is wrong

    @Test(
        "Every store command refuses a file that is not a store",
        arguments: ["info", "schema", "dump", "check", "metadata", "prepare-for-apple"])
    func otherFilesAreErrors(_ name: String) throws {
        try folder.write("no database, but a text that is long enough to look at", to: "text")
        try folder.write("", to: "empty")
        let whole = try Data(contentsOf: URL(fileURLWithPath: store))
        try whole.prefix(whole.count / 3).write(to: folder.url.appending(path: "cut"))
        let other = try DatabaseQueue(path: file("other"))
        try other.write { try $0.execute(sql: "CREATE TABLE t (a)") }
        try other.close()
        for path in ["text", "empty", "missing", "other", "Library.xcdatamodeld"] {
            let run = try coredata(name, file(path))
            #expect(run.status == 2 && run.output == "", "\(name) \(path)")
            #expect(run.errors.hasPrefix("error: "), "\(name) \(path): \(run.errors)")
        }
        let cut = try coredata(name, file("cut"))
        #expect(cut.status == (name == "check" ? 1 : 2), "\(name): \(cut.errors)")
    }

    @Test("A model reconstructed from tables has a warning")
    func aModelThatWasMadeFromTablesIsMarked() throws {
        #expect(try coredata("info", store).output.contains("model copy     yes\n"))
        try sql("DROP TABLE Z_MODELCACHE")
        #expect(try coredata("info", store).output.contains("model copy     no; "))
        for arguments in [["dump"], ["dump", "--json"], ["schema"], ["export", "-o", file("Tables")]] {
            let run = try Command(["store"] + arguments + [store])
            #expect(run.status == 0 && run.errors.hasPrefix("warning: The store holds no copy of its model"))
        }
        let entity = try coredata("query", store, "Nothing")
        #expect(entity.errors.contains("warning: ") && entity.status == 2)
        let named = try coredata("dump", "--model", folder.model, store)
        #expect(named.status == 0 && named.errors == "")
    }

    @Test("Reading a store changes no byte and leaves no file")
    func readingLeavesNothingBehind() throws {
        let before = try Data(contentsOf: URL(fileURLWithPath: store))
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
        for arguments in [
            ["info"], ["schema"], ["dump"], ["dump", "--json"], ["check"], ["metadata"],
            ["prepare-for-apple", "--dry-run"],
        ] { #expect(try Command(["store"] + arguments + [store]).status == 0) }
        #expect(
            try coredata("query", store, "Book").status == 0 && coredata("diff", store, store).status == 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() == names)
    }

    @Test("The help of every store command has examples")
    func helpHasExamples() throws {
        for name in [
            "info", "schema", "dump", "query", "check", "export", "import", "diff", "metadata",
            "prepare-for-apple",
        ] {
            let run = try coredata(name, "--help")
            #expect(run.status == 0 && run.output.contains("EXAMPLES\n"), "\(name)")
        }
    }

    // MARK: models that contradict themselves

    @Test("A model that redeclares an inherited property is an error, not a trap")
    func redefiningModels() throws {
        try folder.write(
            """
            <model><entity name="Item"><attribute name="name" optional="YES" attributeType="String"/></entity>
            <entity name="Sub" parentEntity="Item"><attribute name="name" optional="YES" attributeType="String"/></entity></model>
            """, to: "Redefining.xcdatamodel/contents")
        for command in ["check", "info", "schema", "dump"] {
            let run = try coredata(command, store, "--model", file("Redefining.xcdatamodel"))
            #expect(run.status != 0 && run.status < 128, "\(command): \(run.status)")
            #expect(!run.errors.isEmpty || !run.output.isEmpty)
            #expect(!run.errors.contains("Fatal error"), "\(command): \(run.errors)")
        }
    }
}

import Foundation
import Testing

@Suite struct ModelCommandTests {
    private let folder: ModelFolder

    init() throws { folder = try ModelFolder() }

    // MARK: show, hash

    @Test("The command show prints the current version")
    func showPrintsTheCurrentVersion() throws {
        let run = try Command("model", "show", folder.model)
        #expect(run.status == 0 && run.errors.isEmpty)
        #expect(
            run.output == """
                2 entities

                Author
                  name   String, optional
                  books  ->> Book.author, optional, Cascade

                Book
                  name    String, default , renaming ID title
                  pages   Integer 32, optional
                  author  -> Author.books, optional, Nullify

                """)
    }

    @Test("The command show accepts a version and an entity")
    func showTakesAVersionAndAnEntity() throws {
        let run = try Command("model", "show", "--version", "Library", "--entity", "Book", folder.model)
        #expect(run.output.contains("title   String, optional"))
        #expect(!run.output.contains("pages") && !run.output.contains("\nAuthor"))
    }

    @Test("The command show prints JSON in the documented form")
    func showPrintsJSONOfTheDocumentedShape() throws {
        struct Shown: Decodable {
            struct Entity: Decodable {
                struct Attribute: Decodable {
                    let name: String
                    let type: String
                    let isOptional: Bool
                    let defaultValue: String?
                    let renamingIdentifier: String?
                }
                struct Relationship: Decodable {
                    let name: String
                    let destination: String
                    let inverse: String
                    let isToMany: Bool
                    let deleteRule: String
                }
                let name: String
                let className: String
                let versionHash: String
                let attributes: [Attribute]
                let relationships: [Relationship]
            }
            let versionChecksum: String
            let entities: [Entity]
        }
        let shown = try Command("model", "show", "--json", folder.model).json(Shown.self)
        #expect(shown.entities.map(\.name) == ["Author", "Book"])
        let book = shown.entities[1]
        #expect(book.className == "Book" && book.versionHash.count == 64)
        #expect(book.attributes.map(\.name) == ["name", "pages"])
        #expect(book.attributes[0].renamingIdentifier == "title" && book.attributes[0].defaultValue == "")
        #expect(book.attributes[1].type == "Integer 32" && book.attributes[1].isOptional)
        #expect(book.relationships[0].destination == "Author" && !book.relationships[0].isToMany)
        #expect(shown.entities[0].relationships[0].deleteRule == "Cascade")
        let checksum = try Command("model", "hash", "--checksum", folder.model).output
        #expect(checksum == shown.versionChecksum + "\n")
    }

    @Test("The command hash prints the documented hash and checksum")
    func hashesAreThoseOfTheDocument() throws {
        // The example of the description of version hashes.
        try folder.write(
            """
            <model documentVersion="1.0"><entity name="User" representedClassName="User">
            <attribute name="name" attributeType="String"/>
            <attribute name="petName" optional="YES" attributeType="String"/></entity></model>
            """, to: "Users.xcdatamodel/contents")
        let path = folder.url.appending(path: "Users.xcdatamodel").path
        let hash = "6b31f4e97b691d16c4c820bae55f89408d47013bd42151ecfde1eac7fe4be798"
        #expect(try Command("model", "hash", "--json", path).json([String: String].self) == ["User": hash])
        #expect(try Command("model", "hash", path).output == "\(hash)  User\n")
        #expect(
            try Command("model", "hash", "--checksum", path).output
                == "u970QgYhRHEJGIt0zQr1UhuZL2ZJ1KxBS+B7rkAx0ik=\n")
    }

    // MARK: compile, decompile

    @Test("A model that is compiled and decompiled has the same hashes")
    func compileAndDecompile() throws {
        let compiled = try Command("model", "compile", folder.model, in: folder.url)
        #expect(compiled.status == 0 && compiled.output == "Library.momd\n")
        for file in ["VersionInfo.plist", "Library.mom", "Library 2.mom"] {
            #expect(folder.exists("Library.momd/\(file)"), "\(file)")
        }
        let back = try Command(
            "model", "decompile", "Library.momd", "-o", "Back.xcdatamodeld", in: folder.url)
        #expect(back.status == 0 && back.output == "Back.xcdatamodeld\n")
        for version in ["Library", "Library 2"] {
            let hashes = try [folder.model, "Library.momd", "Back.xcdatamodeld"].map {
                try Command("model", "hash", "--version", version, $0, in: folder.url).output
            }
            #expect(Set(hashes).count == 1 && !hashes[0].isEmpty, "\(version)")
        }
        let current = try ["Library.momd", "Back.xcdatamodeld"].map {
            try Command("model", "show", $0, in: folder.url).output
        }
        #expect(Set(current).count == 1 && current[0].contains("pages"))
    }

    @Test("A single version is compiled into a folder if the output is one")
    func aVersionIsCompiledIntoAFolder() throws {
        let version = folder.url.appending(path: "Library.xcdatamodeld/Library 2.xcdatamodel").path
        let compiled = try Command("model", "compile", version, "-o", "One.momd", in: folder.url)
        #expect(compiled.status == 0 && compiled.output == "One.momd\n")
        for file in ["VersionInfo.plist", "Library 2.mom"] {
            #expect(folder.exists("One.momd/\(file)"), "\(file)")
        }
        let hashes = try [version, "One.momd"].map { try Command("model", "hash", $0, in: folder.url).output }
        #expect(hashes[0] == hashes[1] && !hashes[0].isEmpty)
    }

    @Test("Classes of the current module get the name given by the option module")
    func theCurrentModuleIsNamed() throws {
        let file = folder.url.appending(path: "Library.xcdatamodeld/Library 2.xcdatamodel/contents")
        let text = try String(contentsOf: file, encoding: .utf8)
        try Data(text.replacing("representedClassName=\"Book\"", with: "representedClassName=\".Book\"").utf8)
            .write(to: file)
        func show(_ arguments: String...) throws -> String {
            _ = try Command(["model", "compile", folder.model] + arguments, in: folder.url)
            return try Command("model", "show", "--json", "Library.momd", in: folder.url).output
        }
        #expect(try show().contains("\".Book\""))
        let named = try show("--module", "Shop")
        #expect(named.contains("\"Shop.Book\"") && named.contains("\"Author\""))
        let wrong = try Command("model", "compile", "--module", "a b", folder.model, in: folder.url)
        #expect(wrong.status == 64 && wrong.errors.contains("'a b' is not the name of a module"))
    }

    @Test("Decompiling does not replace an existing model")
    func decompilingTouchesNothingThatIsThere() throws {
        _ = try Command("model", "compile", folder.model, in: folder.url)
        let before = try Command("model", "hash", folder.model).output
        let run = try Command("model", "decompile", "Library.momd", in: folder.url)
        #expect(run.status == 2 && run.errors.contains("Library.xcdatamodeld"))
        #expect(try Command("model", "hash", folder.model).output == before)
    }

    @Test("A model that cannot be decompiled is an error that names its file")
    func undecompilableModels() throws {
        _ = try Command("model", "compile", folder.model, in: folder.url)
        let file = folder.url.appending(path: "Library.momd/Library 2.mom")
        var data = try Data(contentsOf: file)
        // The archive says that properties are read-only where it said that they are optional.
        let key = try #require(data.range(of: Data("NSIsOptional".utf8)))
        data.replaceSubrange(key, with: Data("NSIsReadOnly".utf8))
        try data.write(to: file)
        let run = try Command("model", "decompile", "Library.momd", "-o", "Back.xcdatamodeld", in: folder.url)
        #expect(run.status != 0 && run.output.isEmpty)
        #expect(run.errors.contains("Library.momd/Library 2.mom: "), "\(run.errors)")
        #expect(run.errors.contains("a model file cannot hold read-only properties"))
        #expect(!folder.exists("Back.xcdatamodeld"))
    }

    // MARK: check, diff

    @Test("The command check finds nothing in a sound model")
    func checkFindsNothingInASoundModel() throws {
        let run = try Command("model", "check", "--strict", folder.model)
        #expect(run.status == 0, "\(run.output)")
        #expect(run.output == "0 errors, 0 warnings\n")
    }

    /// Compiled models do not say that they are used with CloudKit.
    @Test("The command check applies the rules of CloudKit to every version on request")
    func checkAppliesTheRulesOfCloudKitOnDemandToEveryVersion() throws {
        let compiled = folder.url.appending(path: "Cloud.momd").path
        let mandatory = "<attribute name=\"isbn\" attributeType=\"String\"/>"
        for version in ["One", "Two"] {
            try folder.write(
                """
                <?xml version="1.0" encoding="UTF-8"?>
                <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
                    <entity name="\(version)" representedClassName="\(version)">\(mandatory)</entity>
                </model>
                """, to: "Cloud.xcdatamodeld/\(version).xcdatamodel/contents")
        }
        try folder.write(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict><key>_XCCurrentVersionName</key><string>Two.xcdatamodel</string></dict></plist>
            """, to: "Cloud.xcdatamodeld/.xccurrentversion")
        let source = folder.url.appending(path: "Cloud.xcdatamodeld").path
        #expect(try Command("model", "compile", source, "-o", compiled).status == 0)
        for path in [compiled, source] {
            #expect(try Command("model", "check", path).status == 0)
            let run = try Command("model", "check", "--cloudkit", path)
            #expect(run.status == 1)
            for version in ["One", "Two"] {
                #expect(
                    run.output.contains("\(version).isbn: ")
                        && run.output.contains("[cloudkit-mandatory-attribute-without-default]"))
            }
        }
    }

    @Test("The command check names file, line, entity and property")
    func checkNamesFileEntityAndProperty() throws {
        try folder.write(
            """
            <model documentVersion="1.0">
            <entity name="Book" representedClassName="Book"><attribute name="title" attributeType="String"/>
            <relationship name="author" maxCount="1" destinationEntity="Missing"/></entity>
            </model>
            """, to: "Bad.xcdatamodel/contents")
        let path = folder.url.appending(path: "Bad.xcdatamodel").path
        let run = try Command("model", "check", path)
        #expect(run.status == 1)
        #expect(run.output.contains("\(path)/contents:3: error: Book.author: "))
        #expect(run.output.contains("[missing-destination]"))
        struct Finding: Decodable {
            let code: String
            let severity: String
            let file: String
            let line: Int?
            let entity: String?
            let property: String?
            let message: String
        }
        let findings = try Command("model", "check", "--json", path).json([Finding].self)
        let finding = try #require(findings.first { $0.code == "missing-destination" })
        #expect(finding.severity == "error" && finding.line == 3)
        #expect(
            finding.entity == "Book" && finding.property == "author" && finding.message.contains("Missing"))
    }

    @Test("The command diff prints renamings and whether lightweight migration is possible")
    func diffPrintsRenamingsAndMigration() throws {
        let run = try Command(
            "model", "diff", "--old-version", "Library", folder.model, folder.model)
        #expect(run.status == 1)
        #expect(run.output.contains("~ attribute name (was title)"))
        #expect(run.output.contains("+ attribute pages"))
        #expect(run.output.hasSuffix("Stores have to be migrated; a lightweight migration can do it.\n"))
        let same = try Command("model", "diff", folder.model, folder.model)
        #expect(same.status == 0 && same.output == "The models are equal.\n")
    }

    // MARK: generate

    @Test("The command generate writes files once")
    func generatedFilesAreWrittenOnce() throws {
        let first = try Command("model", "generate", folder.model, "-o", "Classes", in: folder.url)
        #expect(first.status == 0, "\(first.errors)")
        let names = ["Author", "Book"].flatMap {
            ["\($0)+CoreDataClass.swift", "\($0)+CoreDataProperties.swift"]
        }
        #expect(first.output == names.map { "Classes/\($0)\n" }.joined())
        let text = try String(
            contentsOf: folder.url.appending(path: "Classes/Book+CoreDataProperties.swift"), encoding: .utf8)
        #expect(text.contains("public var pages: Int32"))
        let second = try Command("model", "generate", folder.model, "-o", "Classes", in: folder.url)
        #expect(second.status == 0 && second.output.isEmpty)
    }

    @Test("The command port writes ported sources once")
    func portedSourcesAreWritten() throws {
        try folder.write(
            """
            import CoreData
            @objc(Book) class Book: NSManagedObject {
                @NSManaged var title: String?
            }
            """, to: "Apple/Book.swift")
        let run = try Command("port", "Apple", "-o", "Ported", in: folder.url)
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output == "Book.ported.swift\n")
        let text = try String(
            contentsOf: folder.url.appending(path: "Ported/Book.ported.swift"), encoding: .utf8)
        #expect(!text.contains("@NSManaged") && text.contains("title"))
        let again = try Command("model", "port", "Apple", "-o", "Ported", in: folder.url)
        #expect(again.status == 0 && again.output.isEmpty)
    }

    // MARK: Mistakes

    @Test("Each kind of mistake has its exit code")
    func mistakesHaveTheirExitCodes() throws {
        let missing = try Command("model", "show", "Nowhere.momd", in: folder.url)
        #expect(missing.status == 2 && missing.output.isEmpty)
        #expect(missing.errors.hasPrefix("error: ") && missing.errors.contains("Nowhere.momd"))
        let version = try Command("model", "hash", "--version", "Library 7", folder.model)
        #expect(version.status == 2 && version.errors.contains("Library, Library 2"))
        #expect(try Command("model", "show").status == 64)
        #expect(try Command("model", "frobnicate").status == 64)
        try folder.write("not a store", to: "Broken.mom")
        let broken = try Command("model", "show", "Broken.mom", in: folder.url)
        #expect(broken.status == 2 && broken.errors.contains("Broken.mom"))
    }

    @Test("The help of every model command has examples")
    func helpHasExamples() throws {
        for name in ["show", "hash", "check", "diff", "compile", "decompile", "generate", "port"] {
            let run = try Command("help", "model", name)
            #expect(run.status == 0 && run.output.contains("EXAMPLES"), "\(name)")
        }
        #expect(try Command("--generate-completion-script", "bash").output.contains("_coredata"))
    }

    @Test("Output that does not go to a terminal has no colours")
    func outputOtherThanATerminalHasNoColours() throws {
        let run = try Command("model", "diff", "--old-version", "Library", folder.model, folder.model)
        #expect(!run.output.contains("\u{1B}"))
    }
}

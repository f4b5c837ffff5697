import Foundation
import Testing

/// `coredata port`, and the program that the plugin runs.
@Suite struct PortCommandTests {
    private let folder: ModelFolder

    init() throws { folder = try ModelFolder() }

    private struct Report: Decodable {
        struct Diagnostic: Decodable {
            let file: String
            let line: Int
            let column: Int
            let severity: String
            let message: String
        }

        let written: [String]
        let unchanged: [String]
        let removed: [String]
        let diagnostics: [Diagnostic]
    }

    private func ported(_ name: String) throws -> String {
        try String(contentsOf: folder.url.appending(path: "Ported/\(name).ported.swift"), encoding: .utf8)
    }

    @Test("A porting error has its line and exit code", arguments: ["coredata", "CoreDataPorter"])
    func errorsHaveTheirLineAndTheirStatus(
        _ program: String
    ) throws {
        try folder.write("import CoreData\nlet a = #selector(b)\n", to: "Apple/A.swift")
        let run =
            program == "coredata"
            ? try Command("port", "Apple", "-o", "Ported", in: folder.url)
            : try Command("Apple", "Ported", in: folder.url, program: program)
        #expect(run.status == 1)
        #expect(
            run.errors.hasPrefix("\(folder.url.path)/Apple/A.swift:2:9: error: '#selector(b)' names a method")
        )
        #expect(!folder.exists("Ported/A.ported.swift"))
    }

    @Test("The porting report is JSON with written, unchanged and removed files")
    func theReportIsJSON() throws {
        try folder.write("@objc(C) class A: NSObject {}", to: "Apple/A.swift")
        try folder.write("let b = 1", to: "Apple/B.swift")
        let first = try Command("port", "--json", "Apple", "-o", "Ported", in: folder.url)
        #expect(first.status == 0)
        let report = try first.json(Report.self)
        #expect(report.written == ["A.ported.swift", "B.ported.swift"])
        #expect(report.unchanged.isEmpty && report.removed.isEmpty)
        #expect(report.diagnostics.count == 1)
        let warning = try #require(report.diagnostics.first)
        #expect(warning.severity == "warning" && warning.line == 1 && warning.column == 1)
        #expect(warning.file == "\(folder.url.path)/Apple/A.swift")
        #expect(warning.message.hasPrefix("the Objective-C name 'C' is dropped"))

        try folder.write("let b = #selector(c)", to: "Apple/B.swift")
        let second = try Command("port", "--json", "Apple", "-o", "Ported", in: folder.url)
        #expect(second.status == 1)
        #expect(try second.json(Report.self).unchanged == ["A.ported.swift"])
        #expect(try second.json(Report.self).removed == ["B.ported.swift"])
    }

    @Test("The model determines the keys of ported properties", arguments: ["coredata", "CoreDataPorter"])
    func theModelDeterminesKeys(_ program: String) throws {
        // The model's class has a relationship `books`, and no property that begins with a capital letter.
        try folder.write(
            """
            class Author: NSManagedObject {
                @NSManaged var primitiveName: String?
                @NSManaged func addURLsObject(_ value: Book)
            }
            """, to: "Apple/Author.swift")
        try folder.write(
            """
            <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" sourceLanguage="Swift">
                <entity name="Author" representedClassName="App.Author" syncable="YES">
                    <attribute name="primitiveName" optional="YES" attributeType="String"/>
                    <relationship name="URLs" optional="YES" toMany="YES" deletionRule="Nullify" \
            destinationEntity="Author"/>
                </entity>
            </model>
            """, to: "Names.xcdatamodel/contents")
        let arguments = ["Apple", "Ported", "--model", "Names.xcdatamodel"]
        let run =
            program == "coredata"
            ? try Command("port", "Apple", "-o", "Ported", "--model", arguments[3], in: folder.url)
            : try Command(
                arguments[0], arguments[1], arguments[2], arguments[3], in: folder.url, program: program)
        #expect(run.status == 0)
        let text = try ported("Author")
        #expect(text.contains("named: \"URLs\""))
        #expect(text.contains("_ManagedKey<String?>(\"primitiveName\")"))
    }

    @Test("A missing folder, source or model is an error", arguments: ["coredata", "CoreDataPorter"])
    func missingInputs(_ program: String) throws {
        func run(_ sources: String, model: String) throws -> Command {
            program == "coredata"
                ? try Command("port", sources, "-o", "Ported", "--model", model, in: folder.url)
                : try Command(sources, "Ported", "--model", model, in: folder.url, program: program)
        }
        try folder.write("", to: "Empty/Read.me")
        let empty = try run("Empty", model: folder.model)
        #expect(empty.status == 2)
        #expect(empty.errors == "error: The folder '\(folder.url.path)/Empty' has no Swift sources.\n")
        let missing = try run("Missing", model: folder.model)
        #expect(missing.status == 2)
        #expect(missing.errors == "error: There is no folder '\(folder.url.path)/Missing'.\n")
        let noModel = try run("Empty", model: "No.xcdatamodeld")
        #expect(noModel.status == 2)
        #expect(noModel.errors.contains("No.xcdatamodeld"))
    }

    @Test(
        "The plugin's program prints its usage for wrong arguments",
        arguments: [["A"], ["A", "B", "C"], ["A", "--model"], ["A", "B", "--other"]])
    func theProgramOfThePluginPrintsItsUsage(_ arguments: [String]) throws {
        let run = try Command(arguments, in: folder.url, program: "CoreDataPorter")
        #expect(run.status == 64)
        #expect(run.errors == "usage: CoreDataPorter SOURCES DESTINATION [--model MODEL]...\n")
    }
}

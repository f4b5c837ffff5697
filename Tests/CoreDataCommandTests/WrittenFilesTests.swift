import Foundation
import Testing

/// What `coredata model` writes, and what it leaves alone.
@Suite struct WrittenFilesTests {
    private let folder: ModelFolder

    init() throws { folder = try ModelFolder() }

    private struct Written: Decodable {
        let written: [String]
        let unchanged: [String]?
        let kept: [String]?
        let warnings: [String]?
    }

    private func text(_ path: String) throws -> String {
        try String(contentsOf: folder.url.appending(path: path), encoding: .utf8)
    }

    private func names(_ path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.url.appending(path: path).path).sorted()
    }

    // MARK: compile, decompile

    @Test("Compiling replaces nothing but a compiled model")
    func compilingReplacesNothingButACompiledModel() throws {
        let source = "Library.xcdatamodeld"
        let itself = try Command("model", "compile", source, "-o", source, in: folder.url)
        #expect(itself.status == 2 && itself.errors.contains("must not be inside the model"))
        #expect(try names(source) == [".xccurrentversion", "Library 2.xcdatamodel", "Library.xcdatamodel"])
        // A folder with other things, and one with the name of a compiled model.
        try folder.write("precious", to: "build/thesis.txt")
        let inside = try Command("model", "compile", source, "-o", "build", in: folder.url)
        #expect(inside.status == 0 && inside.output == "build/Library.momd\n")
        #expect(try names("build") == ["Library.momd", "thesis.txt"])
        #expect(try names("build/Library.momd") == ["Library 2.mom", "Library.mom", "VersionInfo.plist"])
        try folder.write("precious", to: "Other.momd/thesis.txt")
        let other = try Command("model", "compile", source, "-o", "Other.momd", in: folder.url)
        #expect(other.status == 2)
        #expect(other.errors.contains("Other.momd") && other.errors.contains("'thesis.txt'"))
        #expect(try names("Other.momd") == ["thesis.txt"])
        // A file in the place of a folder, and the other way round.
        try folder.write("precious", to: "File.momd")
        #expect(try Command("model", "compile", source, "-o", "File.momd", in: folder.url).status == 2)
        #expect(try text("File.momd") == "precious")
        let version = "\(source)/Library.xcdatamodel"
        try folder.write("precious", to: "Folder.mom/thesis.txt")
        _ = try Command("model", "compile", version, "-o", "Folder.mom", in: folder.url)
        #expect(try text("Folder.mom/thesis.txt") == "precious")
        // A compiled model.
        try FileManager.default.removeItem(at: folder.url.appending(path: "build/Library.momd/Library.mom"))
        let again = try Command(
            "model", "compile", "--json", source, "-o", "build/Library.momd", in: folder.url)
        #expect(try again.json(Written.self).written == ["build/Library.momd"])
        #expect(try names("build/Library.momd") == ["Library 2.mom", "Library.mom", "VersionInfo.plist"])
        let missing = try Command("model", "compile", source, "-o", "nowhere", in: folder.url)
        #expect(missing.status == 2 && missing.errors.contains("nowhere: "))
    }

    @Test("Decompiling prints the written files as JSON")
    func decompilingPrintsJSON() throws {
        #expect(try Command("model", "compile", folder.model, in: folder.url).status == 0)
        let run = try Command(
            "model", "decompile", "--json", "Library.momd", "-o", "Again.xcdatamodeld", in: folder.url)
        #expect(try run.json(Written.self).written == ["Again.xcdatamodeld"])
        #expect(folder.exists("Again.xcdatamodeld/Library 2.xcdatamodel/contents"))
    }

    // MARK: generate

    @Test("Classes changed by hand are kept unless forced")
    func classesChangedByHandAreKept() throws {
        func run(_ arguments: String...) throws -> Written {
            try Command(
                "model", "generate", "--json", folder.model, "-o", "Classes",
                arguments.first ?? "--style=plain",
                in: folder.url
            ).json(Written.self)
        }
        #expect(try run().written.count == 4)
        let path = "Classes/Book+CoreDataClass.swift"
        let generated = try text(path)
        try folder.write(generated + "// a method of mine\n", to: path)
        try folder.write("// nothing\n", to: "Classes/Book+CoreDataProperties.swift")
        let second = try run()
        #expect(second.kept == [path])
        #expect(second.written == ["Classes/Book+CoreDataProperties.swift"])
        #expect(second.unchanged?.count == 2)
        #expect(try text(path).hasSuffix("// a method of mine\n"))
        let plain = try Command("model", "generate", folder.model, "-o", "Classes", in: folder.url)
        #expect(
            plain.status == 0 && plain.output.isEmpty && plain.errors.contains("\(path) was changed by hand"))
        #expect(try run("--force").written == [path])
        #expect(try text(path) == generated)
    }

    @Test("Classes are generated for the requested version")
    func classesAreForTheRequestedVersion() throws {
        let run = try Command(
            "model", "generate", "--version", "Library", folder.model, "-o", "Old", in: folder.url)
        #expect(run.status == 0, "\(run.errors)")
        let properties = try text("Old/Book+CoreDataProperties.swift")
        #expect(properties.contains("var title: String?") && !properties.contains("pages"))
        let unknown = try Command(
            "model", "generate", "--version", "Library 9", folder.model, "-o", "Old", in: folder.url)
        #expect(unknown.status == 2 && unknown.errors.contains("Library, Library 2"))
    }

    @Test("Classes are generated from a compiled model as well")
    func compiledModelsGiveClassesToo() throws {
        #expect(try Command("model", "compile", folder.model, in: folder.url).status == 0)
        let run = try Command(
            "model", "generate", "--access", "internal", "--style", "apple", "Library.momd", "-o", "Classes",
            in: folder.url)
        #expect(run.status == 0 && run.output.split(separator: "\n").count == 4, "\(run.errors)")
        #expect(
            try text("Classes/Book+CoreDataProperties.swift").contains("    @NSManaged var name: String?"))
        let missing = try Command(
            "model", "generate", "--version", "Library 9", "Library.momd", "-o", "Classes", in: folder.url)
        #expect(missing.status == 2)
    }

    // MARK: Failures

    @Test("An error of the file system names the file")
    func errorsOfTheFileSystemNameTheFile() throws {
        try folder.write("a file", to: "Classes")
        let run = try Command("model", "generate", folder.model, "-o", "Classes", in: folder.url)
        #expect(run.status == 2 && run.errors.contains("/Classes"), "\(run.errors)")
        #expect(try text("Classes") == "a file")
    }

    @Test(
        "Output that cannot be written is a failure",
        .enabled(if: FileManager.default.isWritableFile(atPath: "/dev/full")))
    func outputThatCannotBeWrittenIsAFailure() throws {
        #expect(try Command.status("model", "hash", "--json", folder.model, writingTo: "/dev/full") == 2)
        #expect(try Command.status("model", "hash", "--json", folder.model, writingTo: "/dev/null") == 0)
    }
}

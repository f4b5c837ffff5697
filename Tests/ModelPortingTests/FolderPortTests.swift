import Foundation
import ModelPorting
import Testing

@Suite struct FolderPortTests {
    private let folder: TemporaryFolder
    private var source: URL { folder.url.appendingPathComponent("Sources") }
    private var destination: URL { folder.url.appendingPathComponent("Ported") }

    init() throws { folder = try TemporaryFolder() }

    private func write(_ text: String, _ path: String) throws {
        let file = source.appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    private func read(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: destination.appendingPathComponent(path)), as: UTF8.self)
    }

    @Test("Porting a folder writes only files whose text has changed")
    func onlyWhatHasChangedIsWritten() throws {
        try write("class Book: NSManagedObject {}", "Model/Book.swift")
        try write("extension Book { @NSManaged var a: Int }", "Book+Properties.swift")
        try write("no Swift", "Read.me")
        let port = FolderPort(source, into: destination)

        let first = try port.run()
        #expect(first.written == ["Book+Properties.ported.swift", "Model/Book.ported.swift"])
        #expect(first.unchanged.isEmpty && !first.hasErrors)
        #expect(try read("Model/Book.ported.swift").contains("\\_Object.a"))
        #expect(try read("Model/Book.ported.swift").contains("\"\(source.path)/Model/Book.swift\", line: 1"))
        let files = try FileManager.default.subpathsOfDirectory(atPath: destination.path).sorted()
        #expect(files == ["Book+Properties.ported.swift", "Model", "Model/Book.ported.swift"])

        let second = try port.run()
        #expect(second.written.isEmpty)
        #expect(second.unchanged == first.written)

        try write("extension Book { @NSManaged var b: Int }", "Book+Properties.swift")
        #expect(try port.run().written == first.written)
        try write("let a = 1", "Model/Other.swift")
        #expect(try port.run().written == ["Model/Other.ported.swift"])
    }

    @Test("A source with errors gives no file, and the others are ported")
    func aSourceWithErrorsGivesNoFileAndTheOthersDo() throws {
        try write("let a = #selector(b)", "A.swift")
        try write("let b = 1", "B.swift")
        let outcome = try FolderPort(source, into: destination).run()
        #expect(outcome.hasErrors)
        #expect(outcome.written == ["B.ported.swift"])
        #expect(outcome.diagnostics.map(\.file) == ["\(source.path)/A.swift"])
    }

    @Test("A missing source folder or a destination inside it is an error")
    func foldersThatCannotBePortedAreNamed() throws {
        #expect(throws: FolderPortError.noFolder(source.path)) {
            try FolderPort(source, into: destination).run()
        }
        try write("", "A.swift")
        let inside = source.appendingPathComponent("Ported")
        #expect(throws: FolderPortError.destinationInside(inside.path)) {
            try FolderPort(source, into: inside).run()
        }
        #expect(throws: FolderPortError.noFolder("\(source.path)/A.swift")) {
            try FolderPort(source.appendingPathComponent("A.swift"), into: destination).run()
        }
    }

    @Test("A folder without Swift files is an error")
    func aFolderWithoutSourcesIsNamed() throws {
        try write("no Swift", "Read.me")
        #expect(throws: FolderPortError.noSources(source.path)) {
            try FolderPort(source, into: destination).run()
        }
    }

    @Test("A symbolic link to the source folder is followed")
    func aLinkToTheSourcesIsFollowed() throws {
        try write("#error(\"a\")", "Model/A.swift")
        let link = folder.url.appendingPathComponent("Link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: source)
        #expect(try FolderPort(link, into: destination).run().written == ["Model/A.ported.swift"])
        #expect(try read("Model/A.ported.swift").contains("\"\(link.path)/Model/A.swift\", line: 1"))
        #expect(throws: FolderPortError.destinationInside(source.path + "/Ported")) {
            try FolderPort(link, into: source.appendingPathComponent("Ported")).run()
        }
        #expect(throws: FolderPortError.destinationInside(link.path)) {
            try FolderPort(source, into: link).run()
        }
    }

    @Test("Porting removes files of removed or broken sources, but no others")
    func filesOfRemovedSources() throws {
        for name in ["A", "Model/B", "C"] { try write("let a = 1", "\(name).swift") }
        let port = FolderPort(source, into: destination)
        #expect(try port.run().removed.isEmpty)
        for name in ["Own.swift", "Own.ported.swift"] {
            try Data("let a = 1".utf8).write(to: destination.appendingPathComponent(name))
        }
        try FileManager.default.removeItem(at: source.appendingPathComponent("Model/B.swift"))
        try write("let a = #selector(b)", "C.swift")

        let second = try port.run()
        #expect(second.removed == ["C.ported.swift", "Model/B.ported.swift"])
        #expect(second.unchanged == ["A.ported.swift"])
        let left = try FileManager.default.subpathsOfDirectory(atPath: destination.path).sorted()
        #expect(left == ["A.ported.swift", "Model", "Own.ported.swift", "Own.swift"])
    }

    @Test("Symbolic links inside the source folder are not followed")
    func linksToFoldersAreNotFollowed() throws {
        try write("let a = 1", "A.swift")
        try FileManager.default.createSymbolicLink(
            at: source.appendingPathComponent("Loop"), withDestinationURL: source)
        #expect(try FolderPort(source, into: destination).run().written == ["A.ported.swift"])
    }
}

/// A folder that is removed with its owner.
private final class TemporaryFolder: Sendable {
    let url: URL

    init() throws {
        url =
            FileManager.default.temporaryDirectory.appendingPathComponent("Port-\(UUID().uuidString)")
            .standardizedFileURL
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}

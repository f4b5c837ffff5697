import Foundation
import ModelTools
import Testing

@testable import ModelEditor

/// Models that are not in the files that Xcode writes today: of Xcode 3, which are edited, and compiled ones, which are
/// shown.
@Suite struct OldModelTests {
    /// A folder that is there while a test runs.
    private final class Folder {
        let url = FileManager.default.temporaryDirectory.appending(path: "OldModelTests-\(UUID().uuidString)")

        init() throws {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        }

        deinit { try? FileManager.default.removeItem(at: url) }

        /// Makes a version of Xcode 3.
        func makeOld(_ path: String, _ entities: [(String, [String])] = [("Book", ["title"])]) throws -> URL {
            let version = url.appending(path: path)
            try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
            try ElementsArchive.data(entities).write(to: version.appending(path: "elements"))
            try Data("the diagram".utf8).write(to: version.appending(path: "layout"))
            return version
        }
    }

    private static let entity = ModelEdit.add(kind: "entity", in: [])

    private func entities(_ url: URL) throws -> [String] {
        try NSManagedObjectModel(loading: url).entities.compactMap(\.name)
    }

    // MARK: Xcode 3

    @Test("An Xcode 3 model is shown, and saving without edits writes nothing")
    func aModelOfXcode3IsShown() async throws {
        let folder = try Folder()
        let url = try folder.makeOld("Library.xcdatamodel")
        let document = try ModelDocument(opening: url)
        let view = try await document.view()
        #expect(view.version == "Library" && view.versions.map(\.problem) == [nil])
        #expect(view.notices.contains { $0.contains("Xcode 3") })
        let book = try #require(view.root.children.first)
        #expect(book.kind == "entity" && book.settings == ["name": "Book", "syncable": "YES"])
        #expect(
            book.children.map(\.settings) == [
                ["name": "title", "attributeType": "String", "syncable": "YES"]
            ]
        )
        // Unedited elements are not written.
        try await document.save()
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() == ["elements", "layout"])
        #expect(await document.changedOnDisk(isThorough: true) == [])
    }

    @Test("An edited Xcode 3 model is saved as a contents file beside the old ones")
    func aChangeIsWrittenAsTodaysFileAndTheOldOnesStay() async throws {
        let folder = try Folder()
        let url = try folder.makeOld("Library.xcdatamodel")
        let elements = try Data(contentsOf: url.appending(path: "elements"))
        let document = try ModelDocument(opening: url)
        try await document.perform(Self.entity, in: "Library")
        try await document.save()
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
                == ["contents", "elements", "layout"])
        #expect(try Data(contentsOf: url.appending(path: "elements")) == elements)
        #expect(try Data(contentsOf: url.appending(path: "layout")) == Data("the diagram".utf8))
        #expect(await document.changedOnDisk(isThorough: true) == [])
        #expect(try await document.view().notices == [])
        #expect(try entities(url) == ["Book", "Entity"])
        let text = String(decoding: try Data(contentsOf: url.appending(path: "contents")), as: UTF8.self)
        #expect(text.contains(#"<attribute name="title" attributeType="String" syncable="YES"/>"#))
        // Undo leads back to what the old file says, in the form of today.
        #expect(await document.undo() == "Library")
        try await document.save()
        #expect(try entities(url) == ["Book"])
        let again = try ModelDocument(opening: url)
        #expect(try await again.view().notices == [])
    }

    @Test("Changes of an Xcode 3 model by another program are noticed and merged")
    func changesByOthers() async throws {
        let folder = try Folder()
        let url = try folder.makeOld("Library.xcdatamodel")
        let document = try ModelDocument(opening: url)
        _ = try folder.makeOld("Library.xcdatamodel", [("Book", []), ("Page", ["number"])])
        #expect(await document.changedOnDisk() == ["Library"])
        try await document.perform(Self.entity, in: "Library")
        await #expect(throws: ModelDocument.DiskChanged.self) { try await document.save() }
        try await document.merge([:])
        try await document.save()
        #expect(try entities(url).sorted() == ["Book", "Entity", "Page"])
        #expect(try NSManagedObjectModel(loading: url).entitiesByName["Book"]?.properties.count == 0)
        // Another program may have made today's file of it.
        let other = try folder.makeOld("Other.xcdatamodel")
        let second = try ModelDocument(opening: other)
        try Data("<model><entity name=\"New\"/></model>".utf8).write(to: other.appending(path: "contents"))
        #expect(await second.changedOnDisk() == ["Other"])
        try await second.reload()
        #expect(try await second.view().root.children.map { $0.settings["name"] } == ["New"])
    }

    @Test("A model may have versions of Xcode 3 and of today")
    func versionsOfBothKindsAreInOneModel() async throws {
        let folder = try Folder()
        _ = try folder.makeOld("Library.xcdatamodeld/Library.xcdatamodel")
        let url = folder.url.appending(path: "Library.xcdatamodeld")
        let document = try ModelDocument(opening: url)
        try await document.addVersion(named: "Library 2", from: "Library")
        try await document.perform(Self.entity, in: "Library 2")
        try await document.setCurrentVersion("Library 2")
        try await document.save()
        #expect(try entities(url) == ["Book", "Entity"])
        let first = url.appending(path: "Library.xcdatamodel")
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: first.path).sorted() == [
                "elements", "layout",
            ])
        #expect(try await document.view(of: "Library").notices.count == 1)
        #expect(try await document.view(of: "Library 2").notices == [])
    }

    @Test("An Xcode 3 version that is a link or damaged is a problem of that version")
    func aLinkOrWhatCannotBeReadIsAProblem() async throws {
        let folder = try Folder()
        _ = try folder.makeOld("Library.xcdatamodeld/Library.xcdatamodel")
        let linked = try folder.makeOld("Library.xcdatamodeld/Linked.xcdatamodel")
        let broken = try folder.makeOld("Library.xcdatamodeld/Broken.xcdatamodel")
        try Data("bplist00".utf8).write(to: broken.appending(path: "elements"))
        let outside = folder.url.appending(path: "outside")
        try FileManager.default.moveItem(at: linked.appending(path: "elements"), to: outside)
        try FileManager.default.createSymbolicLink(
            at: linked.appending(path: "elements"), withDestinationURL: outside)
        let document = try ModelDocument(opening: folder.url.appending(path: "Library.xcdatamodeld"))
        let problems = try await document.view().versions.map(\.problem)
        #expect(problems.count == 3 && problems[1] == nil)
        #expect(problems[0]?.contains("elements") == true && problems[0]?.contains("damaged") == true)
        #expect(problems[2]?.contains("link") == true)
    }

    // MARK: Compiled models

    /// A compiled model with two versions, of which the second is the current one.
    private func makeCompiled(_ folder: Folder) throws -> URL {
        func model(_ names: String...) throws -> NSManagedObjectModel {
            try NSManagedObjectModel(
                tree: TestModel.tree(names.map { "<entity name=\"\($0)\"/>" }.joined()))
        }
        let url = folder.url.appending(path: "Library.momd")
        try CompiledModelFolder.write(
            [("Library", try model("Book")), ("Library 2", try model("Book", "Page"))],
            currentVersion: "Library 2", to: url)
        return url
    }

    @Test("A compiled model is shown with its versions")
    func aCompiledModelIsShown() async throws {
        let folder = try Folder()
        let url = try makeCompiled(folder)
        let document = try ModelDocument(opening: url)
        let view = try await document.view()
        #expect(view.name == "Library.momd" && view.version == "Library 2" && !view.isVersioned)
        #expect(view.versions.map(\.name) == ["Library", "Library 2"])
        #expect(view.versions.map(\.isCurrent) == [false, true])
        #expect(view.root.children.map { $0.settings["name"] } == ["Book", "Page"])
        #expect(view.notices.contains { $0.contains("`coredata model decompile Library.momd`") })
        let single = try ModelDocument(opening: url.appending(path: "Library.mom"))
        #expect(try await single.view().root.children.map { $0.settings["name"] } == ["Book"])
    }

    @Test("A compiled model cannot be edited")
    func aCompiledModelIsNotEdited() async throws {
        let folder = try Folder()
        let url = try makeCompiled(folder)
        let document = try ModelDocument(opening: url)
        let before = try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
        await #expect(throws: EditError.self) { try await document.perform(Self.entity, in: "Library") }
        await #expect(throws: EditError.self) { try await document.addVersion(named: "L", from: "Library") }
        await #expect(throws: EditError.self) { try await document.renameVersion("Library", to: "L") }
        await #expect(throws: EditError.self) { try await document.removeVersion("Library") }
        await #expect(throws: EditError.self) { try await document.merge([:], keeping: ["Library"]) }
        let error = await #expect(throws: EditError.self) { try await document.setCurrentVersion("Library") }
        #expect(error?.detail.contains("coredata model decompile") == true)
        #expect(await !document.isEdited)
        #expect(await document.undoTitle == nil)
        try await document.save()
        #expect(try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() == before)
    }

    @Test("A recompiled model is noticed and reloaded")
    func aCompiledModelThatIsMadeAnewIsShownAnew() async throws {
        let folder = try Folder()
        let url = try makeCompiled(folder)
        let document = try ModelDocument(opening: url)
        let other = try NSManagedObjectModel(tree: TestModel.tree("<entity name=\"Shelf\"/>"))
        try other.compiledData().write(to: url.appending(path: "Library 2.mom"))
        #expect(await document.changedOnDisk() == ["Library 2"])
        try await document.reload()
        #expect(try await document.view().root.children.map { $0.settings["name"] } == ["Shelf"])
        #expect(await document.changedOnDisk(isThorough: true) == [])
    }

    @Test("Other files are refused with the supported forms")
    func otherFilesAreRefused() throws {
        let folder = try Folder()
        for name in ["Library.txt", "Library.omo", "Library"] {
            let error = #expect(throws: ModelFileError.self) {
                try ModelDocument(opening: folder.url.appending(path: name))
            }
            #expect(error?.reason == .unsupportedForm && error?.detail.contains(".momd") == true)
        }
        #expect(throws: ModelFileError.self) {
            try ModelDocument(opening: folder.url.appending(path: "None.momd"))
        }
    }
}

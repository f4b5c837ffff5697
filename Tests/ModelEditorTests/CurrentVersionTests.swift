import Foundation
import ModelTools
import Testing

@testable import ModelEditor

/// What says which version is the current one: it names a version that is there, or is mended.
@Suite struct CurrentVersionTests {
    /// A model with the versions `Library`, the current one, and `Library 2`.
    private func makeModel() async throws -> TestModel {
        let model = try TestModel()
        try await model.document.addVersion(named: "Library 2", from: "Library")
        return model
    }

    private func marker(_ model: TestModel) -> URL { model.url.appendingPathComponent(".xccurrentversion") }

    private func write(_ name: String, _ model: TestModel) throws {
        try CurrentVersionMarker(versionFolderName: "\(name).xcdatamodel").data.write(to: marker(model))
    }

    @Test(
        "A model without a valid marker opens at a version, and saving repairs the marker",
        arguments: ["gone", "broken", "missing"])
    func invalidMarkerIsRepaired(_ how: String) async throws {
        let model = try await makeModel()
        switch how {
        case "gone": try write("Gone", model)
        case "broken": try Data("<plist".utf8).write(to: marker(model))
        default:
            // Without a version that is called as the folder, the last one is taken.
            try FileManager.default.removeItem(at: marker(model))
            try FileManager.default.moveItem(
                at: model.url.appendingPathComponent("Library.xcdatamodel"),
                to: model.url.appendingPathComponent("Library 3.xcdatamodel"))
        }
        #expect(throws: ModelFileError.self) { try XcodeModelFile(url: model.url) }
        let document = try ModelDocument(opening: model.url)
        let taken = how == "missing" ? "Library 3" : "Library"
        #expect(await document.currentVersion == taken)
        #expect(await document.isEdited)
        let notice = try #require(try await document.view().notices.first)
        #expect(notice.contains("'\(taken)' is used as the current version"))
        if how == "gone" { #expect(notice.contains("'Gone.xcdatamodel' is not there")) }
        // A state that has existed from the beginning is not a change.
        #expect(await document.changedOnDisk(isThorough: true) == [])
        try await document.save()
        #expect(try XcodeModelFile(url: model.url).currentVersion.name == taken)
        #expect(await !document.isEdited)
        #expect(try await document.view().notices == [])
    }

    @Test("Renaming the current version repairs an invalid marker")
    func theCurrentVersionGetsAnotherNameWhereThatWasUnclear() async throws {
        let model = try await makeModel()
        try write("Gone", model)
        let document = try ModelDocument(opening: model.url)
        try await document.renameVersion("Library", to: "Shelf")
        try await document.save()
        let file = try XcodeModelFile(url: model.url)
        #expect(file.currentVersion.name == "Shelf")
        #expect(file.versions.map(\.name) == ["Library 2", "Shelf"])
    }

    @Test("Adding a version repairs an invalid marker")
    func anAddedVersionLeavesItClear() async throws {
        let model = try await makeModel()
        try write("Gone", model)
        let document = try ModelDocument(opening: model.url)
        try await document.addVersion(named: "Library 3", from: "Library 2")
        #expect(try XcodeModelFile(url: model.url).currentVersion.name == "Library")
        #expect(try await document.view().notices == [])
        #expect(await !document.isEdited)
    }

    @Test(
        "A marker broken while the model is open is repaired, but a link is not written to",
        arguments: [false, true])
    func markerBrokenWhileOpen(isLink: Bool) async throws {
        let model = try await makeModel()
        let document = model.document
        try await document.setCurrentVersion("Library 2")
        try await document.save()
        if isLink {
            try FileManager.default.removeItem(at: marker(model))
            try FileManager.default.createSymbolicLink(
                at: marker(model), withDestinationURL: model.contents())
        } else {
            try Data("junk".utf8).write(to: marker(model))
        }
        #expect(await document.changedOnDisk() == [".xccurrentversion"])
        try await document.perform(.add(kind: "entity", in: []), in: "Library")
        await #expect(throws: ModelDocument.DiskChanged.self) { try await document.save() }
        guard !isLink else {
            // A link is nothing that is written over.
            await #expect(throws: ModelFileError.self) { try await document.merge([:]) }
            return
        }
        let preview = try await document.previewMerge()
        #expect(preview.unclear?.contains(".xccurrentversion") == true && preview.currentVersion == nil)
        try await document.merge([:], basis: preview.basis)
        // It stays the version that it was.
        #expect(await document.currentVersion == "Library 2")
        try await document.save()
        #expect(try XcodeModelFile(url: model.url).currentVersion.name == "Library 2")
        #expect(try await ModelDocument(opening: model.url).tree(of: "Library").children.count == 1)
    }

    @Test("A marker that another program repaired is noticed and adopted")
    func markerRepairedByOthers() async throws {
        let model = try await makeModel()
        try write("Gone", model)
        let document = try ModelDocument(opening: model.url)
        try write("Library 2", model)
        #expect(await document.changedOnDisk() == [".xccurrentversion"])
        try await document.merge([:])
        #expect(await document.currentVersion == "Library 2")
        #expect(await !document.isEdited)
    }

    @Test("Renaming a version keeps a folder of the old or the new name at all times")
    func aFolderOfTheOldOrTheNewNameIsThereAtAllTimes() async throws {
        let model = try TestModel()
        let (old, new) = (model.contents(), model.contents("Shelf"))
        let note = old.deletingLastPathComponent().appendingPathComponent("note")
        try Data("kept".utf8).write(to: note)
        var version = DocumentVersion(
            try XcodeModelFile(url: model.url).currentVersion, below: model.url)
        struct Refused: Error {}
        #expect(throws: Refused.self) {
            try version.replaceFolder(named: "Shelf") {
                #expect(FileManager.default.fileExists(atPath: old.path))
                #expect(FileManager.default.fileExists(atPath: new.path))
                throw Refused()
            }
        }
        #expect(FileManager.default.fileExists(atPath: old.path))
        #expect(!FileManager.default.fileExists(atPath: new.deletingLastPathComponent().path))
        #expect(version.savedName == "Library")
        try version.replaceFolder(named: "Shelf") {}
        #expect(!FileManager.default.fileExists(atPath: old.deletingLastPathComponent().path))
        let moved = new.deletingLastPathComponent().appendingPathComponent("note")
        #expect(try String(contentsOf: moved, encoding: .utf8) == "kept")
        #expect(version.savedName == "Shelf" && !version.isChangedOnDisk(isThorough: false))
    }

    @Test("Undoing the removal of a version restores small files of its folder")
    func filesOfARemovedVersionComeBack() async throws {
        let model = try await makeModel()
        let folder = model.url.appendingPathComponent("Library 2.xcdatamodel")
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("inner"), withIntermediateDirectories: false)
        try Data("a".utf8).write(to: folder.appendingPathComponent("layout"))
        try Data("b".utf8).write(to: folder.appendingPathComponent("inner/note"))
        try FileManager.default.createSymbolicLink(
            at: folder.appendingPathComponent("link"), withDestinationURL: model.contents())
        let document = model.document
        try await document.removeVersion("Library 2")
        try await document.save()
        #expect(!FileManager.default.fileExists(atPath: folder.path))
        #expect(await document.undo() == "Library 2")
        try await document.save()
        #expect(
            try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted() == [
                "contents", "inner", "inner/note", "layout",
            ])
        #expect(try Data(contentsOf: folder.appendingPathComponent("inner/note")) == Data("b".utf8))
        // Not more than is said is kept.
        let big = FolderFiles.maxBytes + 1
        try Data(count: big).write(to: folder.appendingPathComponent("big"))
        try await document.removeVersion("Library 2")
        try await document.save()
        _ = await document.undo()
        try await document.save()
        #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("big").path))
        #expect(FileManager.default.fileExists(atPath: folder.appendingPathComponent("layout").path))
    }
}

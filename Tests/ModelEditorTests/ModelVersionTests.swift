import Foundation
import ModelTools
import Testing

@testable import ModelEditor

/// Versions get other names, and go: in the document, with undo, and on disk.
@Suite struct ModelVersionTests {
    /// A model with the versions `Library`, the current one, and `Library 2` with one entity.
    private func makeModel() async throws -> TestModel {
        let model = try TestModel()
        try await model.document.addVersion(named: "Library 2", from: "Library")
        try await model.document.perform(.add(kind: "entity", in: []), in: "Library 2")
        try await model.document.save()
        return model
    }

    private func names(_ document: ModelDocument) async throws -> [String] {
        try await document.view().versions.map(\.name)
    }

    private func onDisk(_ model: TestModel) throws -> [String] {
        let file = try XcodeModelFile(url: model.url)
        let hidden = try FileManager.default.contentsOfDirectory(atPath: model.url.path)
            .filter { !file.versions.map(\.url.lastPathComponent).contains($0) }
        #expect(hidden == [".xccurrentversion"])
        return file.versions.map { $0.name + ($0 == file.currentVersion ? "*" : "") }
    }

    @Test("A version is renamed on disk by the next save, and undo reverts it")
    func aVersionIsRenamedWithTheNextSave() async throws {
        let model = try await makeModel()
        let document = model.document
        let before = try Data(contentsOf: model.contents())
        try await document.renameVersion("Library", to: "Shelf")
        #expect(try await names(document) == ["Library 2", "Shelf"])
        #expect(await document.currentVersion == "Shelf")
        #expect(await document.isEdited)
        #expect(await document.undoTitle == "Rename of a version")
        #expect(try onDisk(model) == ["Library*", "Library 2"])
        try await document.save()
        #expect(await !document.isEdited)
        #expect(await document.changedOnDisk(isThorough: true) == [])
        #expect(try onDisk(model) == ["Library 2", "Shelf*"])
        #expect(try Data(contentsOf: model.contents("Shelf")) == before)
        // Undo goes back over the save.
        #expect(await document.undo() == "Library")
        try await document.save()
        #expect(try onDisk(model) == ["Library*", "Library 2"])
        #expect(await document.redo() == "Shelf")
        try await document.perform(.add(kind: "entity", in: []), in: "Shelf")
        try await document.save()
        #expect(try onDisk(model) == ["Library 2", "Shelf*"])
        #expect(try ModelElement(xml: Data(contentsOf: model.contents("Shelf"))).children.count == 1)
    }

    @Test("Two versions exchange their names")
    func namesAreExchanged() async throws {
        let model = try await makeModel()
        let document = model.document
        try await document.renameVersion("Library", to: "Other")
        try await document.renameVersion("Library 2", to: "Library")
        try await document.renameVersion("Other", to: "Library 2")
        try await document.save()
        #expect(try onDisk(model) == ["Library", "Library 2*"])
        #expect(try ModelElement(xml: Data(contentsOf: model.contents("Library"))).children.count == 1)
        #expect(try ModelElement(xml: Data(contentsOf: model.contents("Library 2"))).children.count == 0)
        #expect(await document.changedOnDisk(isThorough: true) == [])
    }

    @Test("An invalid or existing name of a version is refused")
    func invalidNamesAreRefused() async throws {
        let model = try await makeModel()
        for name in ["Library 2", "", ".hidden", "a/b", String(repeating: "x", count: 300)] {
            await #expect(throws: EditError.self, "\(name)") {
                try await model.document.renameVersion("Library", to: name)
            }
        }
        await #expect(throws: EditError.self) { try await model.document.renameVersion("None", to: "X") }
        #expect(await !model.document.isEdited)
    }

    @Test("A version is removed from disk by the next save, and undo restores it")
    func aVersionIsRemovedWithTheNextSave() async throws {
        let model = try await makeModel()
        let document = model.document
        let before = try Data(contentsOf: model.contents("Library 2"))
        try await document.removeVersion("Library 2")
        #expect(try await names(document) == ["Library"])
        #expect(await document.isEdited)
        #expect(await document.changedOnDisk(isThorough: true) == [])
        #expect(try onDisk(model) == ["Library*", "Library 2"])
        _ = await document.undo()
        #expect(await !document.isEdited)
        _ = await document.redo()
        try await document.save()
        #expect(try onDisk(model) == ["Library*"])
        #expect(await !document.isEdited)
        // What was saved is undone, too: the folder is written anew.
        #expect(await document.undo() == "Library 2")
        #expect(await document.isEdited)
        #expect(await document.changedOnDisk(isThorough: true) == [])
        try await document.save()
        #expect(try onDisk(model) == ["Library*", "Library 2"])
        #expect(try Data(contentsOf: model.contents("Library 2")) == before)
        #expect(await document.changedOnDisk(isThorough: true) == [])
    }

    @Test("The current version is removed only if another becomes current")
    func theCurrentVersionIsRemovedForAnotherOnly() async throws {
        let model = try await makeModel()
        let document = model.document
        let refused = await #expect(throws: EditError.self) { try await document.removeVersion("Library") }
        #expect(refused?.setting == "current")
        await #expect(throws: EditError.self) {
            try await document.removeVersion("Library", makingCurrent: "Library")
        }
        try await document.removeVersion("Library", makingCurrent: "Library 2")
        #expect(await document.currentVersion == "Library 2")
        await #expect(throws: EditError.self) { try await document.removeVersion("Library 2") }
        try await document.save()
        #expect(try onDisk(model) == ["Library 2*"])
        _ = await document.undo()
        #expect(await document.currentVersion == "Library")
        try await document.save()
        #expect(try onDisk(model) == ["Library*", "Library 2"])
    }

    /// The version that came back is written before the one goes that was the current one meanwhile.
    @Test("Undo restores the current version while the other one is removed")
    func theCurrentVersionComesBackWhileTheOtherIsRemoved() async throws {
        let model = try await makeModel()
        let document = model.document
        try await document.removeVersion("Library", makingCurrent: "Library 2")
        try await document.save()
        #expect(try onDisk(model) == ["Library 2*"])
        _ = await document.undo()
        #expect(await document.currentVersion == "Library")
        try await document.removeVersion("Library 2")
        try await document.save()
        #expect(try onDisk(model) == ["Library*"])
        _ = await document.undo()
        try await document.save()
        #expect(try onDisk(model) == ["Library*", "Library 2"])
    }

    /// The same where the other has taken its name.
    @Test("Undo restores the current version after another took its name")
    func theCurrentVersionComesBackAsTheOtherHasItsName() async throws {
        let model = try await makeModel()
        let document = model.document
        try await document.removeVersion("Library", makingCurrent: "Library 2")
        try await document.save()
        try await document.renameVersion("Library 2", to: "Library")
        try await document.save()
        #expect(try onDisk(model) == ["Library*"])
        #expect(try ModelElement(xml: Data(contentsOf: model.contents())).children.count == 1)
        _ = await document.undo()
        _ = await document.undo()
        try await document.removeVersion("Library 2")
        try await document.save()
        #expect(try onDisk(model) == ["Library*"])
        #expect(try ModelElement(xml: Data(contentsOf: model.contents())).children.count == 0)
    }

    @Test("A version may take the name of a removed one")
    func aVersionTakesTheNameOfARemovedOne() async throws {
        let model = try await makeModel()
        let document = model.document
        try await document.removeVersion("Library", makingCurrent: "Library 2")
        try await document.renameVersion("Library 2", to: "Library")
        try await document.save()
        #expect(try onDisk(model) == ["Library*"])
        #expect(try ModelElement(xml: Data(contentsOf: model.contents())).children.count == 1)
        _ = await document.undo()
        _ = await document.undo()
        try await document.save()
        #expect(try onDisk(model) == ["Library*", "Library 2"])
        #expect(try ModelElement(xml: Data(contentsOf: model.contents())).children.count == 0)
        #expect(try ModelElement(xml: Data(contentsOf: model.contents("Library 2"))).children.count == 1)
    }

    @Test("A restored version whose name is taken gets another name")
    func restoredVersionGetsAFreeName() async throws {
        let model = try await makeModel()
        let document = model.document
        try await document.removeVersion("Library 2")
        try await document.save()
        try await document.addVersion(named: "Library 2", from: "Library")
        _ = await document.undo()
        #expect(try await names(document) == ["Library", "Library 2", "Library 2 2"])
        try await document.save()
        #expect(try onDisk(model) == ["Library*", "Library 2", "Library 2 2"])
        #expect(try ModelElement(xml: Data(contentsOf: model.contents("Library 2 2"))).children.count == 1)
    }

    @Test("A version that another program changed is not removed")
    func changedVersionIsNotRemoved() async throws {
        let model = try await makeModel()
        let document = model.document
        try await document.removeVersion("Library 2")
        let theirs = try TestModel.tree("<entity name=\"Theirs\"/>")
        try theirs.xml().write(to: model.contents("Library 2"))
        #expect(await document.changedOnDisk(isThorough: true) == ["Library 2"])
        await #expect(throws: ModelDocument.DiskChanged.self) { try await document.save() }
        #expect(try await document.previewMerge().added == ["Library 2"])
        try await document.merge([:])
        #expect(try await names(document) == ["Library", "Library 2"])
        #expect(try await document.tree(of: "Library 2").children.first?["name"] == "Theirs")
        #expect(await !document.isEdited)
    }

    @Test("A merge keeps the new name of a version")
    func aMergeKeepsANewName() async throws {
        let model = try await makeModel()
        let document = model.document
        try await document.renameVersion("Library 2", to: "Next")
        let theirs = try TestModel.tree("<entity name=\"Theirs\"/>")
        try theirs.xml().write(to: model.contents())
        let preview = try await document.previewMerge()
        #expect(preview.versions.map(\.name) == ["Library"] && preview.added == [] && preview.removed == [])
        try await document.merge([:])
        try await document.save()
        #expect(try onDisk(model) == ["Library*", "Next"])
    }

    @Test("A new name that another program took meanwhile is reverted")
    func newNameTakenByOthers() async throws {
        let model = try await makeModel()
        let document = model.document
        try await document.renameVersion("Library 2", to: "Next")
        var file = try XcodeModelFile(url: model.url)
        try file.addVersion(named: "Next", contents: ModelElement("model"))
        await #expect(throws: ModelDocument.DiskChanged.self) { try await document.save() }
        try await document.merge([:])
        #expect(try await names(document) == ["Library", "Library 2", "Next"])
        #expect(await !document.isEdited)
    }

    @Test("A single model has no versions to rename or remove")
    func aSingleModelHasNoVersions() async throws {
        let model = try TestModel()
        let document = try ModelDocument(opening: model.url.appendingPathComponent("Library.xcdatamodel"))
        await #expect(throws: EditError.self) { try await document.renameVersion("Library", to: "X") }
        await #expect(throws: EditError.self) { try await document.removeVersion("Library") }
    }
}

import Foundation
import ModelTools
import Testing

@testable import ModelEditor

/// Documents: undo, save, versions, files that others change.
@Suite struct ModelDocumentTests {
    @Test("A new model has one version without entities, and does not replace a file")
    func aNewModelHasNoEntitiesAndIsSaved() async throws {
        let model = try TestModel()
        let view = try await model.document.view()
        #expect(view.root.children.isEmpty && !view.isEdited && view.undo == nil)
        #expect(view.versions == [.init(name: "Library", isCurrent: true, isEdited: false, problem: nil)])
        #expect(throws: ModelFileError.self) { try ModelDocument.create(at: model.url) }
    }

    @Test("Undo and redo go through all states of the model")
    func undoAndRedoGoThroughTheStates() async throws {
        let model = try TestModel()
        let document = model.document
        var states: [ModelElement] = [try await document.tree(of: "Library")]
        for edit: ModelEdit in [
            .add(kind: "entity", in: []), .rename(at: [0], to: "Book"), .add(kind: "attribute", in: [0]),
            .setType(at: [0, 0], type: "String", composite: nil),
        ] {
            try await document.perform(edit, in: "Library")
            states.append(try await document.tree(of: "Library"))
        }
        #expect(await document.undoTitle == "Change of the type")
        for state in states.dropLast().reversed() {
            #expect(await document.undo() == "Library")
            #expect(try await document.tree(of: "Library").isIdentical(to: state))
        }
        #expect(await document.undo() == nil)
        #expect(await !document.isEdited)
        for state in states.dropFirst() {
            #expect(await document.redo() == "Library")
            #expect(try await document.tree(of: "Library").isIdentical(to: state))
        }
        #expect(await document.redo() == nil)
        _ = await document.undo()
        try await document.perform(.add(kind: "relationship", in: [0]), in: "Library")
        #expect(await document.redo() == nil)
    }

    @Test("An edit that changes nothing adds no step")
    func unchangingEditAddsNoStep() async throws {
        let document = try TestModel().document
        try await document.perform(.add(kind: "entity", in: []), in: "Library")
        let revision = await document.revision
        try await document.perform(.rename(at: [0], to: "Entity"), in: "Library")
        #expect(await document.revision == revision)
    }

    @Test("An edit based on an old revision is refused")
    func aPageThatHasNotSeenTheLastChangeIsRefused() async throws {
        let document = try TestModel().document
        try await document.perform(.add(kind: "entity", in: []), in: "Library", seen: 1)
        await #expect(throws: ModelDocument.StaleRevision.self) {
            try await document.perform(.add(kind: "entity", in: []), in: "Library", seen: 1)
        }
    }

    @Test("Saving writes Xcode's form, and the same bytes after undo")
    func savingWritesWhatXcodeWould() async throws {
        let model = try TestModel()
        try await model.document.perform(.add(kind: "entity", in: []), in: "Library")
        #expect(await model.document.isEdited)
        try await model.document.save()
        #expect(await !model.document.isEdited)
        let text = try String(contentsOf: model.contents(), encoding: .utf8)
        #expect(
            text.hasSuffix(
                """
                \n    <entity name="Entity" representedClassName="Entity" syncable="YES" codeGenerationType="class"/>
                </model>
                """))
        // Undone and saved again, the file has the bytes that it had.
        let reopened = try ModelDocument(opening: model.url)
        try await reopened.perform(.rename(at: [0], to: "Book"), in: "Library")
        try await reopened.save()
        _ = await reopened.undo()
        #expect(await reopened.isEdited)
        try await reopened.save()
        #expect(try String(contentsOf: model.contents(), encoding: .utf8) == text)
    }

    @Test("A version is added and made current, and invalid names are refused")
    func versionsAreAddedAndMadeCurrent() async throws {
        let model = try TestModel()
        let document = model.document
        try await document.perform(.add(kind: "entity", in: []), in: "Library")
        try await document.addVersion(named: "Library 2", from: "Library")
        #expect(try await document.tree(of: "Library 2").children(named: "entity").count == 1)
        #expect(try XcodeModelFile(url: model.url).versions.map(\.name) == ["Library", "Library 2"])
        #expect(try XcodeModelFile(url: model.url).currentVersion.name == "Library")
        for name in ["Library 2", "../x", ".x", "", String(repeating: "x", count: 300)] {
            await #expect(throws: EditError.self, "\(name)") {
                try await document.addVersion(named: name, from: "Library")
            }
        }
        await #expect(throws: EditError.self) { try await document.addVersion(named: "3", from: "None") }

        try await document.setCurrentVersion("Library 2")
        #expect(await document.isEdited)
        #expect(try XcodeModelFile(url: model.url).currentVersion.name == "Library")
        try await document.save()
        #expect(try XcodeModelFile(url: model.url).currentVersion.name == "Library 2")
        _ = await document.undo()
        #expect(await document.currentVersion == "Library")
        try await document.save()
        #expect(try XcodeModelFile(url: model.url).currentVersion.name == "Library")
    }

    @Test("A file that another program changed is merged, not overwritten")
    func aFileThatOthersChangedIsNotOverwritten() async throws {
        let model = try TestModel()
        let document = model.document
        try await document.perform(.add(kind: "entity", in: []), in: "Library")
        try await document.save()
        #expect(await document.changedOnDisk() == [])
        let text = try String(contentsOf: model.contents(), encoding: .utf8)
        let theirs = text.replacing(
            #"codeGenerationType="class"/>"#,
            with: #"codeGenerationType="category"><attribute name="theirs"/></entity>"#)
        try Data(theirs.utf8).write(to: model.contents())
        try await document.perform(.add(kind: "attribute", in: [0]), in: "Library")
        try await document.perform(.set(at: [0], setting: "codeGenerationType", value: nil), in: "Library")
        #expect(await document.changedOnDisk() == ["Library"])
        await #expect(throws: ModelDocument.DiskChanged.self) { try await document.save() }
        #expect(try String(contentsOf: model.contents(), encoding: .utf8) == theirs)

        let preview = try await document.previewMerge()
        let conflict = try #require(preview.versions.first?.differences.first { $0.isConflict })
        #expect(conflict.location == "Entity" && conflict.setting == "codeGenerationType")
        #expect(conflict.base == "class" && conflict.mine == nil && conflict.theirs == "category")
        // Nothing is taken over that is not decided, or for another state than the one that was seen.
        await #expect(throws: EditError.self) { try await document.merge([:]) }
        let choices = ["Library": [conflict.id: TreeMerge.Side.theirs]]
        for basis in [
            MergeBasis(revision: preview.basis.revision - 1, digests: preview.basis.digests),
            MergeBasis(revision: preview.basis.revision, digests: [:]),
        ] {
            await #expect(throws: ModelDocument.MergeOutdated.self) {
                try await document.merge(choices, basis: basis)
            }
        }
        await #expect(throws: ModelDocument.StaleRevision.self) { try await document.reload() }
        try await document.merge(choices, basis: preview.basis)
        #expect(await document.undoTitle == nil)
        let merged = try #require(try await document.tree(of: "Library").children.first)
        #expect(merged["codeGenerationType"] == "category")
        #expect(merged.children.compactMap { $0["name"] } == ["theirs", "attribute"])
        try await document.save()
        #expect(await document.changedOnDisk() == [])
        #expect(await !document.isEdited)
    }

    @Test("A version that another program added is adopted")
    func aVersionAddedByOthersIsAdopted() async throws {
        let model = try TestModel()
        var file = try XcodeModelFile(url: model.url)
        try file.addVersion(named: "New", contents: ModelElement("model"))
        try file.setCurrentVersion(named: "New")
        #expect(await model.document.changedOnDisk() == ["New", ".xccurrentversion"])
        try await model.document.merge([:])
        let view = try await model.document.view()
        #expect(view.versions.map(\.name) == ["Library", "New"])
        #expect(view.version == "New" && !view.isEdited)
        #expect(await model.document.changedOnDisk() == [])
    }

    @Test("A broken file on disk is not merged")
    func aBrokenFileOnDiskIsNotMerged() async throws {
        let model = try TestModel()
        try await model.document.perform(.add(kind: "entity", in: []), in: "Library")
        try Data("<model".utf8).write(to: model.contents())
        let preview = try await model.document.previewMerge()
        #expect(preview.versions.first?.problem != nil)
        await #expect(throws: ModelFileError.self) { try await model.document.merge([:]) }
        #expect(try await model.document.tree(of: "Library").children.count == 1)
    }

    @Test("A version may be kept over a broken or removed file that was seen")
    func aVersionIsWrittenOverABrokenOrRemovedFile() async throws {
        let model = try TestModel()
        let document = model.document
        try await document.perform(.add(kind: "entity", in: []), in: "Library")
        try Data("<model".utf8).write(to: model.contents())
        let seen = try await document.previewMerge().basis
        try Data("<mode".utf8).write(to: model.contents())
        await #expect(throws: ModelDocument.MergeOutdated.self) {
            try await document.merge([:], keeping: ["Library"], basis: seen)
        }
        try await document.merge([:], keeping: ["Library"], basis: document.previewMerge().basis)
        #expect(await document.changedOnDisk() == [])
        // What is on disk has been seen; other bytes have not.
        try Data("<mod".utf8).write(to: model.contents())
        await #expect(throws: ModelDocument.DiskChanged.self) { try await document.save() }
        try await document.merge([:], keeping: ["Library"])
        try await document.save()
        #expect(try ModelElement(xml: Data(contentsOf: model.contents())).children.count == 1)

        try await document.perform(.add(kind: "entity", in: []), in: "Library")
        try FileManager.default.removeItem(at: model.url)
        try await document.merge([:], keeping: ["Library"])
        try await document.save()
        #expect(try ModelElement(xml: Data(contentsOf: model.contents())).children.count == 2)
        #expect(await !document.isEdited)
        #expect(await document.changedOnDisk() == [])
    }

    @Test("A version removed on disk without edits is removed from the document")
    func removedVersionWithoutEdits() async throws {
        let model = try TestModel()
        let document = model.document
        try await document.addVersion(named: "Next", from: "Library")
        try FileManager.default.removeItem(at: model.contents("Next").deletingLastPathComponent())
        #expect(await document.changedOnDisk() == ["Next"])
        try await document.reload()
        #expect(try await document.view(of: nil).versions.map(\.name) == ["Library"])
        #expect(await document.changedOnDisk() == [])
    }

    @Test("A file that is not a model, or is missing, is refused")
    func otherFilesAreRefused() throws {
        let model = try TestModel()
        for name in ["x.momd", "x.mom", "x.sqlite", "missing.xcdatamodeld"] {
            #expect(throws: ModelFileError.self, "\(name)") {
                try ModelDocument(opening: model.folder.appendingPathComponent(name))
            }
        }
        try Data("<nothing/>".utf8).write(to: model.contents())
        #expect(throws: ModelFileError.self) { try ModelDocument(opening: model.url) }
    }

    @Test("Changes on disk are those since the bytes last saved")
    func changesAreThoseSinceTheLastSave() async throws {
        let model = try TestModel()
        let document = model.document
        try await document.perform(.add(kind: "entity", in: []), in: "Library")
        try await document.save()
        let written = try Data(contentsOf: model.contents())
        #expect(try await document.tree(of: "Library").xml() == written)
        // What takes the place of the file meanwhile is kept, and nothing provisional is left.
        #expect(throws: CancellationError.self) {
            try XcodeModelFile.write(Data("mine".utf8), to: model.contents().deletingLastPathComponent()) {
                try Data("theirs".utf8).write(to: model.contents())
                throw CancellationError()
            }
        }
        #expect(try Data(contentsOf: model.contents()) == Data("theirs".utf8))
        let folder = model.contents().deletingLastPathComponent().path
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["contents"])
        #expect(await document.changedOnDisk() == ["Library"])
    }

    @Test("A version that another program made current stays current")
    func currentVersionSetByOthers() async throws {
        let model = try TestModel()
        let document = model.document
        try await document.addVersion(named: "Next", from: "Library")
        try await document.perform(.add(kind: "entity", in: []), in: "Library")
        try await document.save()
        // Another program makes the new version the current one.
        var file = try XcodeModelFile(url: model.url)
        try file.setCurrentVersion(named: "Next")
        await #expect(throws: ModelDocument.DiskChanged.self) {
            try await document.addVersion(named: "Third", from: "Library")
        }
        #expect(try XcodeModelFile(url: model.url).currentVersion.name == "Next")
        try await document.merge([:])
        #expect(await document.currentVersion == "Next")
        #expect(await document.undo() == nil)
    }

    @Test("Nothing is read or written through a symbolic link")
    func nothingIsReadOrWrittenThroughALink() async throws {
        let model = try TestModel()
        let outside = model.folder.appendingPathComponent("Outside.xcdatamodel")
        try FileManager.default.createDirectory(at: outside, withIntermediateDirectories: false)
        let text = Data("<model/>".utf8)
        try text.write(to: outside.appendingPathComponent("contents"))
        let marker = model.folder.appendingPathComponent("marker")
        try FileManager.default.moveItem(
            at: model.url.appendingPathComponent(".xccurrentversion"), to: marker)
        let markerText = try Data(contentsOf: marker)
        try FileManager.default.createSymbolicLink(
            at: model.url.appendingPathComponent(".xccurrentversion"), withDestinationURL: marker)
        try FileManager.default.createSymbolicLink(
            at: model.url.appendingPathComponent("Linked.xcdatamodel"), withDestinationURL: outside)

        #expect(throws: ModelFileError.self) { try ModelDocument(opening: model.url) }
        try FileManager.default.removeItem(at: model.url.appendingPathComponent(".xccurrentversion"))
        try markerText.write(to: model.url.appendingPathComponent(".xccurrentversion"))
        let document = try ModelDocument(opening: model.url)
        let view = try await document.view()
        #expect(view.versions.first { $0.name == "Linked" }?.problem?.contains("link") == true)
        await #expect(throws: EditError.self) {
            try await document.perform(.add(kind: "entity", in: []), in: "Linked")
        }
        try await document.addVersion(named: "Next", from: "Library")
        try await document.setCurrentVersion("Next")
        try await document.perform(.add(kind: "entity", in: []), in: "Library")
        // A link that takes the place of a file later is not followed either.
        let saved = try Data(contentsOf: model.contents())
        try FileManager.default.removeItem(at: model.contents())
        try FileManager.default.createSymbolicLink(
            at: model.contents(), withDestinationURL: outside.appendingPathComponent("contents"))
        await #expect(throws: ModelDocument.DiskChanged.self) { try await document.save() }
        try FileManager.default.removeItem(at: model.contents())
        try saved.write(to: model.contents())
        try await document.save()
        #expect(try Data(contentsOf: outside.appendingPathComponent("contents")) == text)
        #expect(try Data(contentsOf: marker) == markerText)
        #expect(try XcodeModelFile(url: model.url).currentVersion.name == "Next")
    }

    @Test("A version that cannot be read leaves the others usable")
    func aVersionThatCannotBeReadLeavesTheOthers() async throws {
        let model = try TestModel()
        var file = try XcodeModelFile(url: model.url)
        let broken = try file.addVersion(named: "Broken", contents: ModelElement("model"))
        try Data("<model>".utf8).write(to: broken.url.appendingPathComponent("contents"))
        let document = try ModelDocument(opening: model.url)
        let view = try await document.view()
        #expect(view.version == "Library")
        #expect(view.versions.first?.problem != nil && view.versions.last?.problem == nil)
        await #expect(throws: EditError.self) { try await document.tree(of: "Broken") }
    }
}

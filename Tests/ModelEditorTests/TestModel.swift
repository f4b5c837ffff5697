import Foundation
import ModelTools

@testable import ModelEditor

/// A model in a folder of its own, which is removed with it.
final class TestModel {
    let folder: URL
    let url: URL
    let document: ModelDocument

    /// A new model without entities.
    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "ModelEditorTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        url = folder.appendingPathComponent("Library.xcdatamodeld")
        document = try ModelDocument.create(at: url)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// The file of a version.
    func contents(_ version: String = "Library") -> URL {
        url.appendingPathComponent("\(version).xcdatamodel/contents")
    }

    /// What an edit does to a tree by itself.
    static func edited(_ text: String, _ edits: ModelEdit...) throws -> String {
        var editing = ModelEditing(try tree(text))
        for edit in edits { _ = try editing.perform(edit) }
        return try Self.text(editing.root)
    }

    static func tree(_ text: String) throws -> ModelElement {
        try ModelElement(xml: Data("<model>\(text)</model>".utf8))
    }

    /// The elements in a tree, without white space between them.
    static func text(_ root: ModelElement) throws -> String {
        let xml = String(decoding: try root.xml(), as: UTF8.self)
        let lines = xml.split(separator: "\n").dropFirst().map { $0.trimmingCharacters(in: .whitespaces) }
        let text = lines.joined()
        return text == "<model/>" ? "" : String(text.dropFirst("<model>".count).dropLast("</model>".count))
    }
}

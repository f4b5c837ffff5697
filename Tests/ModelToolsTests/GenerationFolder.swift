import Foundation
import ManagedObjectModel

@testable import ModelTools

/// A model in a folder of its own, which is removed with it.
final class GenerationFolder {
    let url: URL

    /// A folder `Books.xcdatamodeld` with a version for each text, which is what stands in its `<model>`.
    init(_ versions: [String: String], current: String? = nil) throws {
        url = FileManager.default.temporaryDirectory
            .appending(path: "Generation-\(UUID().uuidString)/Books.xcdatamodeld")
        for (name, content) in versions {
            let folder = url.appending(path: "\(name).xcdatamodel")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let text = "<?xml version=\"1.0\"?>\n<model>\n\(content)\n</model>\n"
            try text.write(to: folder.appending(path: "contents"), atomically: true, encoding: .utf8)
        }
        if let current {
            let plist = try PropertyListSerialization.data(
                fromPropertyList: ["_XCCurrentVersionName": "\(current).xcdatamodel"], format: .xml,
                options: 0)
            try plist.write(to: url.appending(path: ".xccurrentversion"))
        }
    }

    convenience init(_ content: String) throws { try self.init(["Books": content]) }

    deinit { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }

    func generator(_ options: GenerationOptions = GenerationOptions()) throws -> SourceGenerator {
        try SourceGenerator(readingModelAt: url, options)
    }

    /// The generated text of a file without the comment at its head and the imports.
    func text(_ name: String, _ options: GenerationOptions = GenerationOptions()) throws -> String? {
        let file = try generator(options).files.first { $0.name == name }
        return file.map(body)
    }

    /// A file's text behind its imports.
    func body(of file: GeneratedFile) -> String {
        let rest = file.text.components(separatedBy: "import CoreData\n").last ?? ""
        return rest.hasPrefix("#endif\n") ? String(rest.dropFirst("#endif\n".count)) : rest
    }
}

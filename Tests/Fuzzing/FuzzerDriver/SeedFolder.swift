import Foundation

/// The folder with the first inputs of subjects.
package struct SeedFolder {
    private let url: URL

    package init(_ url: URL) { self.url = url }

    /// Makes an input a file in the folder of its subject.
    package func write(_ data: Data, _ subject: String, _ name: String) throws {
        let folder = url.appendingPathComponent(subject)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try data.write(to: folder.appendingPathComponent(name))
    }
}

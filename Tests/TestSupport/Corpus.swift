import Foundation

/// The collection of files that Apple's tools wrote, which is not part of the project.
///
/// It lies where `OPENCOREDATA_CORPUS` says, or beside the package. Without it the tests that need it are
/// skipped.
package enum Corpus {
    package static let missing = "no corpus: set OPENCOREDATA_CORPUS to its folder"

    package static let root: URL? = {
        let named = ProcessInfo.processInfo.environment["OPENCOREDATA_CORPUS"]
        let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let url = named.map { URL(filePath: $0) } ?? package.appending(path: "../shared/corpus").standardized
        return FileManager.default.fileExists(atPath: url.appending(path: "INDEX.tsv").path) ? url : nil
    }()

    package static var isPresent: Bool { root != nil }

    /// The rows of a table, split at tabs.
    package static func table(_ name: String) throws -> [[String]] {
        guard let root else { return [] }
        return try String(contentsOf: root.appending(path: name), encoding: .utf8)
            .split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
    }

    /// The paths of all files in a folder and its subfolders, relative to the corpus, sorted.
    package static func files(under folder: String) -> [String] {
        guard let root, let walk = FileManager.default.enumerator(atPath: root.appending(path: folder).path)
        else { return [] }
        return walk.compactMap { $0 as? String }.sorted().map { "\(folder)/\($0)" }
    }

    /// The paths of all files with a name, relative to the corpus, sorted.
    package static func files(named name: String, under folder: String) -> [String] {
        files(under: folder).filter { ($0 as NSString).lastPathComponent == name }
    }

    /// A third of some files, for tests that take long for each; all of them in a long run.
    package static func some(_ files: [String]) -> [String] {
        Fuzzing.isLong ? files : files.enumerated().filter { $0.offset.isMultiple(of: 3) }.map(\.element)
    }

    package static func url(_ path: String) -> URL { (root ?? URL(filePath: "/")).appending(path: path) }

    package static func propertyList(_ path: String) throws -> [String: Any] {
        let data = try Data(contentsOf: url(path))
        let plist = try PropertyListSerialization.propertyList(from: data, format: nil)
        return plist as? [String: Any] ?? [:]
    }
}

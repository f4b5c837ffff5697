import Foundation

/// Ports the Swift sources of a folder, with those of its subfolders, into another folder.
///
/// `Models/Book.swift` becomes `Models/Book.ported.swift` there: with its old name the compiler could not distinguish the two
/// files, since the ported one says that its lines are those of the source. A ported file begins with a mark, by
/// which it is known again: when its source is gone, or cannot be ported any more, it is removed. Other files of the
/// destination are left alone.
package struct FolderPort {
    /// What a run has done. Paths are relative to the destination, in the order of their names.
    package struct Outcome: Sendable {
        /// Files that are new or have changed.
        package let written: [String]
        /// Files that were there already, with the same contents.
        package let unchanged: [String]
        /// Files of an earlier port whose source is gone or has errors.
        package let removed: [String]
        /// Of all sources, in the order of their names. A source with errors gives no file.
        package let diagnostics: [PortDiagnostic]

        package var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }
    }

    /// The most sources of a folder, and the most bytes in them.
    private static let maxSources = 20_000
    private static let maxBytes = 256 << 20
    /// The first line of each ported file.
    private static let mark = "// Ported from a source for Apple's platforms; changes belong there.\n"

    private let source: URL
    private let destination: URL
    private let modelKeys: [String: Set<String>]

    /// - Parameters:
    ///   - source: the folder with the sources, or a link to it.
    ///   - destination: the folder for the ported files; made when it is missing.
    ///   - modelKeys: see `SourcePort`.
    package init(
        _ source: URL, into destination: URL, modelKeys: [String: Set<String>] = [:]
    ) {
        self.source = source.standardizedFileURL
        self.destination = destination.standardizedFileURL
        self.modelKeys = modelKeys
    }

    /// The path, in the destination, of the file that a source becomes.
    ///
    /// - Parameter path: the source's path in its folder.
    package static func portedPath(for path: String) -> String {
        path.hasSuffix(".swift") ? "\(path.dropLast(".swift".count)).ported.swift" : path
    }

    /// Ports the folder.
    ///
    /// - Throws: `FolderPortError`, or the file system's error when a file cannot be read or written.
    package func run() throws -> Outcome {
        let paths = try sourcePaths()
        var total = 0
        let sources = try paths.map { path in
            let file = source.appendingPathComponent(path)
            let bytes = [UInt8](try Data(contentsOf: file))
            total += bytes.count
            guard total <= Self.maxBytes else {
                throw FolderPortError.tooLarge(source.path, megabytes: Self.maxBytes >> 20)
            }
            return PortSource(name: file.path, bytes: bytes)
        }
        let ported = SourcePort(sources, modelKeys: modelKeys).ported()
        var written: [String] = []
        var unchanged: [String] = []
        for (path, result) in zip(paths, ported) {
            guard let text = result.text else { continue }
            let name = Self.portedPath(for: path)
            if try write(Data((Self.mark + text).utf8), to: name) {
                written.append(name)
            } else {
                unchanged.append(name)
            }
        }
        return Outcome(
            written: written, unchanged: unchanged,
            removed: try removeFiles(besides: Set(written + unchanged)),
            diagnostics: ported.flatMap(\.diagnostics))
    }

    /// Writes a file unless it has these contents.
    ///
    /// - Returns: whether it was written.
    private func write(_ data: Data, to name: String) throws -> Bool {
        let file = destination.appendingPathComponent(name)
        if let old = try? Data(contentsOf: file), old == data { return false }
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: file, options: .atomic)
        return true
    }

    /// Removes what earlier ports have written.
    ///
    /// - Parameter current: the paths of the files of this port.
    private func removeFiles(besides current: Set<String>) throws -> [String] {
        let old = Self.files(in: destination, ending: ".ported.swift").filter { path in
            !current.contains(path) && Self.isMarked(destination.appendingPathComponent(path))
        }
        for path in old { try FileManager.default.removeItem(at: destination.appendingPathComponent(path)) }
        return old.sorted()
    }

    private static func isMarked(_ file: URL) -> Bool {
        guard let handle = FileHandle(forReadingAtPath: file.path) else { return false }
        defer { try? handle.close() }
        return (try? handle.read(upToCount: mark.utf8.count)) == Data(mark.utf8)
    }

    /// The paths of the Swift sources in the folder, sorted. Links to folders in it are not followed.
    private func sourcePaths() throws -> [String] {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: source.path, isDirectory: &isFolder), isFolder.boolValue
        else {
            throw FolderPortError.noFolder(source.path)
        }
        let root = source.resolvingSymlinksInPath()
        let inside = [destination, destination.resolvingSymlinksInPath()].contains { location in
            [source, root].contains { (location.path + "/").hasPrefix($0.path + "/") }
        }
        if inside { throw FolderPortError.destinationInside(destination.path) }
        var paths: [String] = []
        for path in Self.files(in: root, ending: ".swift") {
            paths.append(path)
            guard paths.count <= Self.maxSources else {
                throw FolderPortError.tooMany(source.path, Self.maxSources)
            }
        }
        guard !paths.isEmpty else { throw FolderPortError.noSources(source.path) }
        return paths.sorted()
    }

    /// The paths of the files in a folder, which is not a link, and in its subfolders.
    private static func files(in folder: URL, ending: String) -> some Sequence<String> {
        let found = FileManager.default.enumerator(atPath: folder.path)
        return sequence(state: found) { found in
            while let path = found?.nextObject() as? String {
                if path.hasSuffix(ending),
                    found?.fileAttributes?[.type] as? FileAttributeType != .typeDirectory
                {
                    return path
                }
            }
            return nil
        }
    }
}

/// Why a folder is not ported at all.
package enum FolderPortError: Error, Equatable, LocalizedError {
    case noFolder(String)
    case noSources(String)
    /// The ported files would be sources of the next run.
    case destinationInside(String)
    case tooMany(String, Int)
    case tooLarge(String, megabytes: Int)

    package var errorDescription: String? {
        switch self {
        case .noFolder(let path): "There is no folder '\(path)'."
        case .noSources(let path): "The folder '\(path)' has no Swift sources."
        case .destinationInside(let path): "The destination '\(path)' lies in the folder with the sources."
        case .tooMany(let path, let most): "The folder '\(path)' has more than \(most) Swift sources."
        case .tooLarge(let path, let most): "The sources of the folder '\(path)' have more than \(most) MiB."
        }
    }
}

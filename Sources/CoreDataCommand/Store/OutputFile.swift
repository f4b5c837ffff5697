import CoreData
import DurableFiles
import Foundation

/// Where long output goes: standard output, a file that is there when it is complete, or something at a path that is not a
/// file, such as a pipe or a device.
final class OutputFile {
    private enum Destination {
        case standardOutput
        /// What is not a file is written to straight away.
        case special(FileHandle)
        /// What replaces the file at the end.
        case file(FileDraft, OpenFile, FileAttributes?)
    }

    private let destination: Destination

    /// - Parameters:
    ///   - path: a file, which is replaced and keeps its mode and owner; links are followed. nil for standard output.
    ///   - store: a store that is read meanwhile, and whose files are not to be replaced.
    init(_ path: String?, reading store: URL) throws {
        guard let path else {
            destination = .standardOutput
            return
        }
        var status = stat()
        let exists = stat(path, &status) == 0
        if exists { try Self.requireOther(status, path, store) }
        switch status.st_mode & S_IFMT {
        case S_IFREG where exists: break
        case S_IFDIR where exists: throw CommandFailure("\(path) is a folder.")
        case _ where exists:
            guard let handle = FileHandle(forWritingAtPath: path) else {
                throw CommandFailure("\(path) cannot be written.")
            }
            destination = .special(handle)
            return
        default:
            var link = stat()
            guard lstat(path, &link) != 0 else {
                throw CommandFailure("\(path) is a symbolic link to a file that does not exist.")
            }
        }
        do {
            let draft = try FileDraft(for: URL(fileURLWithPath: path))
            let attributes = try FileAttributes(of: draft.target)
            let file = try OpenFile.making(draft.url, mode: attributes == nil ? 0o666 : 0o600)
            destination = .file(draft, file, attributes)
        } catch {
            throw CommandFailure("\(path) cannot be written: \(error.localizedDescription).")
        }
    }

    private static func requireOther(_ status: stat, _ path: String, _ store: URL) throws {
        for name in [store.path] + SQLiteStoreTables(store).logPaths {
            var own = stat()
            guard stat(name, &own) == 0, own.st_dev == status.st_dev, own.st_ino == status.st_ino else {
                continue
            }
            throw CommandFailure("\(path) is a file of the store that is being read; choose another output.")
        }
    }

    func write(_ text: String) throws {
        switch destination {
        case .standardOutput: try Output.standard.write(piece: text)
        case .special(let handle): try handle.write(contentsOf: Data(text.utf8))
        case .file(_, let file, _): try file.write(Data(text.utf8))
        }
    }

    /// Moves the file into place. When this returns, it survives a power cut.
    func finish() throws {
        switch destination {
        case .standardOutput: return
        case .special(let handle): try handle.close()
        case .file(let draft, let file, let attributes):
            do {
                if let attributes { try file.set(attributes) }
                try file.sync()
                file.close()
                try draft.replaceTarget()
            } catch {
                throw CommandFailure("\(draft.target.path) cannot be written: \(error.localizedDescription).")
            }
        }
    }
}

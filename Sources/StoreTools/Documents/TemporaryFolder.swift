import DurableFiles
import Foundation
import Synchronization

/// A folder for files of this process alone, which no other user may read. It is removed with this.
///
/// A process that is killed leaves its folder; the next one that makes a folder removes it.
final class TemporaryFolder: Sendable {
    private static let beginning = "coredata-copy-"

    let url: URL
    /// Held for as long as the folder is needed; nil once it was removed.
    private let heldPath: Mutex<HeldPath?>

    init() throws {
        let parent = FileManager.default.temporaryDirectory
        Self.removeLeftovers(in: parent)
        let made = try HeldPath.makeFolder { parent.appendingPathComponent(Self.beginning + $0).path }
        url = URL(fileURLWithPath: made.path, isDirectory: true)
        heldPath = Mutex(made)
    }

    deinit { remove() }

    /// Removes the folder with what is in it. Nothing of it may be in use.
    func remove() {
        heldPath.withLock { heldPath in
            guard let held = heldPath else { return }
            heldPath = nil
            _ = try? DurableFile.removeFolder(url)
            held.release()
        }
    }

    private static func removeLeftovers(in parent: URL) {
        for name in (try? DurableFile.names(in: parent)) ?? [] {
            guard name.hasPrefix(beginning), UUID(uuidString: String(name.dropFirst(beginning.count))) != nil
            else { continue }
            let folder = parent.appendingPathComponent(name)
            // In a folder that others write to too, only what is this user's own.
            guard (try? FileAttributes(of: folder))?.user == geteuid(),
                let leftover = try? HeldPath.takeLeftover(folder.path, isFolder: true)
            else { continue }
            _ = try? DurableFile.removeFolder(folder)
            leftover.release()
        }
    }
}

import Dispatch
import Foundation

/// Reports when any process writes to a database file or its log, or replaces it.
///
/// The kernel reports it, by path (`inotify`). The files are not opened: closing one would release the locks that this process
/// has on it.
final class FileChangeWatch: @unchecked Sendable {
    // Unchecked: a source may be cancelled on any queue.

    /// The event of the files.
    enum Event {
        /// One was written to.
        case writing
        /// The database is another file now.
        case replacement
    }

    private let source: any DispatchSourceRead

    /// How long the kernel does not look for writes after some were reported: to queue an event for each write, and to wake a thread,
    /// takes a tenth of the time of a small save, at the writer's expense.
    private static let gathering = DispatchTimeInterval.milliseconds(5)

    /// - Parameters:
    ///   - file: the database.
    ///   - logSuffixes: as `FollowedStore.logSuffixes`.
    ///   - queue: where `happened` is called, as long as the watch has not ended.
    /// - Returns: nil where the kernel cannot watch files, or no more of them.
    init?(
        _ file: URL, logSuffixes: [String], on queue: DispatchQueue,
        _ happened: @escaping @Sendable (Event) -> Void
    ) {
        #if os(Linux) || os(Android)
        guard let events = FileEvents(file, logSuffixes) else { return nil }
        source = DispatchSource.makeReadSource(fileDescriptor: events.descriptor, queue: queue)
        source.setEventHandler { [weak self] in
            guard let event = events.read() else { return }
            happened(event)
            guard let self else { return }
            events.watchWrites(false)
            // The kernel keeps other events. The block keeps the source, which must not go while it is suspended.
            source.suspend()
            queue.asyncAfter(deadline: .now() + Self.gathering) {
                if !self.source.isCancelled {
                    events.watchWrites(true)
                    // What was written meanwhile is not known.
                    happened(.writing)
                }
                self.source.resume()
            }
        }
        source.setCancelHandler { events.close() }
        source.activate()
        #else
        return nil
        #endif
    }

    /// Ends the watch; it may be called several times.
    func end() { source.cancel() }

    deinit { source.cancel() }
}

#if os(Linux) || os(Android)
private func closeDescriptor(_ descriptor: Int32) { _ = close(descriptor) }

private func readDescriptor(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    read(descriptor, buffer.baseAddress, buffer.count)
}

/// The kernel's events of a database file, its log, and their folder.
private final class FileEvents: @unchecked Sendable {
    // Unchecked: used on one queue once it is made.

    let descriptor: Int32
    /// By the names of the files.
    private let paths: [String: String]
    /// The name of the database.
    private let file: String
    /// The watch on the folder.
    private let folder: Int32
    private var mask = UInt32(IN_MODIFY)

    init?(_ file: URL, _ logSuffixes: [String]) {
        // The log is beside the file itself, after resolving symbolic links.
        let path = file.resolvingSymlinksInPath()
        self.file = path.lastPathComponent
        let directory = path.deletingLastPathComponent().path
        paths = Dictionary(
            uniqueKeysWithValues: ([""] + logSuffixes).map {
                (path.lastPathComponent + $0, path.path + $0)
            })
        descriptor = inotify_init1(O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        folder = inotify_add_watch(descriptor, directory, UInt32(IN_CREATE | IN_MOVED_TO))
        let isWatching = folder >= 0 && paths.values.allSatisfy(watch)
        guard isWatching else {
            close()
            return nil
        }
    }

    func close() { closeDescriptor(descriptor) }

    /// Begins or ends to watch for writes. The watches stay: others could take their places, of which there is a limit.
    func watchWrites(_ isOn: Bool) {
        mask = UInt32(isOn ? IN_MODIFY : IN_DELETE_SELF)
        for path in paths.values { _ = watch(path) }
    }

    /// Watches a file, or waits until it is created. Returns whether it is or will be watched.
    private func watch(_ path: String) -> Bool {
        inotify_add_watch(descriptor, path, mask) >= 0 || errno == ENOENT
    }

    /// Reads all events; returns the most significant one.
    func read() -> FileChangeWatch.Event? {
        var event: FileChangeWatch.Event?
        withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 8) { buffer in
            while true {
                let count = readDescriptor(descriptor, buffer)
                guard count > 0 else { return }
                readEvents(UnsafeRawBufferPointer(rebasing: buffer[..<count]), &event)
            }
        }
        return event
    }

    private func readEvents(_ bytes: UnsafeRawBufferPointer, _ result: inout FileChangeWatch.Event?) {
        let headerSize = MemoryLayout<inotify_event>.size
        var start = 0
        while start + headerSize <= bytes.count {
            let event = bytes.loadUnaligned(fromByteOffset: start, as: inotify_event.self)
            let end = start + headerSize + Int(event.len)
            let name = bytes[(start + headerSize)..<min(end, bytes.count)].prefix { $0 != 0 }
            start = end
            if event.wd != folder {
                // Also when the kernel has lost events, which is reported without a watch.
                if event.mask & UInt32(IN_IGNORED) == 0 { result = result ?? .writing }
                continue
            }
            let changed = String(decoding: name, as: UTF8.self)
            guard let path = paths[changed] else { continue }
            _ = watch(path)
            result = changed == file ? .replacement : result ?? .writing
        }
    }
}
#endif

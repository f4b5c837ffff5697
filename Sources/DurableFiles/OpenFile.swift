import Foundation

/// A file that is open for writing, or a folder that is open to be synced.
///
/// Not thread-safe.
package final class OpenFile {
    package let path: String
    private var descriptor: Int32

    /// - Parameters:
    ///   - flags: those of `open(2)` besides `O_CLOEXEC`.
    ///   - mode: of a file that is made, without what the process's mask removes.
    package init(_ path: String, _ flags: Int32, mode: mode_t = 0o600) throws {
        self.path = path
        descriptor = try FileSystem.calls.openFile(path, flags | O_CLOEXEC, mode)
    }

    deinit { close() }

    /// Makes a file for writing where nothing is.
    package static func making(_ url: URL, mode: mode_t = 0o600) throws -> OpenFile {
        try OpenFile(url.path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: mode)
    }

    package func write(_ data: Data) throws {
        try data.withUnsafeBytes { bytes in
            try data.isEmpty ? () : named { try Self.write(bytes, to: descriptor) }
        }
    }

    static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws {
        let calls = FileSystem.calls
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = try calls.writeFile(descriptor, UnsafeRawBufferPointer(rebasing: rest))
            guard count > 0 else { throw FileError(call: "write", code: ENOSPC) }
            rest = rest.dropFirst(count)
        }
    }

    /// Appends what another file has from where it is read now.
    package func copy(from source: Int32) throws {
        let calls = FileSystem.calls
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { buffer.deallocate() }
        try named {
            while true {
                let count = try calls.readFile(source, buffer)
                if count == 0 { return }
                try Self.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]), to: descriptor)
            }
        }
    }

    package func set(_ attributes: FileAttributes, requiresOwner: Bool = false) throws {
        try named { try attributes.set(descriptor, requiresOwner: requiresOwner) }
    }

    package func sync() throws { try named { try FileSystem.calls.syncFile(descriptor) } }

    package func close() {
        guard descriptor >= 0 else { return }
        FileSystem.calls.closeFile(descriptor)
        descriptor = -1
    }

    private func named<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch var error as FileError where error.path.isEmpty {
            error.path = path
            throw error
        }
    }
}

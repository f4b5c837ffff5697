import CoreData
import Hummingbird
import NIOCore
import StoreTools

/// The bytes of a value to be downloaded. Of a file only a part is in memory at a time; what is in the row was read with it.
struct StoredFile: Sendable {
    private static let partSize = 256 << 10

    let length: Int
    private let start: Data
    /// Open from the beginning: what takes the name of the file before it is sent is another file.
    private let file: ExternalFile?

    /// - Throws: `BrowsingError` for no value, and for a file that is gone or no plain file by now; an error of the store,
    ///   134060 when the file cannot be read.
    init(_ reference: ObjectReference, _ key: String, of store: BrowsedStore) async throws {
        let context = store.objects
        (length, start, file) = try await context.perform {
            let (object, attribute) = try store.attribute(key, of: reference, in: context)
            guard let stored = try store.storedData(object, attribute, atMost: .max, readsFile: false) else {
                throw BrowsingError("\(reference) has no data for '\(key)'.", code: "missing")
            }
            guard let name = stored.file else { return (stored.length, stored.start, nil) }
            do {
                let file = try store.source.externalFile(named: name)
                return (file.byteCount, Data(), file)
            } catch {
                throw BrowsingError(
                    "The file \(name) cannot be read: \(error.localizedDescription)", code: "missing")
            }
        }
    }

    /// The bytes, part after part. When the client has gone, sending fails and the file is closed.
    var body: ResponseBody {
        guard let file else { return .init(byteBuffer: ByteBuffer(bytes: start)) }
        return ResponseBody(contentLength: length) { [length] writer in
            var offset = 0
            // Not more than was said: others may write to the file.
            while offset < length {
                let part = try file.read(at: offset, count: min(length - offset, Self.partSize))
                guard !part.isEmpty else { break }
                try await writer.write(ByteBuffer(bytes: part))
                try Task.checkCancellation()
                offset += part.count
            }
            try await writer.finish(nil)
        }
    }
}

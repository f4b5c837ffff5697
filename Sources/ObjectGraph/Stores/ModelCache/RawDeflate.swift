import CZlib
import Foundation

/// Deflate without header and checksum, as stores compress the archive of their model.
package enum RawDeflate {
    /// A window of 32 KB; negative, because the stream has neither header nor checksum.
    private static let windowBits: Int32 = -15
    private static let pieceSize = 64 << 10

    /// Compresses bytes.
    package static func compress(_ data: Data) throws -> Data {
        try run(data, limit: .max, name: "compressed") { stream in
            deflateInit2_(
                &stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
                Int32(MemoryLayout<z_stream>.size))
        } step: {
            deflate(&$0, Z_FINISH)
        } end: {
            deflateEnd(&$0)
        }
    }

    /// Decompresses untrusted bytes.
    ///
    /// - Parameter limit: the greatest length that the result may have, in bytes.
    /// - Throws: ``Failure`` when the bytes are not a complete stream, or one that is longer than the limit.
    package static func decompress(_ data: Data, limit: Int) throws -> Data {
        try run(data, limit: limit, name: "decompressed") { stream in
            inflateInit2_(&stream, windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        } step: {
            inflate(&$0, Z_NO_FLUSH)
        } end: {
            inflateEnd(&$0)
        }
    }

    /// An error in a stream.
    package struct Failure: Error, LocalizedError, CustomStringConvertible {
        package let description: String
        package var errorDescription: String? { description }
    }

    private static func run(
        _ data: Data, limit: Int, name: String, begin: (inout z_stream) -> Int32,
        step: (inout z_stream) -> Int32, end: (inout z_stream) -> Int32
    ) throws -> Data {
        guard data.count <= Int(UInt32.max) else {
            throw Failure(description: "The data cannot be \(name): they are too long.")
        }
        var stream = z_stream()
        guard begin(&stream) == Z_OK else {
            throw Failure(description: "The data cannot be \(name): zlib does not start.")
        }
        defer { _ = end(&stream) }
        var input = [UInt8](data)
        var result = Data()
        var piece = [UInt8](repeating: 0, count: pieceSize)
        return try input.withUnsafeMutableBufferPointer { input in
            stream.next_in = input.baseAddress
            stream.avail_in = UInt32(input.count)
            while true {
                let (state, count) = piece.withUnsafeMutableBufferPointer { piece in
                    stream.next_out = piece.baseAddress
                    stream.avail_out = UInt32(piece.count)
                    let state = step(&stream)
                    return (state, piece.count - Int(stream.avail_out))
                }
                guard count <= limit - result.count else {
                    throw Failure(description: "The data cannot be \(name): they exceed \(limit) bytes.")
                }
                result.append(contentsOf: piece[..<count])
                if state == Z_STREAM_END { return result }
                // Without progress the stream is not complete.
                guard state == Z_OK, count > 0 || stream.avail_in > 0 else {
                    let reason = stream.msg.map { String(cString: $0) } ?? "the stream is not complete"
                    throw Failure(description: "The data cannot be \(name): \(reason).")
                }
            }
        }
    }
}

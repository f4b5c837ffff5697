import Foundation

/// Data as a page shows it.
struct ShownBytes: Encodable, Sendable {
    static let longestHex = 4096

    let length: Int
    /// The first bytes in hexadecimal digits.
    let hex: String
    /// The media type of a picture that browsers show; nil for other data.
    let image: String?
    let tree: ArchiveTree?
    /// The name of the file that has it, beside the store; nil for data in the row.
    let file: String?

    init(_ stored: StoredBytes) {
        length = stored.length
        hex = stored.start.prefix(Self.longestHex).map(\.hexadecimal).joined()
        image = Self.imageType(stored.start)
        tree = stored.isWhole ? ArchiveTree(stored.start) : nil
        file = stored.file
    }

    /// The type of a picture, by how it begins. Drawings in XML do not count: they may hold scripts.
    static func imageType(_ data: Data) -> String? {
        let starts: [(bytes: [UInt8], type: String)] = [
            ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], "image/png"),
            ([0xFF, 0xD8, 0xFF], "image/jpeg"),
            (Array("GIF8".utf8), "image/gif"),
        ]
        if let found = starts.first(where: { data.starts(with: $0.bytes) }) { return found.type }
        let isWebP = data.starts(with: Data("RIFF".utf8)) && data.dropFirst(8).starts(with: Data("WEBP".utf8))
        return isWebP ? "image/webp" : nil
    }
}

/// Data of a store, or the start of it.
struct StoredBytes {
    let start: Data
    let length: Int
    /// The name of the file that has it, beside the store; nil for data in the row.
    var file: String?

    var isWhole: Bool { start.count == length }
}

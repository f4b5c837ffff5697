import CocoaFoundation

/// What a version hash is made of, put together piece by piece.
struct HashedBytes {
    private var bytes: [UInt8] = []

    /// The SHA-256 of all pieces: 32 bytes.
    var sha256: Data { SHA2.sha256(bytes) }

    /// The SHA-512 of all pieces: 64 bytes.
    var sha512: Data { SHA2.sha512(bytes) }

    mutating func update(data: [UInt8]) { bytes.append(contentsOf: data) }

    /// Adds bytes by their memory: a sequence of `Data` is read byte by byte.
    mutating func update(data: Data) { data.withUnsafeBytes { bytes.append(contentsOf: $0) } }

    /// Adds a string as UTF-8.
    mutating func update(text: String) { bytes.append(contentsOf: text.utf8) }

    /// Adds a number, the lowest byte first.
    mutating func update(number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }
}

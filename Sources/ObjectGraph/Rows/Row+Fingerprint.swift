/// A number that distinguishes lists of rows: equal for equal rows in the same order, and other for all others but by
/// chance, one in 2⁶⁴. The same in every process, unlike `Hasher`'s. Not safe against intent.
struct RowFingerprint {
    private(set) var value: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// Adds a number (the mixing function of SplitMix64 over the state and the number).
    mutating func combine(_ word: UInt64) {
        var mixed = (value ^ word) &+ 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        value = mixed ^ (mixed >> 31)
    }

    /// Adds some bytes and their number.
    mutating func combine(_ bytes: UnsafeRawBufferPointer) {
        combine(UInt64(bytes.count))
        for start in stride(from: 0, to: bytes.count, by: 8) {
            var word: UInt64 = 0
            for byte in bytes[start..<min(start + 8, bytes.count)] { word = word << 8 | UInt64(byte) }
            combine(word)
        }
    }

    /// Adds the identity, the version and all values of a row.
    mutating func combine(_ row: Row) {
        combine(UInt64(bitPattern: row.reference))
        combine(UInt64(bitPattern: row.version))
        combine(UInt64(bitPattern: Int64(row.entityNumber)))
        for slot in 0..<row.slotCount {
            combine(row.isNull(slot) ? 0 : 1)
            if !row.isNull(slot) { combine(UInt64(bitPattern: row.integer(slot))) }
        }
        row.withAllBytes { combine($0) }
    }
}

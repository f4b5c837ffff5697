/// The order in which Foundation's dictionary gives out keys: by hash in a table of prime size.
///
/// Apple's framework numbers the to-many relationships of an entity in this order where it writes down which ones a
/// save changed. The hash is that of the open CoreFoundation (`CFString`); sizes and loads of the table are its
/// documented constants.
enum NameTableOrder {
    private static let sizes = [3, 7, 13, 23, 41, 71, 127, 191, 251, 383, 631, 1087, 1723, 2803, 4523, 7351]
    private static let loads = [3, 6, 11, 19, 32, 52, 85, 118, 155, 237, 390, 672, 1065, 1732, 2795, 4543]

    /// The names in the order of their positions.
    ///
    /// - Parameters:
    ///   - names: put into the table in this order; the later one of two with the same position gets the next free one.
    ///   - count: how many keys the table has in all, at least that of the names.
    static func sorted(_ names: [String], count: Int) -> [String] {
        guard let index = loads.firstIndex(where: { max(count, names.count) <= $0 }) else {
            return names
        }
        let size = sizes[index]
        var positions = [String?](repeating: nil, count: size)
        for name in names {
            var position = Int(hash(name) % UInt64(size))
            while positions[position] != nil { position = (position + 1) % size }
            positions[position] = name
        }
        return positions.compactMap(\.self)
    }

    /// The hash of a string. Of a long one the beginning, the middle and the end count.
    static func hash(_ string: String) -> UInt64 {
        let units = Array(string.utf16)
        var result = UInt64(units.count)
        func add(_ units: ArraySlice<UInt16>) {
            var rest = units
            while rest.count >= 4 {
                let first = rest.startIndex
                result =
                    result &* 67_503_105 &+ UInt64(rest[first]) &* 16_974_593 &+ UInt64(rest[first + 1])
                    &* 66_049
                    &+ UInt64(rest[first + 2]) &* 257 &+ UInt64(rest[first + 3])
                rest = rest.dropFirst(4)
            }
            for unit in rest { result = result &* 257 &+ UInt64(unit) }
        }
        if units.count <= 96 {
            add(units[...])
        } else {
            let middle = units.count / 2 - 16
            add(units[..<32])
            add(units[middle..<middle + 32])
            add(units[(units.count - 32)...])
        }
        return result &+ (result << UInt64(units.count & 31))
    }
}

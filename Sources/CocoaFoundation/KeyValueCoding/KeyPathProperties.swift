/// The properties that a Swift key path goes over, as the runtime distinguishes them. `?` and `!` leave nothing:
/// `\Car.owner?.name` goes over the same properties as `\Car.owner` and `\Owner.name`.
///
/// The standard library compares key paths and puts them together, and does not take them apart. So their parts are read
/// where they are, by the layout of the standard library's `KeyPath.swift`, as Foundation's predicates read them; see
/// `isReadable`.
struct KeyPathProperties: Sendable {
    struct Property: Hashable, Sendable {
        /// What kind of a property it is, and what its identifier is: an offset, or the address of a method.
        let kind: UInt32
        let identifier: UInt
    }

    let properties: [Property]

    /// Nil for a key path over something else than properties, such as subscripts, and where key paths cannot be read.
    init?(_ keyPath: AnyKeyPath) {
        guard Self.isReadable, let properties = Self.properties(of: keyPath) else { return nil }
        self.properties = properties
    }

    /// Whether the layout is the known one: the parts of a key path that is known are found.
    private static let isReadable: Bool = {
        let paths: [AnyKeyPath] = [
            \Sample.next, \Sample.number, \Sample.next?.number, \Sample.next!.next?.stored, \Sample.stored,
            Self.next(of: Sample.self),
        ]
        let found = paths.map(properties)
        guard let next = found[0], let number = found[1], let stored = found[4] else { return false }
        return next.count == 1 && number.count == 1 && stored.count == 1
            && Set(next + number + stored).count == 3
            && found[2] == next + number && found[3] == next + next + stored && found[5] == next
    }()

    /// A key path that is made where the class is a parameter, as those of properties of classes that may have subclasses.
    @inline(never)
    private static func next<Class: Sample>(of type: Class.Type) -> AnyKeyPath { \Class.next }

    private class Sample {
        final var next: Sample? { nil }
        final var number: Int { 1 }
        final let stored = 1
    }

    private static func properties(of keyPath: AnyKeyPath) -> [Property]? {
        let word = MemoryLayout<UInt>.size
        // Behind the object's two words and one of the key path's own: how many bytes there are, then the parts.
        let start = UnsafeRawPointer(Unmanaged.passUnretained(keyPath).toOpaque()) + 3 * word
        let bytes = UnsafeRawBufferPointer(
            start: start + word, count: Int(start.load(as: UInt32.self) & 0x00FF_FFFF))
        var properties: [Property] = []
        var cursor = 0
        func read<Value>(_ type: Value.Type) -> Value? {
            let size = MemoryLayout<Value>.size
            cursor = (cursor + size - 1) / size * size
            guard cursor + size <= bytes.count else { return nil }
            defer { cursor += size }
            return bytes.load(fromByteOffset: cursor, as: type)
        }
        while cursor < bytes.count {
            guard let header = read(UInt32.self) else { return nil }
            switch header >> 24 & 0x7F {
            case 1, 3:
                // A stored property: its offset, which may be too large for the header.
                let offset = header & 0x007F_FFFF
                guard let position = offset == 0x007F_FFFF ? read(UInt32.self) : offset else { return nil }
                properties.append(Property(kind: header >> 24 & 0x7F, identifier: UInt(position)))
            case 2:
                // A computed one: what identifies it, its getter, perhaps a setter.
                guard let identifier = read(UInt.self), read(UInt.self) != nil,
                    header & 0x0040_0000 == 0 || read(UInt.self) != nil
                else { return nil }
                if header & 0x0008_0000 != 0 {
                    // Arguments: how many bytes, what copies them, and they themselves. They are the parameters of the context
                    // that the key path was made in, or the index of a subscript, which has no name.
                    guard let size = read(UInt.self), read(UInt.self) != nil,
                        cursor + Int(clamping: size) <= bytes.count
                    else { return nil }
                    cursor += Int(clamping: size)
                }
                properties.append(Property(kind: header & 0x0230_0000, identifier: identifier))
            case 4: break
            default: return nil
            }
            // The type of the value, but for the last one's.
            if cursor < bytes.count, read(UInt.self) == nil { return nil }
        }
        return properties
    }
}

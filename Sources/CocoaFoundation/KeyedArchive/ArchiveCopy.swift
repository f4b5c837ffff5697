import Foundation

/// Copies an object of a keyed archive, and all that it refers to, into another one, without making an object: of
/// classes that do not exist here, too, and of such that refer to each other in circles.
package struct ArchiveCopy {
    private let source: KeyedArchive
    private let writer: KeyedArchiveWriter
    private var positions: [UInt64: Int] = [0: 0]
    private var waiting: [(index: Int, position: Int)] = []
    private var next = 0

    private static let deepestNode = 64

    /// The class names of the copied objects.
    package private(set) var classNames: Set<String> = []
    /// How many parts were copied.
    package private(set) var count = 0

    /// Makes a copier between two archives.
    package init(from source: KeyedArchive, to writer: KeyedArchiveWriter) {
        self.source = source
        self.writer = writer
    }

    /// Copies an object.
    ///
    /// - Parameters:
    ///   - reference: the number of the object in its archive.
    ///   - maximum: how many parts it may have.
    /// - Returns: its index in the other archive.
    /// - Throws: ``MalformedPropertyList``.
    package mutating func add(_ reference: UInt64, maximum: Int = KeyedArchiveReader.maximumWeight) throws
        -> Int
    {
        let root = try position(of: reference)
        while next < waiting.count {
            let (index, position) = waiting[next]
            next += 1
            noteClass(of: index)
            writer.fill(position, with: try node(index, 0, maximum))
        }
        return root
    }

    private mutating func position(of reference: UInt64) throws -> Int {
        if let known = positions[reference] { return known }
        guard let index = try source.object(at: reference) else { return 0 }
        let position = writer.reserve()
        positions[reference] = position
        waiting.append((index, position))
        return position
    }

    private mutating func noteClass(of index: Int) {
        guard case .dictionary = source.list.nodes[index], let fields = try? source.list.fields(of: index),
            fields["$class"] != nil, let names = try? source.classNames(of: fields)
        else { return }
        classNames.insert(names[0])
    }

    private mutating func node(_ index: Int, _ depth: Int, _ maximum: Int) throws -> Int {
        count += 1
        guard depth < Self.deepestNode, count <= maximum else {
            throw MalformedPropertyList("an object of the keyed archive is too large or nested too deep")
        }
        switch source.list.nodes[index] {
        case .identifier(let reference):
            return writer.add(.identifier(UInt64(try position(of: reference))))
        case .array(let elements):
            return writer.add(.array(try elements.map { try node($0, depth + 1, maximum) }))
        case .set(let elements):
            return writer.add(.set(try elements.map { try node($0, depth + 1, maximum) }))
        case .dictionary(let keys, let values):
            return writer.add(
                .dictionary(
                    keys: try keys.map { try node($0, depth + 1, maximum) },
                    values: try values.map { try node($0, depth + 1, maximum) }))
        case let plain:
            return writer.add(plain)
        }
    }
}

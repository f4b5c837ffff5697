import Foundation

/// The parts of a keyed archive: the property list that `NSKeyedArchiver` writes.
///
/// An archive is a dictionary of four entries. `$objects` is the list of all objects, `$null` at its start; an
/// object is a plain value or a dictionary of fields, whose `$class` leads to its class's name. `$top` names the
/// outermost values. References among objects are numbers of a type of their own, the indexes in `$objects`.
package struct KeyedArchive {
    /// The property list.
    package let list: BinaryPropertyList

    /// The outermost values by key, as indexes into the property list.
    package let top: [String: Int]

    /// For each object of the archive, its index in the property list.
    package let objects: [Int]

    /// The names of classes by the index of their description, which all objects of a class share.
    private let names = ClassNames()

    private final class ClassNames {
        var known: [Int: [String]] = [:]
    }

    /// How many of the classes that an archive proposes in place of a missing one are looked at.
    private static let maxHints = 32

    /// Takes a keyed archive apart.
    ///
    /// - Parameter maximumObjects: how many objects, and how many references, the property list may have.
    /// - Throws: ``MalformedPropertyList``, also for a property list that is not a keyed archive.
    package init(_ data: Data, maximumObjects: Int = BinaryPropertyList.maximumObjects) throws {
        guard BinaryPropertyList.isBinaryPropertyList(data) else {
            throw MalformedPropertyList(Self.reasonForForeignData(data))
        }
        list = try BinaryPropertyList(data, maximumObjects: maximumObjects)
        let entries = try list.fields(of: list.root)
        guard let archiver = entries["$archiver"], case .string("NSKeyedArchiver") = list.nodes[archiver]
        else {
            throw MalformedPropertyList("it is not a keyed archive")
        }
        guard let version = entries["$version"], case .integer(100_000) = list.nodes[version] else {
            throw MalformedPropertyList("it is a keyed archive of an unknown version")
        }
        guard let objects = entries["$objects"], case .array(let objects) = list.nodes[objects],
            let first = objects.first, case .string("$null") = list.nodes[first]
        else {
            throw MalformedPropertyList("the keyed archive has no list of objects")
        }
        guard let top = entries["$top"] else {
            throw MalformedPropertyList("the keyed archive has no root values")
        }
        self.objects = objects
        self.top = try list.fields(of: top)
    }

    /// Says what data is that is not a binary property list, for the likely cases.
    private static func reasonForForeignData(_ data: Data) -> String {
        if data.isEmpty { return "it is empty" }
        if data.starts(with: Data("\u{4}\u{B}streamtyped".utf8)) {
            return "it is an archive of NSArchiver, which is not read because it cannot be read safely"
        }
        if data.starts(with: Data("<?xml".utf8)) {
            return "it is a property list in XML, and only binary ones are read"
        }
        return "it does not begin as a binary property list"
    }

    /// The object that a reference leads to, as an index into the property list; `nil` for the null object.
    package func object(at reference: UInt64) throws -> Int? {
        guard reference < UInt64(objects.count) else {
            throw MalformedPropertyList("a reference of the keyed archive names no object")
        }
        return reference == 0 ? nil : objects[Int(reference)]
    }

    /// The class names of an object: its own, then those that its writer proposed for readers who lack it.
    package func classNames(of fields: [String: Int]) throws -> [String] {
        guard let reference = fields["$class"], case .identifier(let identifier) = list.nodes[reference],
            let description = try object(at: identifier)
        else {
            throw MalformedPropertyList("an object of the keyed archive has no class")
        }
        if let known = names.known[description] { return known }
        let entries = try list.fields(of: description)
        guard let name = entries["$classname"], case .string(let name) = list.nodes[name] else {
            throw MalformedPropertyList("a class of the keyed archive has no name")
        }
        let all = [name] + strings(in: entries["$classhints"])
        names.known[description] = all
        return all
    }

    private func strings(in index: Int?) -> [String] {
        guard let index, case .array(let elements) = list.nodes[index] else { return [] }
        return elements.prefix(Self.maxHints).compactMap { element in
            if case .string(let text) = list.nodes[element] { text } else { nil }
        }
    }
}

extension BinaryPropertyList {
    /// The entries of a dictionary whose keys are strings.
    ///
    /// - Throws: ``MalformedPropertyList`` when the object is something else, or names a key twice.
    package func fields(of index: Int) throws -> [String: Int] {
        guard case .dictionary(let keys, let values) = nodes[index] else {
            throw MalformedPropertyList("there is no dictionary where one should be")
        }
        var fields: [String: Int] = [:]
        fields.reserveCapacity(keys.count)
        for (key, value) in zip(keys, values) {
            guard case .string(let key) = nodes[key] else {
                throw MalformedPropertyList("the key of a dictionary is not a string")
            }
            guard fields.updateValue(value, forKey: key) == nil else {
                throw MalformedPropertyList("a dictionary has the key \"\(key)\" twice")
            }
        }
        return fields
    }
}

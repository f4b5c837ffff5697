import Foundation

/// Writes objects as keyed archives, in the form that Apple's `NSKeyedArchiver` gives them.
///
/// `NSKeyedArchiver` of Foundation on Linux ends the program when an object does not support secure coding, and
/// also for any `NSDecimalNumber` and `NSError`. Saving an object must rather fail with an error. Here the classes
/// of ``FoundationArchiveClass`` are written without their help, and any other class that conforms to
/// `NSSecureCoding` gets its `encode(with:)`, with a ``KeyedArchiveEncoder``.
///
/// Class names follow `NSKeyedArchiver.setClassName(_:for:)`. Conditional objects are written like others.
package final class KeyedArchiveWriter {
    private var table = PropertyListTable()

    /// The objects that were begun, and their indexes in the archive. They are retained, so that no address is used again.
    private var positions: [ObjectIdentifier: (position: Int, object: AnyObject)] = [:]
    private var classIndexes: [String: Int] = [:]

    /// The objects of the archive, as indexes into the table. An object gets its index before it is written,
    /// because it may be met again inside itself.
    private var objects: [Int]
    /// The indexes of the objects that are being written.
    private var unfinished: Set<Int> = []
    private var depth = 0
    /// What comparing each object with an equal one costs, by its index: as the reader counts it.
    private var comparisonWeights: [Int: Int] = [:]
    private var comparisonWeight = 0
    private var hashing = HashingBudget()

    /// The first thing that went wrong.
    package private(set) var failure: (any Error)?

    /// Makes a writer for an archive whose objects a client puts together by itself.
    package init() { objects = [table.add(.string("$null"))] }

    /// Writes an object and all that it refers to.
    ///
    /// - Parameter root: An object, or a Swift value that Foundation has a class for.
    /// - Returns: A keyed archive in the binary format.
    /// - Throws: `CocoaError.coderInvalidValue` when an object does not support secure coding; the message names
    ///   its class.
    package static func archivedData(withRootObject root: Any) throws -> Data {
        let writer = KeyedArchiveWriter()
        let position = writer.reference(to: root)
        return try writer.finish(root: position)
    }

    /// The archive.
    ///
    /// - Parameters:
    ///   - root: the index of the outermost object.
    ///   - key: its key.
    ///   - maximumObjects: how many objects, and how many references to them, the reader takes.
    /// - Throws: The first thing that went wrong; `CocoaError.coderInvalidValue` for more than the reader takes.
    package func finish(
        root: Int, key: String = NSKeyedArchiveRootObjectKey,
        maximumObjects: Int = BinaryPropertyList.maximumObjects
    ) throws -> Data {
        if let failure { throw failure }
        let top = [(key, table.add(.identifier(UInt64(root))))]
        let archive = table.addDictionary([
            ("$version", table.add(.integer(100_000))),
            ("$archiver", table.add(.string("NSKeyedArchiver"))),
            ("$top", table.addDictionary(top)),
            ("$objects", table.add(.array(objects))),
        ])
        guard table.nodes.count <= maximumObjects, table.referenceCount <= maximumObjects else {
            throw CocoaError.coding(
                .coderInvalidValue, "More than \(maximumObjects) objects cannot be archived at once.")
        }
        return BinaryPropertyList(nodes: table.nodes, root: archive).data()
    }

    /// Reserves an index for an object that is not written yet, so that others can refer to it.
    package func reserve() -> Int {
        objects.append(0)
        return objects.count - 1
    }

    /// Writes an object at its index.
    ///
    /// - Parameters:
    ///   - position: a reserved index.
    ///   - classNames: the names of the object's class and of its superclasses, but for `NSObject`.
    ///   - fields: the keys, and the indexes of their values in the property list.
    package func fill(_ position: Int, classNames: [String], fields: [(key: String, value: Int)]) {
        let archivedClass = self.position(ofClass: classNames + ["NSObject"])
        let reference = add(.identifier(UInt64(archivedClass)))
        objects[position] = table.addDictionary(fields + [(key: "$class", value: reference)])
    }

    /// Puts a value of the property list at a reserved index.
    func fill(_ position: Int, with node: Int) { objects[position] = node }

    /// Writes the outermost object of another archive.
    private func copy(_ archive: OpaqueArchive) -> Int {
        do {
            let source = try KeyedArchive(archive.data)
            guard let root = source.top[NSKeyedArchiveRootObjectKey],
                case .identifier(let reference) = source.list.nodes[root]
            else { throw MalformedPropertyList("the keyed archive has no root object") }
            var copy = ArchiveCopy(from: source, to: self)
            return try copy.add(reference)
        } catch {
            fail(
                CocoaError.coding(
                    .coderInvalidValue, "The bytes to be kept as an archive are not a valid one: \(error)"))
            return 0
        }
    }

    /// Reserves an index for a plain value.
    package func addObject(_ node: BinaryPropertyList.Node) -> Int {
        objects.append(table.add(node))
        return objects.count - 1
    }

    /// Ends the writing.
    func fail(_ error: any Error) {
        if failure == nil { failure = error }
    }

    /// Puts a field's value into the archive.
    package func add(_ node: BinaryPropertyList.Node) -> Int { table.add(node) }

    /// Puts references to objects into the archive, and the objects unless they are there.
    func addReference(to value: Any?) -> Int {
        table.add(.identifier(UInt64(reference(to: value))))
    }

    /// The index of an object among those of the archive, where it is put unless it is there.
    ///
    /// - Parameter value: an object, or a Swift value that Foundation has a class for; `nil` is the null object.
    package func reference(to value: Any?) -> Int {
        guard failure == nil, let value = value.flatMap(Self.flattened) else { return 0 }
        if let archive = value as? OpaqueArchive { return copy(archive) }
        guard let object = value as AnyObject as? NSObject, Self.hasName(type(of: object)),
            !Self.isBoxedSwiftValue(object)
        else {
            fail(Self.refusal(of: String(reflecting: type(of: value))))
            return 0
        }
        if let known = positions[ObjectIdentifier(object)] {
            // The reader takes no such archive: better no value than one that is lost.
            if unfinished.contains(known.position) {
                fail(
                    CocoaError.coding(
                        .coderInvalidValue, "An object that contains itself cannot be archived."))
            }
            comparisonWeight = comparisonWeight.saturatingAdd(comparisonWeights[known.position] ?? 1)
            return known.position
        }
        guard depth < KeyedArchiveReader.maximumDepth else {
            fail(CocoaError.coding(.coderInvalidValue, "The object is nested too deep to be archived."))
            return 0
        }
        let position = objects.count
        objects.append(0)
        positions[ObjectIdentifier(object)] = (position, object)
        depth += 1
        unfinished.insert(position)
        let before = comparisonWeight
        comparisonWeight = HashingBudget.weight(of: object)
        defer {
            depth -= 1
            unfinished.remove(position)
            comparisonWeights[position] = comparisonWeight
            comparisonWeight = before.saturatingAdd(comparisonWeight)
        }
        if let plain = FoundationArchiveClass.plainNode(of: object) {
            objects[position] = table.add(plain)
            return position
        }
        let encoder = KeyedArchiveEncoder(writer: self)
        do {
            let archivedClass: AnyClass = try FoundationArchiveClass.write(object, to: encoder)
            encoder.set(.identifier(UInt64(self.position(of: archivedClass))), forKey: "$class")
        } catch {
            fail(error)
        }
        objects[position] = table.addDictionary(encoder.fields)
        return position
    }

    /// Charges for the hash table that the reader makes of members, which have been written.
    ///
    /// - Throws: `CocoaError.coderInvalidValue` for a table that reading would refuse.
    func charge(_ members: [Any], _ positions: [Int]) throws {
        if failure != nil { return }
        let members = zip(members, positions).map { member, position in
            HashingBudget.Member(object: member as AnyObject, weight: comparisonWeights[position] ?? 1)
        }
        guard !members.contains(where: { $0.object is NSDecimalNumber }) else {
            throw CocoaError.coding(.coderInvalidValue, "A set of decimal numbers cannot be archived.")
        }
        do {
            comparisonWeight = comparisonWeight.saturatingAdd(try hashing.charge(members))
        } catch {
            throw CocoaError.coding(
                .coderInvalidValue,
                """
                A set cannot be archived when too many members, or too large ones, have the same hash.
                """)
        }
    }

    /// The index of a class's description among the objects of the archive.
    private func position(of archivedClass: AnyClass) -> Int {
        let name = NSKeyedArchiver.classNameForClass(archivedClass) ?? ClassNames.name(of: archivedClass)
        if let known = classIndexes[name] { return known }
        var names = [name]
        var next: AnyClass? = (archivedClass as? NSObject.Type)?.superclass
        while let ancestor = next {
            names.append(ClassNames.name(of: ancestor))
            next = (ancestor as? NSObject.Type)?.superclass
        }
        return position(ofClass: names)
    }

    private func position(ofClass names: [String]) -> Int {
        let name = names[0]
        if let known = classIndexes[name] { return known }
        let description = table.addDictionary([
            ("$classname", table.add(.string(name))),
            ("$classes", table.add(.array(names.map { table.add(.string($0)) }))),
        ])
        objects.append(description)
        classIndexes[name] = objects.count - 1
        return objects.count - 1
    }

    /// A value out of the optionals around it.
    private static func flattened(_ value: Any) -> Any? {
        guard let optional = value as? any OptionalValue else { return value }
        return optional.wrappedValue.flatMap(flattened)
    }

    /// Whether an archive can name a class, and Foundation find it by that name: nested, private and generic ones
    /// have no such name, and asking Foundation for it ends the program.
    private static func hasName(_ type: NSObject.Type) -> Bool {
        String(reflecting: type).count(where: { $0 == "." }) == 1
    }

    /// Foundation puts a Swift value that it has no class for into an object of a private class.
    private static func isBoxedSwiftValue(_ object: NSObject) -> Bool {
        NSStringFromClass(type(of: object)).hasSuffix("__SwiftValue")
    }

    static func refusal(of name: String) -> CocoaError {
        .coding(
            .coderInvalidValue,
            """
            A value of the type \(name) cannot be archived: it does not support secure coding, or its class is nested, \
            private or generic.
            """)
    }
}

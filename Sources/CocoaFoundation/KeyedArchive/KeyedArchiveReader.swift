import Foundation

/// Reads objects from keyed archives that may come from anyone.
///
/// `NSKeyedUnarchiver` of Foundation on Linux ends the program when an archive names a class that was not requested,
/// holds a value of the wrong type or contains itself, whatever its `decodingFailurePolicy` says. A database
/// file must not be able to do that. Here the classes of ``FoundationArchiveClass`` are read without their help,
/// and any other class that conforms to `NSSecureCoding` gets its `init(coder:)`, with a ``KeyedArchiveDecoder``.
///
/// - Each object is of one of the classes that were requested for it, or of a subclass. The elements of a
///   collection may be of the classes that were requested for the collection, and of the classes of property lists:
///   Apple's unarchiver lets those pass. That holds for each place that a shared object is read from.
/// - The first failure ends the reading: every later request is answered with nothing.
/// - What the sets and dictionaries of an archive cost to make is bounded for all of them together; see
///   ``HashingBudget``.
/// - Cycles are an error. (Apple's can read an object that refers back to one that is still being read.)
/// - Class names follow `NSKeyedUnarchiver.setClass(_:forClassName:)`.
package final class KeyedArchiveReader {
    /// How deep objects may be nested.
    static let maximumDepth = 512

    /// How many objects there may be when each shared one is counted as often as it is reached.
    package static let maximumWeight = 5_000_000

    private let archive: KeyedArchive
    private var finished: [Int: Finished] = [:]
    private var unfinished: Set<Int> = []

    /// An object that was read, to be handed out at every place that refers to it.
    private struct Finished {
        let object: AnyObject
        let weight: Int
        /// What comparing it with an equal one costs.
        let comparisonWeight: Int
        /// The classes that were requested when it was read.
        let classes: [AnyClass]
    }
    private var weight = 0
    private let limit: Int
    /// The comparison weight of what was read of the object that is being read.
    private var comparisonWeight = 0
    private var hashing = HashingBudget()

    /// The first thing that went wrong.
    private(set) var failure: (any Error)?

    /// Makes a reader of single values of an archive, whose outermost object may be of a class that is read elsewhere.
    ///
    /// - Parameter maximumWeight: how many objects there may be when each shared one is counted as often as it is
    ///   reached.
    package init(_ archive: KeyedArchive, maximumWeight: Int = KeyedArchiveReader.maximumWeight) {
        self.archive = archive
        limit = maximumWeight
    }

    /// Reads the outermost object of an archive.
    ///
    /// - Parameters:
    ///   - classes: The classes that the object may be of.
    ///   - data: What `NSKeyedArchiver` or ``KeyedArchiveWriter`` wrote, in the binary format.
    /// - Returns: The object; `nil` when the archive holds none.
    /// - Throws: `CocoaError.coderReadCorrupt` for damaged data and for a class that is not allowed, whose message
    ///   names the class and the allowed ones; `.coderInvalidValue` for a class that cannot be read securely;
    ///   `.coderValueNotFound` when there is no outermost object.
    package static func root(of classes: [AnyClass], from data: Data) throws -> AnyObject? {
        do {
            let reader = KeyedArchiveReader(try KeyedArchive(data))
            guard let root = reader.archive.top[NSKeyedArchiveRootObjectKey] else {
                throw CocoaError.coding(.coderValueNotFound, "The keyed archive has no root object.")
            }
            return try reader.object(at: root, allowed: classes)
        } catch let fault as MalformedPropertyList {
            throw CocoaError.coding(.coderReadCorrupt, fault.description)
        }
    }

    /// Ends the reading.
    func fail(_ error: any Error) {
        if failure == nil { failure = error }
    }

    /// The plain contents of a field.
    func node(at field: Int) -> BinaryPropertyList.Node { archive.list.nodes[field] }

    /// Reads the object that a field refers to or, a plain value, holds.
    ///
    /// - Parameters:
    ///   - field: The index of the field's value.
    ///   - allowed: The classes that the object may be of.
    ///   - isElement: Whether it is an element of a collection and may be a property list as well.
    /// - Returns: `nil` for the null object.
    /// - Throws: ``MalformedPropertyList`` and `CocoaError`.
    package func object(at field: Int, allowed: [AnyClass], isElement: Bool = false) throws -> AnyObject? {
        if let failure { throw failure }
        guard let position = try position(of: field) else { return nil }
        if let known = finished[position] {
            try check(type(of: known.object), isAmong: allowed, isElement: isElement)
            try add(known.weight)
            comparisonWeight = comparisonWeight.saturatingAdd(known.comparisonWeight)
            if !known.classes.elementsEqual(allowed, by: { $0 == $1 }) {
                try checkElements(of: known.object, areAmong: allowed)
            }
            return known.object
        }
        guard unfinished.count < Self.maximumDepth else {
            throw MalformedPropertyList("the keyed archive is nested more than \(Self.maximumDepth) deep")
        }
        guard unfinished.insert(position).inserted else {
            throw MalformedPropertyList("an object of the keyed archive contains itself")
        }
        defer { unfinished.remove(position) }

        let before = (weight: weight, comparisonWeight: comparisonWeight)
        (weight, comparisonWeight) = (1, 0)
        let object = try newObject(at: position, allowed: allowed, isElement: isElement)
        if let failure { throw failure }
        comparisonWeight = comparisonWeight.saturatingAdd(HashingBudget.weight(of: object))
        let known = Finished(
            object: object, weight: weight, comparisonWeight: comparisonWeight, classes: allowed)
        finished[position] = known
        weight = before.weight
        comparisonWeight = before.comparisonWeight.saturatingAdd(known.comparisonWeight)
        try add(known.weight)
        return object
    }

    /// The index of the object that a field refers to, or the field itself; `nil` for the null object.
    private func position(of field: Int) throws -> Int? {
        guard case .identifier(let reference) = archive.list.nodes[field] else { return field }
        return try archive.object(at: reference)
    }

    /// What comparing the object of a field, which has been read, with an equal one costs.
    func comparisonWeight(at field: Int) throws -> Int {
        try position(of: field).flatMap { finished[$0]?.comparisonWeight } ?? 1
    }

    /// Charges for the hash table of the object that is being read; see ``HashingBudget``.
    func charge(_ members: [HashingBudget.Member]) throws {
        do {
            comparisonWeight = comparisonWeight.saturatingAdd(try hashing.charge(members))
        } catch {
            throw MalformedPropertyList(
                "too many members of the sets of the keyed archive, or too large ones, have the same hash")
        }
    }

    private func add(_ more: Int) throws {
        weight += more
        guard weight <= limit else {
            throw MalformedPropertyList("the archive expands to more than \(limit) objects")
        }
    }

    private func newObject(at position: Int, allowed: [AnyClass], isElement: Bool) throws -> AnyObject {
        let node = archive.list.nodes[position]
        guard case .dictionary = node else {
            guard let value = FoundationArchiveClass.plainValue(node) else {
                throw MalformedPropertyList(
                    "an object of the keyed archive is neither a plain value nor an object with a class")
            }
            try check(type(of: value), isAmong: allowed, isElement: isElement)
            return value
        }
        let fields = try archive.list.fields(of: position)
        let names = try archive.classNames(of: fields)
        guard let found = names.lazy.compactMap({ Self.classNamed($0, among: allowed) }).first else {
            throw Self.refusal(of: names[0], allowed: allowed)
        }
        try check(found, isAmong: allowed, isElement: isElement, name: names[0])
        let decoder = KeyedArchiveDecoder(reader: self, fields: fields, classes: allowed)
        return try FoundationArchiveClass.newObject(of: found, from: decoder)
    }
}

// MARK: Classes

extension KeyedArchiveReader {
    private static let longestName = 256

    /// The class that a name of an archive stands for.
    ///
    /// Apple's archiver writes some decimal numbers, 0 among them, under the name of a private class.
    private static func classNamed(_ name: String, among allowed: [AnyClass]) -> AnyClass? {
        // Looked up for each object of the class.
        guard name.utf8.count <= longestName else { return nil }
        if let mapped = NSKeyedUnarchiver.class(forClassName: name) { return mapped }
        if name == "NSDecimalNumberPlaceholder" { return NSDecimalNumber.self }
        if let allowedClass = allowed.first(where: { ClassNames.name(of: $0) == name }) {
            return allowedClass
        }
        // Foundation prints a complaint for every name of another shape, and the archive's author chose it.
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        let isPlain = parts.count <= 2 && parts.allSatisfy(isIdentifier)
        return isPlain ? NSClassFromString(name) : nil
    }

    /// Whether a name of an archive stands for one of some classes, or for a subclass.
    package static func isName(_ name: String, ofAny allowed: [AnyClass]) -> Bool {
        guard let found = classNamed(name, among: allowed) else { return false }
        return allowed.contains { isClass(found, kindOf: $0) }
    }

    /// The name of a class in an archive that does not exist in this program, nor any of the classes that the archive
    /// proposes for it; nil when all exist, or the data is not an archive.
    package static func missingClass(in data: Data) -> String? {
        guard let archive = try? KeyedArchive(data) else { return nil }
        for index in archive.objects {
            guard case .dictionary = archive.list.nodes[index],
                let fields = try? archive.list.fields(of: index),
                fields["$class"] != nil, let names = try? archive.classNames(of: fields),
                !names.contains(where: { classNamed($0, among: []) != nil })
            else { continue }
            return names.first
        }
        return nil
    }

    private static func isIdentifier(_ text: Substring) -> Bool {
        guard let first = text.unicodeScalars.first, first == "_" || first.properties.isXIDStart else {
            return false
        }
        return !text.hasPrefix("_Tt") && text.unicodeScalars.allSatisfy { $0.properties.isXIDContinue }
    }

    private func check(
        _ found: AnyClass, isAmong allowed: [AnyClass], isElement: Bool, name: String? = nil
    ) throws {
        if allowed.contains(where: { Self.isClass(found, kindOf: $0) }) { return }
        let passing = FoundationArchiveClass.propertyListClasses
        if isElement, passing.contains(where: { Self.isClass(found, kindOf: $0) }) { return }
        throw Self.refusal(of: name ?? NSStringFromClass(found), allowed: allowed)
    }

    /// Checks the elements of a collection that was read with other classes. The caller has counted its weight, which
    /// bounds how many there are, and reading has bounded their depth.
    private func checkElements(of object: AnyObject, areAmong allowed: [AnyClass]) throws {
        guard let object = object as? NSObject, let elements = FoundationArchiveClass.elements(of: object)
        else {
            return
        }
        for element in elements {
            let element = element as AnyObject
            try check(type(of: element), isAmong: allowed, isElement: true)
            try checkElements(of: element, areAmong: allowed)
        }
    }

    private static func isClass(_ found: AnyClass, kindOf other: AnyClass) -> Bool {
        found == other || (found as? NSObject.Type)?.isSubclass(of: other) == true
    }

    private static func refusal(of name: String, allowed: [AnyClass]) -> CocoaError {
        let names = allowed.map { NSStringFromClass($0) }.joined(separator: ", ")
        return .coding(
            .coderReadCorrupt,
            "The archive holds an object of the class \"\(name)\". The allowed classes are: \(names).")
    }
}

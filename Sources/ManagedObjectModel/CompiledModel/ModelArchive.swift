import CocoaFoundation

/// The keyed archive that a compiled model is, whose objects are looked at one by one.
///
/// The objects of a model refer to each other in circles: an entity to its model, a relationship to its inverse. So
/// nothing is decoded by following references; the reader takes up each object where it expects one. What it may
/// visit in total is bounded, since a small archive may refer to a large table from many places.
final class ModelArchive {
    private let archive: KeyedArchive
    private let values: KeyedArchiveReader
    private var objects: [Int: ArchivedObject] = [:]
    private var classes: [Int: [String]] = [:]
    /// The values of Foundation that have been turned into Swift's, by their indexes.
    private var plainValues: [Int: WeighedValue] = [:]
    private var unvisited = Limit.elements
    private var unmade = Limit.parts

    /// A value and how many values it is made of, each counted as often as it is reached.
    private typealias WeighedValue = (value: Any, weight: Int)

    /// The bounds of an archive; the largest model known is a hundredth of them.
    private enum Limit {
        static let fileSize = 1 << 27
        /// Elements of lists and tables, each as often as it is visited.
        static let elements = 1_000_000
        /// What is made of them for every place that refers to them: values, and elements of indexes and constraints.
        static let parts = 200_000
    }

    /// The largest file that is read.
    static var largestFile: Int { Limit.fileSize }

    /// Takes the archive apart.
    ///
    /// - Throws: `ModelFileError` for data that is not a keyed archive.
    init(_ data: Data) throws {
        guard data.count <= Limit.fileSize else {
            throw ModelFileError(.tooLarge, "the archive is larger than \(Limit.fileSize) bytes")
        }
        archive = try ModelFileError.throwing { try KeyedArchive(data) }
        values = KeyedArchiveReader(archive, maximumWeight: Limit.parts)
    }

    /// The outermost object.
    func root() throws -> ArchivedObject {
        guard let index = archive.top[NSKeyedArchiveRootObjectKey],
            let root = try object(at: index, what: "the root object")
        else {
            throw ModelFileError(.malformed, "the archive has no root object")
        }
        return root
    }

    /// The contents of a field as they are in the property list.
    func node(at index: Int) -> BinaryPropertyList.Node { archive.list.nodes[index] }

    /// The index in the property list that a field refers to, or the field itself; `nil` for the null object.
    func target(of index: Int) throws -> Int? {
        guard case .identifier(let reference) = archive.list.nodes[index] else { return index }
        return try ModelFileError.throwing { try archive.object(at: reference) }
    }

    /// The object that a field refers to; `nil` for the null object.
    ///
    /// - Parameters:
    ///   - index: that of the field's value in the property list.
    ///   - what: what should be there, for the message.
    /// - Throws: `ModelFileError` for a plain value.
    func object(at index: Int, what: @autoclosure () -> String) throws -> ArchivedObject? {
        guard let target = try target(of: index) else { return nil }
        if let known = objects[target] { return known }
        guard case .dictionary = archive.list.nodes[target] else {
            throw ModelFileError(.invalidValue, "\(what()) is a plain value and not an object")
        }
        let fields = try ModelFileError.throwing { try archive.list.fields(of: target) }
        let object = ArchivedObject(
            archive: self, position: target, classNames: try classNames(fields["$class"]), fields: fields)
        objects[target] = object
        return object
    }

    /// Whether a field refers to an object with fields, rather than to a plain value.
    func isObject(_ index: Int) throws -> Bool {
        guard let target = try target(of: index), case .dictionary = archive.list.nodes[target] else {
            return false
        }
        return true
    }

    /// The names of a class and of its superclasses.
    private func classNames(_ index: Int?) throws -> [String] {
        guard let index, let target = try target(of: index) else {
            throw ModelFileError(.malformed, "an object of the archive has no class")
        }
        if let known = classes[target] { return known }
        let fields = try ModelFileError.throwing { try archive.list.fields(of: target) }
        guard let name = fields["$classname"], case .string(let name) = archive.list.nodes[name] else {
            throw ModelFileError(.malformed, "a class of the archive has no name")
        }
        var names = [name]
        if let lineage = fields["$classes"], case .array(let elements) = archive.list.nodes[lineage] {
            for element in elements.prefix(Self.deepestClass) {
                guard case .string(let ancestor) = archive.list.nodes[element] else { continue }
                if ancestor != name { names.append(ancestor) }
            }
        }
        classes[target] = names
        return names
    }

    private static let deepestClass = 32

    /// Counts elements that are about to be visited.
    func visit(_ count: Int) throws {
        unvisited -= count
        guard unvisited >= 0 else {
            throw ModelFileError(.tooLarge, "the archive expands to more than \(Limit.elements) objects")
        }
    }

    /// The value of Foundation that a field holds or refers to, in Swift's own type where it has one; `nil` for the
    /// null object.
    ///
    /// - Throws: `ModelFileError` for objects of other classes than those of property lists, UUIDs, URLs, sets and
    ///   the null value, for circles, and for more than any model has.
    func value(at index: Int) throws -> Any? {
        try valueWithWeight(at: index)?.value
    }

    /// The value, and how many values it is made of. What walks through values later does not know that parts of them
    /// are shared, so each counts as often as it is reached.
    func valueWithWeight(at index: Int) throws -> (value: Any, weight: Int)? {
        guard let target = try target(of: index) else { return nil }
        return try ModelFileError.throwing {
            // The reader counts each object as often as it is read, also where it is known.
            guard let object = try values.object(at: index, allowed: Self.valueClasses) else { return nil }
            let made = try plainValues[target] ?? plainValue(object)
            plainValues[target] = made
            try make(made.weight)
            return made
        }
    }

    /// The value of Foundation that a field refers to; where it is, or has in it, an object of a class that is not of
    /// Foundation, the archive of it.
    func valueOrArchive(at index: Int) throws -> Any? {
        guard case .identifier(let reference) = archive.list.nodes[index], reference != 0 else {
            return try value(at: index)
        }
        return try ModelFileError.throwing {
            let writer = KeyedArchiveWriter()
            var copy = ArchiveCopy(from: archive, to: writer)
            let root = try copy.add(reference, maximum: Limit.parts)
            try visit(copy.count)
            let foreign = copy.classNames.sorted()
                .first { !KeyedArchiveReader.isName($0, ofAny: Self.valueClasses) }
            guard let foreign else { return try value(at: index) }
            try make(copy.count)
            return OpaqueArchive(
                data: try writer.finish(root: root),
                reason: "It has an object of the class \(foreign), which a model does not use.",
                isOfModel: true)
        }
    }

    /// Counts parts of the model that are about to be made.
    func make(_ count: Int) throws {
        unmade -= count
        guard unmade >= 0 else { throw Self.tooManyParts }
    }

    private static var tooManyParts: ModelFileError {
        ModelFileError(
            .tooLarge, "the archive expands to more than \(Limit.parts) values and parts of indexes")
    }

    /// The text that a field holds or refers to; `nil` for the null object.
    ///
    /// - Parameter what: what should be there, for the message.
    func text(at index: Int, what: @autoclosure () -> String) throws -> String? {
        guard let target = try target(of: index) else { return nil }
        if case .string(let text) = archive.list.nodes[target] { return text }
        guard let text = try value(at: index) as? String else {
            throw ModelFileError(.invalidValue, "\(what()) is not a string")
        }
        return text
    }

    private static var valueClasses: [AnyClass] {
        [
            NSString.self, NSNumber.self, NSDate.self, NSData.self, NSUUID.self, NSURL.self, NSNull.self,
            NSArray.self, NSDictionary.self, NSSet.self, NSOrderedSet.self,
        ]
    }

    private func plainValue(_ object: AnyObject) throws -> WeighedValue {
        var weight = 1
        func inner(_ object: Any) throws -> Any {
            let inner = try plainValue(object as AnyObject)
            weight += inner.weight
            guard weight <= Limit.parts else { throw Self.tooManyParts }
            return inner.value
        }
        let value: Any
        switch object {
        case let text as NSString: return (String(describing: text), 1)
        case let date as NSDate: return (date as Date, 1)
        case let data as NSData: return (data as Data, 1)
        case let uuid as NSUUID: return (uuid as UUID, 1)
        case let url as NSURL: return (url as URL, 1)
        case let array as NSArray: value = try array.map(inner)
        case let dictionary as NSDictionary:
            var entries: [AnyHashable: Any] = [:]
            for (key, element) in dictionary {
                guard let key = try inner(key) as? AnyHashable else {
                    throw ModelFileError(.invalidValue, "a dictionary has a key that is a collection")
                }
                entries[key] = try inner(element)
            }
            value = entries
        case let set as NSSet:
            for element in set { _ = try inner(element) }
            value = object
        case let set as NSOrderedSet:
            for element in set { _ = try inner(element) }
            value = object
        default: return (object, 1)
        }
        return (value, weight)
    }
}

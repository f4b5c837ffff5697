import CocoaFoundation

/// An object of a model's archive: its class and its fields, not decoded any further.
struct ArchivedObject {
    /// It keeps the objects, and outlives them.
    private unowned let archive: ModelArchive
    /// The index of the object in the archive, which identifies it.
    let position: Int
    /// The name of its class and those of the superclasses.
    let classNames: [String]
    private let fields: [String: Int]
    /// What the object describes, for messages: an entity, or an entity and a property.
    var element: String?

    init(archive: ModelArchive, position: Int, classNames: [String], fields: [String: Int]) {
        self.archive = archive
        self.position = position
        self.classNames = classNames
        self.fields = fields
    }

    var className: String { classNames.first ?? "" }

    /// Whether the object is of a class or of a subclass of it.
    func isOf(_ className: String) -> Bool { classNames.contains(className) }

    /// The keys of the fields, without the class.
    var keys: [String] { fields.keys.filter { $0 != "$class" } }

    func has(_ key: String) -> Bool { fields[key] != nil }

    /// The index of the value of a field; `nil` if the field is missing.
    func index(_ key: String) -> Int? { fields[key] }

    func error(_ reason: ModelFileError.Reason, _ detail: String) -> ModelFileError {
        ModelFileError(reason, detail, element: element)
    }

    /// Adds the object's name to errors that have none.
    func named<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as ModelFileError where error.element == nil {
            throw self.error(error.reason, error.detail)
        }
    }

    private func wrong(_ key: String, _ expected: String) -> ModelFileError {
        error(.invalidValue, "'\(key)' of \(className) is not \(expected)")
    }

    // MARK: Plain values

    /// A truth value; `false` if it is missing.
    func flag(_ key: String) throws -> Bool {
        guard let index = fields[key] else { return false }
        switch archive.node(at: index) {
        case .boolean(let value): return value
        case .integer(let value): return value != 0
        default: throw wrong(key, "a truth value")
        }
    }

    /// A whole number; `nil` if it is missing.
    func number(_ key: String) throws -> Int? {
        guard let index = fields[key] else { return nil }
        guard case .integer(let value) = archive.node(at: index), let number = Int(exactly: value) else {
            throw wrong(key, "a whole number")
        }
        return number
    }

    /// A number from 0 up that fits 32 bits; 0 if it is missing.
    func count(_ key: String) throws -> Int {
        guard let number = try number(key) else { return 0 }
        guard number >= 0, Int32(exactly: number) != nil else {
            throw wrong(key, "a number from 0 to \(Int32.max)")
        }
        return number
    }

    /// A string; `nil` if it is missing or null.
    func text(_ key: String) throws -> String? {
        guard let index = fields[key] else { return nil }
        return try named { try archive.text(at: index, what: "'\(key)' of \(className)") }
    }

    /// A string that has to be there.
    func required(_ key: String) throws -> String {
        guard let text = try text(key), !text.isEmpty else {
            throw error(.missingValue, "'\(key)' of \(className) is missing")
        }
        return text
    }

    /// A value of Foundation, in Swift's own type where it has one; `nil` if it is missing or null.
    func value(_ key: String) throws -> Any? {
        guard let index = fields[key] else { return nil }
        return try named { try archive.value(at: index) }
    }

    /// A value, or the archive of an object whose class is not one of Foundation's; `nil` if it is missing or null.
    func valueOrArchive(_ key: String) throws -> Any? {
        guard let index = fields[key] else { return nil }
        return try named { try archive.valueOrArchive(at: index) }
    }

    // MARK: Objects

    /// The object that a field refers to; `nil` if it is missing or null.
    ///
    /// - Parameter className: the class that it has to be of, if only one will do.
    func object(_ key: String, of expectedClass: String? = nil) throws -> ArchivedObject? {
        guard let index = fields[key] else { return nil }
        let found = try named { try archive.object(at: index, what: "'\(key)' of \(className)") }
        guard let found else { return nil }
        if let expectedClass, !found.isOf(expectedClass) {
            throw wrong(key, "of the class \(expectedClass) but of \(found.className)")
        }
        return found
    }

    /// The elements of an array or a set, as indexes of the archive; `nil` if it is missing or null.
    func elements(_ key: String) throws -> [Int]? {
        guard let list = try object(key) else { return nil }
        guard list.isList else { throw wrong(key, "a list") }
        return try named { try list.list() }
    }

    /// The objects that an array or a set holds; `nil` if it is missing or null.
    func objects(_ key: String, of expectedClass: String) throws -> [ArchivedObject]? {
        try elements(key)?.map { try member(at: $0, of: expectedClass, in: key) }
    }

    /// The objects of an array or a set in a field of this one.
    func members(at index: Int, of expectedClass: String, in key: String) throws -> [ArchivedObject] {
        let list = try member(at: index, of: "NSObject", in: key)
        guard list.isList else { throw wrong(key, "made of lists") }
        return try named { try list.list() }.map {
            try member(at: $0, of: expectedClass, in: key)
        }
    }

    private var isList: Bool { isOf("NSArray") || isOf("NSSet") || isOf("NSOrderedSet") }

    /// A dictionary of values of Foundation; `nil` if it is missing or null. Values of other classes are archives.
    func dictionary(_ key: String) throws -> [AnyHashable: Any]? {
        guard let value = try valueOrArchive(key) else { return nil }
        if value is OpaqueArchive {
            return try (entries(key) ?? []).reduce(into: [:]) { info, entry in
                info[entry.key] = try named { try archive.valueOrArchive(at: entry.value) }
            }
        }
        guard let dictionary = value as? [AnyHashable: Any] else { throw wrong(key, "a dictionary") }
        return dictionary
    }

    /// The entries of a dictionary whose keys are strings, in the order of the keys; `nil` if it is missing or null.
    ///
    /// Models of stores have tables of a class of their own, with the keys apart from the values.
    func entries(_ key: String) throws -> [(key: String, value: Int)]? {
        guard let table = try object(key) else { return nil }
        let (keys, values): ([Int], [Int])
        if let strategy = try table.object("searchMapping"), table.isOf("NSKnownKeysDictionary") {
            keys = try named { try strategy.elements("keys") ?? [] }
            values = try named { try table.elements("values") ?? [] }
        } else if table.isOf("NSDictionary") {
            keys = try named { try table.list("NS.keys") }
            values = try named { try table.list("NS.objects") }
        } else {
            throw wrong(key, "a dictionary")
        }
        guard keys.count == values.count else {
            throw error(.malformed, "'\(key)' has \(keys.count) keys and \(values.count) values")
        }
        let names = try keys.map { index in
            let name = try named { try archive.text(at: index, what: "a key of '\(key)'") }
            guard let name else { throw error(.invalidValue, "a key of '\(key)' is null") }
            return name
        }
        let entries = zip(names, values).map { (key: $0, value: $1) }
            .sorted { $0.key.utf8Precedes($1.key) }
        for (one, next) in zip(entries, entries.dropFirst()) where one.key == next.key {
            throw error(.duplicateName, "'\(key)' has two entries '\(one.key)'")
        }
        return entries
    }

    /// The elements of this object, which is an array or a set.
    func list() throws -> [Int] { try list("NS.objects") }

    private func list(_ key: String) throws -> [Int] {
        guard let index = fields[key], case .array(let elements) = archive.node(at: index) else {
            throw ModelFileError(.malformed, "a collection of the class \(className) has no elements")
        }
        try archive.visit(elements.count)
        return elements
    }

    /// The object at an index of the archive, which an array or a dictionary of this one names.
    func member(at index: Int, of expectedClass: String, in key: String) throws -> ArchivedObject {
        let found = try named { try archive.object(at: index, what: "an element of '\(key)'") }
        guard let found, found.isOf(expectedClass) else {
            let className = found.map { "of \($0.className)" } ?? "null"
            throw error(
                .invalidValue, "an element of '\(key)' is not of the class \(expectedClass) but \(className)")
        }
        return found
    }

    /// The value of Foundation at an index of the archive.
    func value(at index: Int) throws -> Any? { try named { try archive.value(at: index) } }
}

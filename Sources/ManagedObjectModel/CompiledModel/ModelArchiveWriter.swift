import CocoaFoundation

/// The archive of a model while it grows: objects with class names and fields, which may refer to each other in circles.
final class ModelArchiveWriter {
    private let archive = KeyedArchiveWriter()
    private var texts: [String: Int] = [:]
    private var singletons: [String: Int] = [:]

    /// The value of a field.
    enum Value {
        case null
        case flag(Bool)
        case number(Int)
        case real(Double)
        case data(Data)
        /// A string that is an object of its own.
        case text(String?)
        /// A string in the field itself.
        case plainText(String)
        case object(Int)
        /// A list of objects in the field itself.
        case list([Int])
    }

    /// The fields of an object in the order in which they are written.
    typealias Fields = [(key: String, value: Value)]

    /// Reserves an index for an object that is written later.
    func reserve() -> Int { archive.reserve() }

    /// Writes an object at a reserved index.
    ///
    /// - Parameter classNames: the names of the class and of its superclasses, but for `NSObject`.
    func fill(_ position: Int, _ classNames: [String], _ fields: Fields) {
        archive.fill(
            position, classNames: classNames, fields: fields.map { (key: $0.key, value: node($0.value)) })
    }

    /// Writes an object.
    ///
    /// - Returns: its index.
    func add(_ classNames: [String], _ fields: Fields) -> Int {
        let position = reserve()
        fill(position, classNames, fields)
        return position
    }

    /// Writes an object of which the archive needs one only.
    func addOnce(_ classNames: [String], _ fields: Fields) -> Int {
        let name = classNames.first ?? ""
        if let known = singletons[name] { return known }
        let position = add(classNames, fields)
        singletons[name] = position
        return position
    }

    private func node(_ value: Value) -> Int {
        switch value {
        case .null, .text(nil): archive.add(.identifier(0))
        case .flag(let flag): archive.add(.boolean(flag))
        case .number(let number): archive.add(.integer(Int64(number)))
        case .real(let number): archive.add(.real(number))
        case .data(let data): archive.add(.data(data))
        case .text(let text?): archive.add(.identifier(UInt64(position(of: text))))
        case .plainText(let text): archive.add(.string(text))
        case .object(let position): archive.add(.identifier(UInt64(position)))
        case .list(let positions): archive.add(.array(positions.map { archive.add(.identifier(UInt64($0))) }))
        }
    }

    /// The index of a string, which is written once.
    func position(of text: String) -> Int {
        if let known = texts[text] { return known }
        let position = archive.addObject(.string(text))
        texts[text] = position
        return position
    }

    // MARK: Collections

    /// The classes of collections, as Apple's archives of models name them.
    enum Collection {
        static let array = ["NSArray"]
        static let mutableArray = ["NSMutableArray", "NSArray"]
        static let set = ["NSSet"]
        static let dictionary = ["NSDictionary"]
        static let mutableDictionary = ["NSMutableDictionary", "NSDictionary"]
    }

    /// Writes an array or a set.
    func addList(_ classNames: [String], _ positions: [Int]) -> Value {
        .object(add(classNames, [("NS.objects", .list(positions))]))
    }

    /// Writes a dictionary with strings as keys.
    func addDictionary(_ classNames: [String], _ entries: [(key: String, position: Int)]) -> Value {
        let entries = entries.sorted { $0.key.utf8Precedes($1.key) }
        return .object(
            add(
                classNames,
                [
                    ("NS.keys", .list(entries.map { position(of: $0.key) })),
                    ("NS.objects", .list(entries.map(\.position))),
                ]))
    }

    // MARK: Values of Foundation

    /// Writes a value of Foundation.
    ///
    /// - Throws: `ModelFileError` for a value that does not support secure coding.
    func addValue(_ value: Any?, for element: String) throws -> Value {
        guard let value else { return .null }
        return .object(try position(of: value, for: element))
    }

    /// The index of a value of Foundation, which is written unless it is a string that is there already.
    func position(of value: Any, for element: String) throws -> Int {
        if let text = value as? String { return position(of: text) }
        if let decimal = value as? NSDecimalNumber, decimal == .zero {
            return add(zero: decimal)
        }
        let position = archive.reference(to: value)
        if let failure = archive.failure {
            throw ModelFileError(
                .invalidValue, "a value cannot be archived: \(failure.localizedDescription)", element: element
            )
        }
        return position
    }

    /// Writes the number 0 as Apple's archives have it: an object of a private class, without digits, whose exponent
    /// shows how the number was written.
    private func add(zero: NSDecimalNumber) -> Int {
        add(
            ["NSDecimalNumberPlaceholder", "NSDecimalNumber", "NSNumber", "NSValue"],
            [
                ("NS.exponent", .number(zero.decimalValue.exponent)), ("NS.length", .number(0)),
                ("NS.negative", .flag(false)), ("NS.compact", .flag(false)), ("NS.mantissa.bo", .number(1)),
                ("NS.mantissa", .data(Data(count: 16))),
            ])
    }

    /// The archive.
    ///
    /// - Parameter root: the index of the outermost object.
    func finish(root: Int) throws -> Data {
        try ModelFileError.throwing { try archive.finish(root: root) }
    }
}

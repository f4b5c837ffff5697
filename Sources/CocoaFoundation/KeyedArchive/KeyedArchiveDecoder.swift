import Foundation

/// The coder of one object of a keyed archive while that object is read.
///
/// The rules are those of ``KeyedArchiveReader``. A missing number is zero, as Apple's documentation says; a value
/// that is there but of another type is a failure, which Apple's raises as an exception.
final class KeyedArchiveDecoder: NSCoder {
    private let reader: KeyedArchiveReader
    private let fields: [String: Int]
    private let classes: [AnyClass]

    /// - Parameters:
    ///   - reader: Reads the objects that this one refers to.
    ///   - fields: The indexes of the values of the object's fields.
    ///   - classes: The classes that were requested for the object itself.
    init(reader: KeyedArchiveReader, fields: [String: Int], classes: [AnyClass]) {
        self.reader = reader
        self.fields = fields
        self.classes = classes
    }

    /// The value of a field as it is written.
    func node(forKey key: String) -> BinaryPropertyList.Node? {
        error == nil ? fields[key].map(reader.node(at:)) : nil
    }

    /// The elements that the object lists under a key.
    func elements(forKey key: String) throws -> [AnyObject] {
        guard case .array(let elements)? = node(forKey: key) else {
            throw MalformedPropertyList("a collection of the keyed archive has no \"\(key)\"")
        }
        return try elements.map(element(at:))
    }

    /// The elements that the object lists under a key, which a hash table is to take.
    func members(forKey key: String) throws -> [HashingBudget.Member] {
        guard case .array(let elements)? = node(forKey: key) else {
            throw MalformedPropertyList("a collection of the keyed archive has no \"\(key)\"")
        }
        return try elements.map(member(at:))
    }

    /// The element that the object has under a key of its own, which a hash table is to take.
    func member(forKey key: String) throws -> HashingBudget.Member {
        guard let field = fields[key] else {
            throw MalformedPropertyList("a collection of the keyed archive has no \"\(key)\"")
        }
        return try member(at: field)
    }

    private func member(at field: Int) throws -> HashingBudget.Member {
        let object = try element(at: field)
        return HashingBudget.Member(object: object, weight: try reader.comparisonWeight(at: field))
    }

    /// Charges for the hash table of the object, before it is made.
    func charge(_ members: [HashingBudget.Member]) throws { try reader.charge(members) }

    private func element(at field: Int) throws -> AnyObject {
        guard let object = try reader.object(at: field, allowed: classes, isElement: true) else {
            throw MalformedPropertyList("a collection of the keyed archive holds a null object")
        }
        return object
    }

    // MARK: What the coder is

    override var allowsKeyedCoding: Bool { true }
    override var requiresSecureCoding: Bool { true }
    override var allowedClasses: [AnyClass]? { classes }
    override var decodingFailurePolicy: NSCoder.DecodingFailurePolicy { .setErrorAndReturn }
    override var error: (any Error)? { reader.failure }

    override func failWithError(_ error: any Error) { reader.fail(error) }

    override func version(forClassName className: String) -> Int { 0 }

    // MARK: Objects

    override func containsValue(forKey key: String) -> Bool { fields[key] != nil }

    override func decodeObject(forKey key: String) -> Any? { decodeObject(of: classes, forKey: key) }

    override func decodeObject(of classes: [AnyClass]?, forKey key: String) -> Any? {
        guard error == nil, let field = fields[key] else { return nil }
        do {
            return try reader.object(at: field, allowed: classes ?? self.classes)
        } catch {
            reader.fail(error)
            return nil
        }
    }

    override func decodeObject<DecodedObjectType: NSObject & NSCoding>(
        of cls: DecodedObjectType.Type, forKey key: String
    ) -> DecodedObjectType? {
        decodeObject(of: [cls], forKey: key) as? DecodedObjectType
    }

    override func decodePropertyList(forKey key: String) -> Any? {
        decodeObject(of: FoundationArchiveClass.propertyListClasses, forKey: key)
    }

    // MARK: Numbers and bytes

    override func decodeBool(forKey key: String) -> Bool {
        switch node(forKey: key) {
        case .boolean(let value)?: value
        case .integer(let value)?: value != 0
        case nil: false
        default: mismatch(key, false)
        }
    }

    override func decodeInteger(forKey key: String) -> Int { integer(forKey: key) }

    override func decodeInt64(forKey key: String) -> Int64 { integer(forKey: key) }

    override func decodeInt32(forKey key: String) -> Int32 { integer(forKey: key) }

    override func decodeCInt(forKey key: String) -> Int32 { integer(forKey: key) }

    override func decodeFloat(forKey key: String) -> Float { Float(decodeDouble(forKey: key)) }

    override func decodeDouble(forKey key: String) -> Double {
        switch node(forKey: key) {
        case .real(let value)?: value
        case .integer(let value)?: Double(value)
        case .unsigned(let value)?: Double(value)
        case .boolean(let value)?: value ? 1 : 0
        case nil: 0
        default: mismatch(key, 0)
        }
    }

    override func withDecodedUnsafeBytes<ResultType>(
        forKey key: String, body: (UnsafeRawBufferPointer?) throws -> ResultType
    ) rethrows -> ResultType {
        switch node(forKey: key) {
        case .data(let data)?: try data.withUnsafeBytes { try body($0) }
        case nil: try body(nil)
        default: try body(mismatch(key, nil))
        }
    }

    override func withDecodedUnsafeBufferPointer<ResultType>(
        forKey key: String, body: (UnsafeBufferPointer<UInt8>?) throws -> ResultType
    ) rethrows -> ResultType {
        try withDecodedUnsafeBytes(forKey: key) { bytes in
            guard let bytes else { return try body(nil) }
            return try bytes.withMemoryRebound(to: UInt8.self) { try body($0) }
        }
    }

    /// An integer of the requested width.
    private func integer<Value: FixedWidthInteger>(forKey key: String) -> Value {
        switch node(forKey: key) {
        case .integer(let value)?: Value(exactly: value) ?? mismatch(key, 0)
        case .boolean(let value)?: value ? 1 : 0
        case .real(let value)?: Value(exactly: value.rounded(.towardZero)) ?? mismatch(key, 0)
        case nil: 0
        default: mismatch(key, 0)
        }
    }

    private func mismatch<Value>(_ key: String, _ substitute: Value) -> Value {
        reader.fail(
            CocoaError.coding(
                .coderReadCorrupt, "The archive's value for \"\(key)\" is not of the requested type."
            ))
        return substitute
    }

    // MARK: Requests without a key, for which Foundation's base class stops the program

    override func decodeObject() -> Any? { unkeyed(nil) }

    override func decodeData() -> Data? { unkeyed(nil) }

    override func decodePropertyList() -> Any? { unkeyed(nil) }

    override func decodeValue(ofObjCType type: UnsafePointer<Int8>, at data: UnsafeMutableRawPointer) {
        unkeyed(())
    }

    override func decodeArray(
        ofObjCType itemType: UnsafePointer<Int8>, count: Int, at array: UnsafeMutableRawPointer
    ) {
        unkeyed(())
    }

    private func unkeyed<Value>(_ substitute: Value) -> Value {
        reader.fail(
            CocoaError.coding(
                .coderInvalidValue,
                "A class decodes a value without a key, which keyed archives do not support."))
        return substitute
    }
}

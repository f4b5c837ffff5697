import Foundation

/// The coder that takes the fields of one object of a keyed archive while that object is written.
final class KeyedArchiveEncoder: NSCoder {
    private let writer: KeyedArchiveWriter

    /// The object's fields and the indexes of their values.
    private(set) var fields: [(key: String, value: Int)] = []

    /// The index of each field among them.
    private var positions: [String: Int] = [:]

    /// - Parameter writer: Who writes the objects that this one refers to.
    init(writer: KeyedArchiveWriter) { self.writer = writer }

    /// Gives the object a field that holds a plain value.
    func set(_ node: BinaryPropertyList.Node, forKey key: String) {
        set(writer.add(node), forKey: key)
    }

    /// A key that is used again, as by a subclass, gets the later value: an archive with a key twice could not
    /// be read.
    private func set(_ value: Int, forKey key: String) {
        if let position = positions[key] {
            fields[position].value = value
        } else {
            positions[key] = fields.count
            fields.append((key, value))
        }
    }

    /// Gives the object a field that lists objects.
    ///
    /// - Returns: the indexes of the objects in the archive.
    @discardableResult
    func encodeElements(_ elements: some Sequence<Any>, forKey key: String) -> [Int] {
        let positions = elements.map { writer.reference(to: $0) }
        set(.array(positions.map { writer.add(.identifier(UInt64($0))) }), forKey: key)
        return positions
    }

    /// Gives the object a field that holds an object.
    ///
    /// - Returns: the index of that object in the archive.
    func encodeElement(_ element: Any, forKey key: String) -> Int {
        let position = writer.reference(to: element)
        set(.identifier(UInt64(position)), forKey: key)
        return position
    }

    /// Charges for the hash table that the reader of the archive makes of members, so that what is written can be read.
    ///
    /// - Parameter positions: the indexes of the members in the archive.
    func charge(_ members: [Any], _ positions: [Int]) throws { try writer.charge(members, positions) }

    // MARK: What the coder is

    override var allowsKeyedCoding: Bool { true }
    override var requiresSecureCoding: Bool { true }
    override var error: (any Error)? { writer.failure }

    override func failWithError(_ error: any Error) { writer.fail(error) }

    // MARK: Objects, numbers and bytes

    override func encode(_ objv: Any?, forKey key: String) {
        set(writer.addReference(to: objv), forKey: key)
    }

    override func encodeConditionalObject(_ objv: Any?, forKey key: String) {
        encode(objv, forKey: key)
    }

    override func encode(_ boolv: Bool, forKey key: String) { set(.boolean(boolv), forKey: key) }

    override func encode(_ intv: Int, forKey key: String) { set(.integer(Int64(intv)), forKey: key) }

    override func encode(_ intv: Int32, forKey key: String) { set(.integer(Int64(intv)), forKey: key) }

    override func encode(_ intv: Int64, forKey key: String) { set(.integer(intv), forKey: key) }

    override func encode(_ realv: Float, forKey key: String) { set(.real(Double(realv)), forKey: key) }

    override func encode(_ realv: Double, forKey key: String) { set(.real(realv), forKey: key) }

    override func encodeBytes(_ bytesp: UnsafePointer<UInt8>?, length lenv: Int, forKey key: String) {
        set(.data(bytesp.map { Data(bytes: $0, count: max(0, lenv)) } ?? Data()), forKey: key)
    }

    // MARK: Requests without a key, for which Foundation's base class stops the program

    override func encode(_ object: Any?) { unkeyed() }

    override func encode(_ data: Data) { unkeyed() }

    override func encodeConditionalObject(_ object: Any?) { unkeyed() }

    override func encodeRootObject(_ rootObject: Any) { unkeyed() }

    override func encodeBytes(_ byteaddr: UnsafeRawPointer?, length: Int) { unkeyed() }

    override func encodePropertyList(_ aPropertyList: Any) { unkeyed() }

    override func encodeValue(ofObjCType type: UnsafePointer<Int8>, at addr: UnsafeRawPointer) { unkeyed() }

    override func encodeArray(
        ofObjCType type: UnsafePointer<Int8>, count: Int, at array: UnsafeRawPointer
    ) {
        unkeyed()
    }

    private func unkeyed() {
        writer.fail(
            CocoaError.coding(
                .coderInvalidValue,
                "A class encodes a value without a key, which keyed archives do not support."))
    }
}

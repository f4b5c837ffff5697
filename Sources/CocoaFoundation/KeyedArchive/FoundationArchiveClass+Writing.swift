import Foundation

extension FoundationArchiveClass {
    /// The plain value that an object is in an archive; `nil` for an object with fields.
    static func plainNode(of object: NSObject) -> BinaryPropertyList.Node? {
        // The mutable classes are written with their names, so that they come back mutable.
        if object is NSMutableString || object is NSMutableData || object is NSDecimalNumber { return nil }
        if let text = object as? NSString { return .string(String(describing: text)) }
        if let number = object as? NSNumber { return node(of: number) }
        if let data = object as? NSData { return .data(data as Data) }
        return nil
    }

    private static func node(of number: NSNumber) -> BinaryPropertyList.Node {
        // The two Booleans are objects of their own; every other number reports the C type that it holds.
        if number === NSNumber(value: true) { return .boolean(true) }
        if number === NSNumber(value: false) { return .boolean(false) }
        switch String(cString: number.objCType) {
        case "f", "d": return .real(number.doubleValue)
        case "Q" where number.uint64Value > Int64.max: return .unsigned(number.uint64Value)
        default: return .integer(number.int64Value)
        }
    }

    /// Writes an object's fields.
    ///
    /// - Returns: The class to write beside them.
    /// - Throws: `CocoaError.coderInvalidValue` when the object does not support secure coding, and for one that
    ///   reading would refuse.
    static func write(_ object: NSObject, to encoder: KeyedArchiveEncoder) throws -> AnyClass {
        if let written = try writeValue(object, to: encoder) ?? writeCollection(object, to: encoder) {
            return written
        }
        let name = NSStringFromClass(type(of: object))
        guard let coding = object as? any NSSecureCoding, type(of: coding).supportsSecureCoding,
            name.contains(".") || selfReadingClasses.contains(where: { $0 == type(of: object) })
        else {
            throw KeyedArchiveWriter.refusal(of: name)
        }
        coding.encode(with: encoder)
        return object.classForKeyedArchiver ?? type(of: object)
    }

    private static func writeValue(_ object: NSObject, to encoder: KeyedArchiveEncoder) throws -> AnyClass? {
        // Subclasses of these classes write themselves: the class found must be the very one.
        switch object {
        case is NSNull: return NSNull.self
        case let text as NSMutableString where type(of: text) == NSMutableString.self:
            encoder.set(.string(String(describing: text)), forKey: "NS.string")
            return NSMutableString.self
        case let data as NSMutableData where type(of: data) == NSMutableData.self:
            encoder.set(.data(data as Data), forKey: "NS.data")
            return NSMutableData.self
        case let date as NSDate where type(of: date) == NSDate.self:
            guard date.timeIntervalSinceReferenceDate.isFinite else {
                throw CocoaError.coding(
                    .coderInvalidValue, "A date that is infinite or not a number cannot be archived.")
            }
            encoder.encode(date.timeIntervalSinceReferenceDate, forKey: "NS.time")
            return NSDate.self
        case let uuid as NSUUID where type(of: uuid) == NSUUID.self:
            let bytes = (uuid as UUID).uuid
            encoder.set(.data(withUnsafeBytes(of: bytes) { Data($0) }), forKey: "NS.uuidbytes")
            return NSUUID.self
        case let url as NSURL where type(of: url) == NSURL.self:
            encoder.encode(url.baseURL, forKey: "NS.base")
            encoder.encode(url.relativeString, forKey: "NS.relative")
            return NSURL.self
        case let number as NSDecimalNumber where type(of: number) == NSDecimalNumber.self:
            ArchivedDecimal.write(number, to: encoder)
            return NSDecimalNumber.self
        default: return nil
        }
    }

    private static func writeCollection(
        _ object: NSObject, to encoder: KeyedArchiveEncoder
    ) throws -> AnyClass? {
        let found: AnyClass = type(of: object)
        switch object {
        case let array as NSArray where found == NSArray.self || found == NSMutableArray.self:
            encoder.encodeElements(array, forKey: "NS.objects")
        case let set as NSSet where found == NSSet.self || found == NSMutableSet.self:
            let members = set.allObjects
            try checkHashable(members, "A set with an array or a dictionary as a member")
            let positions = encoder.encodeElements(members, forKey: "NS.objects")
            try encoder.charge(members, positions)
        case let set as NSOrderedSet where found == NSOrderedSet.self || found == NSMutableOrderedSet.self:
            let members = set.array
            let positions = members.enumerated().map { index, member in
                encoder.encodeElement(member, forKey: "NS.object.\(index)")
            }
            try encoder.charge(members, positions)
        case let dictionary as NSDictionary
        where found == NSDictionary.self || found == NSMutableDictionary.self:
            let entries = sorted(dictionary)
            let keys = entries.map(\.key)
            try checkHashable(keys, "A dictionary with an array or a dictionary as a key")
            let positions = encoder.encodeElements(keys, forKey: "NS.keys")
            try encoder.charge(keys, positions)
            encoder.encodeElements(entries.map(\.value), forKey: "NS.objects")
        default: return nil
        }
        return found
    }

    /// What reading refuses is not written.
    private static func checkHashable(_ members: [Any], _ subject: String) throws {
        guard members.allSatisfy({ isHashable($0 as AnyObject) }) else {
            throw CocoaError.coding(.coderInvalidValue, "\(subject) cannot be archived here.")
        }
    }

    /// The entries of a dictionary, by key if the keys are strings, so that equal dictionaries give equal bytes.
    private static func sorted(_ dictionary: NSDictionary) -> [(key: Any, value: Any)] {
        let entries = dictionary.map { (key: $0.key, value: $0.value) }
        let texts = entries.compactMap { $0.key as? String }
        guard texts.count == entries.count else { return entries }
        return zip(texts, entries).sorted { $0.0 < $1.0 }.map(\.1)
    }
}

import Foundation

/// The Foundation classes whose archived form is read and written here, not by the classes themselves.
///
/// Foundation's own `init(coder:)` methods ask for an `NSKeyedUnarchiver` or stop the program on values that do
/// not fit. The forms are those in archives that Apple's frameworks wrote.
enum FoundationArchiveClass {
    /// What a property list is made of. Apple's unarchiver lets such objects pass as elements of a collection.
    static var propertyListClasses: [AnyClass] {
        [NSArray.self, NSDictionary.self, NSString.self, NSNumber.self, NSDate.self, NSData.self]
    }

    /// Classes of Foundation that may read themselves: none of them stops the program on any value.
    static var selfReadingClasses: [AnyClass] {
        [NSLocale.self, NSTimeZone.self, NSPersonNameComponents.self]
    }

    /// The elements of a collection, the keys of a dictionary included; `nil` for any other object.
    static func elements(of object: NSObject) -> [Any]? {
        switch object {
        case let array as NSArray: array.map { $0 }
        case let set as NSSet: set.allObjects
        case let set as NSOrderedSet: set.array
        case let dictionary as NSDictionary: dictionary.allKeys + dictionary.allValues
        default: nil
        }
    }

    /// The object that a plain value of an archive stands for; `nil` for a container and a reference.
    static func plainValue(_ node: BinaryPropertyList.Node) -> AnyObject? {
        switch node {
        case .boolean(let value): NSNumber(value: value)
        case .integer(let value): NSNumber(value: value)
        case .unsigned(let value): NSNumber(value: value)
        case .real(let value): NSNumber(value: value)
        case .date(let value): NSDate(timeIntervalSinceReferenceDate: value)
        case .data(let value): NSData(data: value)
        case .string(let value): NSString(string: value)
        case .null, .identifier, .array, .set, .dictionary: nil
        }
    }

    /// Makes an object from the fields of the decoder's object.
    ///
    /// - Throws: ``MalformedPropertyList`` or `CocoaError`.
    static func newObject(of found: AnyClass, from decoder: KeyedArchiveDecoder) throws -> AnyObject {
        if let object = try newValue(of: found, from: decoder) { return object }
        if let object = try newCollection(of: found, from: decoder) { return object }
        let name = NSStringFromClass(found)
        // Foundation's classes are the ones whose names carry no module.
        if !name.contains("."), !selfReadingClasses.contains(where: { found == $0 }) {
            throw CocoaError.coding(
                .coderInvalidValue, "There is no safe way to read an object of the class \"\(name)\" here.")
        }
        guard let type = found as? any NSSecureCoding.Type, type.supportsSecureCoding else {
            throw CocoaError.coding(
                .coderInvalidValue, "The class \"\(name)\" does not support secure coding.")
        }
        guard let object = type.init(coder: decoder) else {
            throw decoder.error
                ?? CocoaError.coding(
                    .coderReadCorrupt, "An object of the class \"\(name)\" refused its archived form.")
        }
        return object as AnyObject
    }

    private static func newValue(of found: AnyClass, from decoder: KeyedArchiveDecoder) throws -> AnyObject? {
        switch ObjectIdentifier(found) {
        case ObjectIdentifier(NSNull.self): return NSNull()
        case ObjectIdentifier(NSString.self): return NSString(string: try text(decoder, found))
        case ObjectIdentifier(NSMutableString.self): return NSMutableString(string: try text(decoder, found))
        case ObjectIdentifier(NSData.self): return NSData(data: try bytes(decoder, found))
        case ObjectIdentifier(NSMutableData.self): return NSMutableData(data: try bytes(decoder, found))
        case ObjectIdentifier(NSDate.self):
            guard decoder.containsValue(forKey: "NS.time") else { throw incomplete(found) }
            let time = decoder.decodeDouble(forKey: "NS.time")
            guard time.isFinite else { throw incomplete(found) }
            return NSDate(timeIntervalSinceReferenceDate: time)
        case ObjectIdentifier(NSUUID.self):
            guard case .data(let data)? = decoder.node(forKey: "NS.uuidbytes"), data.count == 16 else {
                throw incomplete(found)
            }
            var bytes = UUID().uuid
            withUnsafeMutableBytes(of: &bytes) { $0.copyBytes(from: data) }
            return UUID(uuid: bytes) as NSUUID
        case ObjectIdentifier(NSURL.self):
            guard let relative = decoder.decodeObject(of: NSString.self, forKey: "NS.relative") else {
                throw incomplete(found)
            }
            let base = decoder.decodeObject(of: NSURL.self, forKey: "NS.base")
            guard let url = NSURL(string: String(describing: relative), relativeTo: base.map { $0 as URL })
            else {
                throw incomplete(found)
            }
            return url
        case ObjectIdentifier(NSNumber.self):
            guard let number = decoder.node(forKey: "NS.number").flatMap(plainValue) as? NSNumber else {
                throw incomplete(found)
            }
            return number
        case ObjectIdentifier(NSDecimalNumber.self): return try ArchivedDecimal(decoder).number
        default: return nil
        }
    }

    private static func newCollection(
        of found: AnyClass, from decoder: KeyedArchiveDecoder
    ) throws -> AnyObject? {
        switch ObjectIdentifier(found) {
        case ObjectIdentifier(NSArray.self): return NSArray(array: try decoder.elements(forKey: "NS.objects"))
        case ObjectIdentifier(NSMutableArray.self):
            return NSMutableArray(array: try decoder.elements(forKey: "NS.objects"))
        case ObjectIdentifier(NSSet.self): return NSSet(array: try hashableMembers(decoder))
        case ObjectIdentifier(NSMutableSet.self): return NSMutableSet(array: try hashableMembers(decoder))
        case ObjectIdentifier(NSOrderedSet.self): return NSOrderedSet(array: try members(decoder))
        case ObjectIdentifier(NSMutableOrderedSet.self):
            return NSMutableOrderedSet(array: try members(decoder))
        // Made at once: a dictionary of Swift in between would compare all keys of equal hash again. Of equal keys the last
        // one counts.
        case ObjectIdentifier(NSDictionary.self):
            let (keys, values) = try entries(decoder)
            return NSDictionary(objects: values, forKeys: keys)
        case ObjectIdentifier(NSMutableDictionary.self):
            let (keys, values) = try entries(decoder)
            return NSMutableDictionary(objects: values, forKeys: keys)
        default: return nil
        }
    }

    // MARK: Contents

    private static func text(_ decoder: KeyedArchiveDecoder, _ found: AnyClass) throws -> String {
        if case .string(let text)? = decoder.node(forKey: "NS.string") { return text }
        if case .data(let data)? = decoder.node(forKey: "NS.bytes") {
            return String(decoding: data, as: UTF8.self)
        }
        guard let text = decoder.decodeObject(of: NSString.self, forKey: "NS.string") else {
            throw incomplete(found)
        }
        return String(describing: text)
    }

    private static func bytes(_ decoder: KeyedArchiveDecoder, _ found: AnyClass) throws -> Data {
        for key in ["NS.data", "NS.bytes"] {
            if case .data(let data)? = decoder.node(forKey: key) { return data }
        }
        guard let data = decoder.decodeObject(of: NSData.self, forKey: "NS.data") else {
            throw incomplete(found)
        }
        return data as Data
    }

    /// The members of a set. Ordered sets list theirs one by one in Apple's archives and at once in those of
    /// Foundation on Linux.
    private static func members(_ decoder: KeyedArchiveDecoder) throws -> [AnyObject] {
        var members: [HashingBudget.Member] = []
        if decoder.containsValue(forKey: "NS.objects") {
            members = try decoder.members(forKey: "NS.objects")
        } else {
            while decoder.containsValue(forKey: "NS.object.\(members.count)") {
                members.append(try decoder.member(forKey: "NS.object.\(members.count)"))
            }
        }
        try checkHashing(of: members, decoder)
        return members.map(\.object)
    }

    /// The members of a set that is not ordered.
    private static func hashableMembers(_ decoder: KeyedArchiveDecoder) throws -> [AnyObject] {
        let members = try members(decoder)
        guard members.allSatisfy(isHashable) else {
            throw MalformedPropertyList(
                "a set of the keyed archive has an array or a dictionary as a member, which Foundation cannot compare here"
            )
        }
        return members
    }

    /// Whether an object may be a member of a set or a key of a dictionary.
    ///
    /// Arrays and dictionaries may not: Foundation on Linux ends the program when it compares such a set or dictionary, or makes
    /// a value of Swift of it. They may be members of ordered sets.
    static func isHashable(_ object: AnyObject) -> Bool {
        !(object is NSArray || object is NSDictionary)
    }

    /// The keys and values of a dictionary.
    private static func entries(
        _ decoder: KeyedArchiveDecoder
    ) throws -> (keys: [NSObject], values: [AnyObject]) {
        let keys = try decoder.members(forKey: "NS.keys")
        let values = try decoder.elements(forKey: "NS.objects")
        let objects = keys.compactMap { $0.object as? NSObject }
        guard objects.count == values.count else {
            throw MalformedPropertyList(
                "a dictionary of the keyed archive does not have as many keys as values")
        }
        guard objects.allSatisfy(isHashable) else {
            throw MalformedPropertyList(
                "a dictionary of the keyed archive has an array or a dictionary as a key, which Foundation cannot compare here"
            )
        }
        try checkHashing(of: keys, decoder)
        return (objects, values)
    }

    /// Refuses members that a hash table could not take, or only in hours; see ``HashingBudget``.
    ///
    /// `NSDecimalNumber.hash` of Foundation on Linux calls itself without end.
    private static func checkHashing(
        of members: [HashingBudget.Member], _ decoder: KeyedArchiveDecoder
    ) throws {
        guard !members.contains(where: { $0.object is NSDecimalNumber }) else {
            throw MalformedPropertyList("a set of the keyed archive holds a decimal number")
        }
        try decoder.charge(members)
    }

    private static func incomplete(_ found: AnyClass) -> MalformedPropertyList {
        MalformedPropertyList("an object of the class \(NSStringFromClass(found)) is not complete")
    }
}

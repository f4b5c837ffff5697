import CocoaFoundation

/// The version hash of a property.
///
/// The rules are inferred from the hashes in models and stores that Apple's framework wrote:
/// - attribute: SHA-256 of the base, the type as 32-bit number, a byte 1 if external storage is allowed and a
///   byte 1 if the value is preserved after deletion, each only if so;
/// - relationship: SHA-256 of the base, the names of destination and inverse, the largest and the smallest
///   count as 32-bit numbers, and the bytes 1 and 0 if it is ordered;
/// - the base is itself a SHA-256, of the name, 16 bits of flags and the hash modifier;
/// - derived attribute: SHA-256 of the text of its expression and of nothing else;
/// - composite attribute: SHA-256 of the hashes of its elements in the order of their names.
///
/// Numbers are little-endian and strings UTF-8 without length or terminator.
struct PropertyHash {
    let digest: Data

    init(_ property: NSPropertyDescription) {
        self.init(property, inside: [])
    }

    /// - Parameter enclosing: the composite attributes that the property is an element of. One that contains
    ///   itself, which the check of the model reports, is left out inside.
    private init(_ property: NSPropertyDescription, inside enclosing: [NSCompositeAttributeDescription]) {
        var hash = HashedBytes()
        switch property {
        case let derived as NSDerivedAttributeDescription:
            hash.update(text: derived.derivationExpression.map(DerivationText.init)?.text ?? "")
        case let composite as NSCompositeAttributeDescription:
            let path = enclosing + [composite]
            for element in composite.elements.sorted(by: { $0.name.utf8Precedes($1.name) })
            where !path.contains(where: { $0 === element }) {
                hash.update(data: PropertyHash(element, inside: path).digest)
            }
        case let attribute as NSAttributeDescription:
            hash.update(data: Self.base(of: property))
            hash.update(number: UInt32(attribute.attributeType.rawValue))
            if attribute.allowsExternalBinaryDataStorage { hash.update(data: [1]) }
            if attribute.preservesValueInHistoryOnDeletion { hash.update(data: [1]) }
        case let relationship as NSRelationshipDescription:
            hash.update(data: Self.base(of: property))
            hash.update(text: relationship.destinationEntityName ?? "")
            // A relationship that is its own inverse is hashed as if it had none.
            if relationship.inverseRelationship !== relationship {
                hash.update(text: relationship.inverseRelationshipName ?? "")
            }
            hash.update(number: UInt32(truncatingIfNeeded: relationship.maxCount))
            hash.update(number: UInt32(truncatingIfNeeded: relationship.minCount))
            if relationship.isOrdered { hash.update(data: [1, 0]) }
        default:
            hash.update(data: Self.base(of: property))
        }
        digest = hash.sha256
    }

    private static func base(of property: NSPropertyDescription) -> Data {
        var hash = HashedBytes()
        var flags: UInt16 = 0
        if property.isOptional { flags |= 1 }
        if property.isTransient { flags |= 2 }
        if property.isReadOnly { flags |= 4 }
        hash.update(text: property.name)
        hash.update(number: flags)
        if let modifier = property.versionHashModifier { hash.update(text: modifier) }
        return hash.sha256
    }
}

extension String {
    /// Whether the string comes first when the bytes of both are compared.
    package func utf8Precedes(_ other: String) -> Bool {
        utf8.lexicographicallyPrecedes(other.utf8)
    }
}

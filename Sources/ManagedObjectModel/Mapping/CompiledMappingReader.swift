import CocoaFoundation

/// Makes a mapping model of a compiled one (`.cdm`): a keyed archive of `NSMappingModel`.
///
/// The keys of the archive are not documented; these are the ones of a file that Xcode compiled. A key that is not one of
/// them is an error that names it, so that nothing in a file is misunderstood or left out.
final class CompiledMappingReader {
    private let archive: KeyedArchive
    private let reader: KeyedArchiveReader
    /// How many more fields and elements are looked at. An archive can refer to one object a thousand times, so
    /// that its size is not a bound.
    private var budget = 1_000_000
    private var classNames = ArchivedClassNames()

    /// Reads the mapping model of an archive.
    ///
    /// - Throws: `ModelFileError`, without a file.
    static func mappingModel(_ data: Data) throws -> NSMappingModel {
        PredicateArchive.registerClassNames()
        NSFetchRequestExpression.registerFormat()
        do {
            return try CompiledMappingReader(KeyedArchive(data)).mappingModel()
        } catch let error as ModelFileError {
            throw error
        } catch let error as MalformedPropertyList {
            throw ModelFileError(.malformed, error.description)
        } catch {
            throw ModelFileError(.malformed, "the archive cannot be read: \(error.localizedDescription)")
        }
    }

    private init(_ archive: KeyedArchive) {
        self.archive = archive
        reader = KeyedArchiveReader(archive)
    }

    private func mappingModel() throws -> NSMappingModel {
        guard let root = archive.top[NSKeyedArchiveRootObjectKey] else {
            throw ModelFileError(.missingValue, "the archive has no root object")
        }
        // The table by name has the same mappings again.
        var values = try values(
            at: root, of: "NSMappingModel", ["NSEntityMappings", "NSEntityMappingsByName"])
        let model = NSMappingModel()
        model.entityMappings = try elements(values.take("NSEntityMappings")).map(entityMapping)
        return model
    }

    private static let entityKeys: Set = [
        "NSMappingName", "NSMappingType", "NSSourceEntityName", "NSSourceEntityVersionHash",
        "NSDestinationEntityName", "NSDestinationEntityVersionHash", "NSAttributeMappings",
        "NSRelationshipMappings", "NSSourceExpression", "NSEntityMigrationPolicyClassName", "NSUserInfo",
    ]

    private func entityMapping(at field: Int) throws -> NSEntityMapping {
        var values = try values(at: field, of: "NSEntityMapping", Self.entityKeys)
        let mapping = NSEntityMapping()
        mapping.name = try values.text("NSMappingName")
        if let type = try values.number("NSMappingType") {
            guard let known = UInt(exactly: type).flatMap(NSEntityMappingType.init(rawValue:)) else {
                throw ModelFileError(
                    .invalidValue, "the mapping type \(type) is unknown", element: mapping.name)
            }
            mapping.mappingType = known
        }
        mapping.sourceEntityName = try values.text("NSSourceEntityName")
        mapping.sourceEntityVersionHash = try values.data("NSSourceEntityVersionHash")
        mapping.destinationEntityName = try values.text("NSDestinationEntityName")
        mapping.destinationEntityVersionHash = try values.data("NSDestinationEntityVersionHash")
        mapping.entityMigrationPolicyClassName = try values.text("NSEntityMigrationPolicyClassName")
        mapping.attributeMappings = try elements(values.take("NSAttributeMappings")).map(propertyMapping)
        mapping.relationshipMappings = try elements(values.take("NSRelationshipMappings")).map(
            propertyMapping)
        mapping.sourceExpression = try values.take("NSSourceExpression").flatMap(expression)
        mapping.userInfo = try userInfo(values.take("NSUserInfo"))
        return mapping
    }

    private static let propertyKeys: Set = [
        "NSDestinationPropertyName", "NSValueExpression", "NSPropertyTransforms", "NSUserInfo",
    ]

    private func propertyMapping(at field: Int) throws -> NSPropertyMapping {
        var values = try values(at: field, of: "NSPropertyMapping", Self.propertyKeys)
        let mapping = NSPropertyMapping()
        mapping.name = try values.text("NSDestinationPropertyName")
        mapping.valueExpression = try values.take("NSValueExpression").flatMap(expression)
        mapping.userInfo = try userInfo(values.take("NSUserInfo"))
        guard try values.take("NSPropertyTransforms").map({ try object(at: $0) == nil }) ?? true else {
            throw ModelFileError(
                .unsupportedForm, "the property mapping has transforms ('NSPropertyTransforms')",
                element: mapping.name)
        }
        return mapping
    }

    // MARK: Expressions

    private func expression(at field: Int) throws -> NSExpression? {
        try reader.object(at: field, allowed: [NSExpression.self]) as? NSExpression
    }

    // MARK: Values

    private func userInfo(_ field: Int?) throws -> [AnyHashable: Any]? {
        guard let field else { return nil }
        let dictionary = try reader.object(at: field, allowed: [NSDictionary.self])
        return (dictionary as? NSDictionary) as? [AnyHashable: Any]
    }

    /// The fields of an object.
    private struct Values {
        let archive: KeyedArchive
        let className: String
        var fields: [String: Int] = [:]

        mutating func take(_ key: String) -> Int? { fields.removeValue(forKey: key) }

        mutating func text(_ key: String) throws -> String? {
            switch try node(key) {
            case .string(let text)?: text
            case .null?, nil: nil
            default: throw mismatch(key, "text")
            }
        }

        mutating func number(_ key: String) throws -> Int? {
            switch try node(key) {
            case .integer(let number)?: Int(number)
            case nil: nil
            default: throw mismatch(key, "a number")
            }
        }

        /// Data, which an archive holds as it is or, mutable, as an object.
        mutating func data(_ key: String) throws -> Data? {
            switch try node(key) {
            case .data(let data)?: return data
            case .null?, nil: return nil
            case .dictionary(let keys, let values)?:
                for (index, value) in zip(keys, values) {
                    if case .string("NS.data") = archive.list.nodes[index],
                        case .data(let data) = archive.list.nodes[value]
                    {
                        return data
                    }
                }
                throw mismatch(key, "data")
            default: throw mismatch(key, "data")
            }
        }

        private mutating func node(_ key: String) throws -> BinaryPropertyList.Node? {
            guard let field = take(key) else { return nil }
            guard case .identifier(let reference) = archive.list.nodes[field] else {
                return archive.list.nodes[field]
            }
            return try archive.object(at: reference).map { archive.list.nodes[$0] } ?? .null
        }

        private func mismatch(_ key: String, _ expected: String) -> ModelFileError {
            ModelFileError(.invalidValue, "the key '\(key)' of \(className) does not hold \(expected)")
        }
    }

    /// The object that a field refers to; `nil` for the null object.
    private func object(at field: Int) throws -> (className: String, fields: [String: Int])? {
        var position = field
        if case .identifier(let reference) = archive.list.nodes[field] {
            guard let target = try archive.object(at: reference) else { return nil }
            position = target
        }
        let fields = try archive.list.fields(of: position)
        try spend(fields.count)
        return (try classNames.name(of: fields, in: archive), fields)
    }

    /// The fields of an object of a class.
    ///
    /// - Parameter known: the keys that it may have.
    private func values(at field: Int, of className: String, _ known: Set<String>) throws -> Values {
        guard let object = try object(at: field), object.className == className else {
            throw ModelFileError(
                .unsupportedForm,
                "the archive has no \(className) where one should be: this form of a mapping model "
                    + "is not supported")
        }
        for key in object.fields.keys.sorted() where key != "$class" && !known.contains(key) {
            throw ModelFileError(.unsupportedForm, "the key '\(key)' of \(className) is not known")
        }
        return Values(archive: archive, className: className, fields: object.fields)
    }

    private func spend(_ count: Int) throws {
        budget -= count
        guard budget >= 0 else {
            throw ModelFileError(.tooLarge, "the archive expands to a larger mapping model than any real one")
        }
    }

    /// The elements of an array; none where there is no array.
    private func elements(_ field: Int?) throws -> [Int] {
        guard let field, let array = try object(at: field) else { return [] }
        guard ["NSArray", "NSMutableArray"].contains(array.className),
            let elements = array.fields["NS.objects"],
            case .array(let elements) = archive.list.nodes[elements]
        else {
            throw ModelFileError(
                .invalidValue, "the archive has a \(array.className) where an array should be")
        }
        try spend(elements.count)
        return elements
    }
}

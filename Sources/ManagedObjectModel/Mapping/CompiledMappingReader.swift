import CocoaFoundation

/// Makes a mapping model of a compiled one (`.cdm`): a keyed archive of `NSMappingModel`.
///
/// The keys of the archive are not documented, and no file of Apple's was at hand. In Apple's archives of models
/// a key is the name of a property with `NS` before it, and so it is taken to be here: each key must stand for one
/// property that the headers declare, with a value of its type. A key that does not is an error that names it,
/// so that nothing in a file is misunderstood or left out.
final class CompiledMappingReader {
    private let archive: KeyedArchive
    private let reader: KeyedArchiveReader
    /// How many more fields and elements are looked at. An archive can refer to one object a thousand times, so
    /// that its size is no bound.
    private var budget = 1_000_000
    private var classNames = ArchivedClassNames()

    /// Reads the mapping model of an archive.
    ///
    /// - Throws: `ModelFileError`, without a file.
    static func mappingModel(_ data: Data) throws -> NSMappingModel {
        PredicateArchive.registerClassNames()
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
            throw ModelFileError(.missingValue, "the archive has no outermost object")
        }
        var values = try values(at: root, of: "NSMappingModel", ["entitymappings": "entitymappings"])
        let model = NSMappingModel()
        model.entityMappings = try elements(values.take("entitymappings")).map(entityMapping)
        return model
    }

    private static let entityKeys: [String: String] = [
        "name": "name", "entitymappingname": "name", "mappingname": "name",
        "mappingtype": "type", "entitymappingtype": "type",
        "sourceentityname": "sourcename", "sourceentityversionhash": "sourcehash",
        "destinationentityname": "destinationname", "destinationentityversionhash": "destinationhash",
        "attributemappings": "attributes", "relationshipmappings": "relationships",
        "sourceexpression": "expression", "entitymigrationpolicyclassname": "policy",
        "migrationpolicyclassname": "policy", "userinfo": "userinfo",
    ]

    private func entityMapping(at field: Int) throws -> NSEntityMapping {
        var values = try values(at: field, of: "NSEntityMapping", Self.entityKeys)
        let mapping = NSEntityMapping()
        mapping.name = try values.text("name")
        if let type = try values.number("type") {
            guard let known = UInt(exactly: type).flatMap(NSEntityMappingType.init(rawValue:)) else {
                throw ModelFileError(
                    .invalidValue, "the mapping type \(type) is unknown", element: mapping.name)
            }
            mapping.mappingType = known
        }
        mapping.sourceEntityName = try values.text("sourcename")
        mapping.sourceEntityVersionHash = try values.data("sourcehash")
        mapping.destinationEntityName = try values.text("destinationname")
        mapping.destinationEntityVersionHash = try values.data("destinationhash")
        mapping.entityMigrationPolicyClassName = try values.text("policy")
        mapping.attributeMappings = try elements(values.take("attributes")).map(propertyMapping)
        mapping.relationshipMappings = try elements(values.take("relationships")).map(propertyMapping)
        mapping.sourceExpression = try values.take("expression").flatMap(sourceExpression)
        mapping.userInfo = try userInfo(values.take("userinfo"))
        return mapping
    }

    private static let propertyKeys: [String: String] = [
        "name": "name", "propertymappingname": "name", "propertyname": "name",
        "valueexpression": "expression", "userinfo": "userinfo",
    ]

    private func propertyMapping(at field: Int) throws -> NSPropertyMapping {
        var values = try values(at: field, of: "NSPropertyMapping", Self.propertyKeys)
        let mapping = NSPropertyMapping()
        mapping.name = try values.text("name")
        mapping.valueExpression = try values.take("expression").flatMap(expression)
        mapping.userInfo = try userInfo(values.take("userinfo"))
        return mapping
    }

    // MARK: Expressions

    private func expression(at field: Int) throws -> NSExpression? {
        try reader.object(at: field, allowed: [NSExpression.self]) as? NSExpression
    }

    private static let fetchKeys: [String: String] = [
        "expressiontype": "expressiontype", "requestexpression": "request",
        "fetchrequestexpression": "request",
        "contextexpression": "context", "countonlyrequest": "countonly", "iscountonlyrequest": "countonly",
    ]

    /// An expression that may be a fetch, which has a class of its own.
    private func sourceExpression(at field: Int) throws -> NSExpression? {
        guard let object = try object(at: field) else { return nil }
        guard object.className == "NSFetchRequestExpression" else { return try expression(at: field) }
        var values = try values(at: field, of: "NSFetchRequestExpression", Self.fetchKeys)
        _ = values.take("expressiontype")
        guard let request = try values.take("request").flatMap(expression),
            let context = try values.take("context").flatMap(expression)
        else {
            throw ModelFileError(.missingValue, "a fetch expression has no request or no context")
        }
        let countOnly = try values.number("countonly") ?? 0 != 0
        return NSFetchRequestExpression.expression(
            forFetch: request, context: context, countOnly: countOnly)
    }

    // MARK: Values

    private func userInfo(_ field: Int?) throws -> [AnyHashable: Any]? {
        guard let field else { return nil }
        let dictionary = try reader.object(at: field, allowed: [NSDictionary.self])
        return (dictionary as? NSDictionary) as? [AnyHashable: Any]
    }

    /// The fields of an object by what they mean.
    private struct Values {
        let archive: KeyedArchive
        let className: String
        var fields: [String: (key: String, field: Int)] = [:]

        mutating func take(_ name: String) -> Int? { fields.removeValue(forKey: name)?.field }

        mutating func text(_ name: String) throws -> String? {
            switch try node(name) {
            case (_, .string(let text))?: text
            case (_, .null)?, nil: nil
            case (let key, _)?: throw mismatch(key, "text")
            }
        }

        mutating func number(_ name: String) throws -> Int? {
            switch try node(name) {
            case (_, .integer(let number))?: Int(number)
            case (_, .boolean(let flag))?: flag ? 1 : 0
            case nil: nil
            case (let key, _)?: throw mismatch(key, "a number")
            }
        }

        /// Data, which an archive holds as it is or, mutable, as an object.
        mutating func data(_ name: String) throws -> Data? {
            switch try node(name) {
            case (_, .data(let data))?: return data
            case (_, .null)?, nil: return nil
            case (let key, .dictionary(let keys, let values))?:
                for (index, value) in zip(keys, values) {
                    if case .string("NS.data") = archive.list.nodes[index],
                        case .data(let data) = archive.list.nodes[value]
                    {
                        return data
                    }
                }
                throw mismatch(key, "data")
            case (let key, _)?: throw mismatch(key, "data")
            }
        }

        private mutating func node(_ name: String) throws -> (String, BinaryPropertyList.Node)? {
            guard let (key, field) = fields.removeValue(forKey: name) else { return nil }
            guard case .identifier(let reference) = archive.list.nodes[field] else {
                return (key, archive.list.nodes[field])
            }
            return (key, try archive.object(at: reference).map { archive.list.nodes[$0] } ?? .null)
        }

        private func mismatch(_ key: String, _ expected: String) -> ModelFileError {
            ModelFileError(.invalidValue, "the key '\(key)' of \(className) does not hold \(expected)")
        }
    }

    /// The object that a field refers to; `nil` for the null object.
    private func object(at field: Int) throws -> (className: String, fields: [String: Int])? {
        var place = field
        if case .identifier(let reference) = archive.list.nodes[field] {
            guard let target = try archive.object(at: reference) else { return nil }
            place = target
        }
        let fields = try archive.list.fields(of: place)
        try spend(fields.count)
        return (try classNames.name(of: fields, in: archive), fields)
    }

    /// The fields of an object of a class.
    ///
    /// - Parameter known: what the keys mean, in small letters and without what stands before the name.
    private func values(at field: Int, of className: String, _ known: [String: String]) throws -> Values {
        guard let object = try object(at: field), object.className == className else {
            throw ModelFileError(
                .unsupportedForm,
                "the archive has no \(className) where one should be: it is no mapping model "
                    + "of a form that is read")
        }
        var values = Values(archive: archive, className: className)
        for (key, field) in object.fields.sorted(by: { $0.key < $1.key }) where key != "$class" {
            guard let name = known[Self.propertyName(key)] else {
                throw ModelFileError(.unsupportedForm, "the key '\(key)' of \(className) is not known")
            }
            guard values.fields.updateValue((key, field), forKey: name) == nil else {
                throw ModelFileError(
                    .duplicateName, "\(className) has a second key '\(key)' for one property")
            }
        }
        return values
    }

    private static func propertyName(_ key: String) -> String {
        var name = Substring(key)
        if name.hasPrefix("_") { name.removeFirst() }
        if name.hasPrefix("NS") { name.removeFirst(2) }
        return name.lowercased()
    }

    private func spend(_ count: Int) throws {
        budget -= count
        guard budget >= 0 else {
            throw ModelFileError(.tooLarge, "the archive stands for a larger mapping model than any real one")
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

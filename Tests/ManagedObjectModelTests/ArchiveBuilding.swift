@testable import CocoaFoundation
@testable import ManagedObjectModel

/// A value of a keyed archive that a test makes up, of classes that do not exist here.
indirect enum ArchivedValue {
    case null
    case text(String)
    /// A text of a class that can be changed, which is an object of its own.
    case changeableText(String)
    case number(Int)
    case flag(Bool)
    case data(Data)
    case array([ArchivedValue])
    case table([(String, ArchivedValue)])
    case object(String, [(String, ArchivedValue)])
    /// A table of as many entries, all of which lead to the same object.
    case shared(ArchivedValue, count: Int)
    /// The archived form of an expression.
    case expression(NSExpression)

    /// A keyed archive with the value as its outermost one.
    var archive: Data {
        var builder = Builder()
        let root = builder.reference(self)
        return builder.data(root)
    }

    private struct Builder {
        var nodes: [BinaryPropertyList.Node] = [.string("$null")]
        var objects = [0]

        mutating func add(_ node: BinaryPropertyList.Node) -> Int {
            nodes.append(node)
            return nodes.count - 1
        }

        mutating func dictionary(_ entries: [(String, Int)]) -> Int {
            let keys = entries.map { add(.string($0.0)) }
            return add(.dictionary(keys: keys, values: entries.map(\.1)))
        }

        mutating func identifier(_ node: Int) -> Int {
            objects.append(node)
            return add(.identifier(UInt64(objects.count - 1)))
        }

        mutating func object(_ name: String, _ entries: [(String, Int)]) -> Int {
            let description = dictionary([("$classname", add(.string(name)))])
            return identifier(dictionary(entries + [("$class", identifier(description))]))
        }

        /// The index of a reference to an object, or of a plain number.
        mutating func reference(_ value: ArchivedValue) -> Int {
            switch value {
            case .null: return add(.identifier(0))
            case .text(let text): return identifier(add(.string(text)))
            case .changeableText(let text):
                return object("NSMutableString", [("NS.string", add(.string(text)))])
            case .number(let number): return add(.integer(Int64(number)))
            case .flag(let flag): return add(.boolean(flag))
            case .data(let data): return identifier(add(.data(data)))
            case .array(let values):
                let elements = values.map { reference($0) }
                return object("NSArray", [("NS.objects", add(.array(elements)))])
            case .table(let entries):
                let keys = entries.map { reference(.text($0.0)) }
                let values = entries.map { reference($0.1) }
                return object(
                    "NSDictionary", [("NS.keys", add(.array(keys))), ("NS.objects", add(.array(values)))])
            case .shared(let value, let count):
                let keys = (0..<count).map { reference(.text("\($0)")) }
                let values = Array(repeating: reference(value), count: count)
                return object(
                    "NSDictionary", [("NS.keys", add(.array(keys))), ("NS.objects", add(.array(values)))])
            case .object(let name, let fields):
                let values = fields.map { ($0.0, reference($0.1)) }
                return object(name, values)
            case .expression(let expression):
                return reference(archived(expression))
            }
        }

        private func archived(_ value: Any) -> ArchivedValue {
            switch value {
            case let text as String: return .text(text)
            case let number as Int: return .number(number)
            case let values as [Any]: return .array(values.map(archived))
            default:
                guard let record = PredicateArchive.record(of: value) else { return .null }
                return .object(record.classNames[0], record.fields.map { ($0.key, archived($0.value)) })
            }
        }

        mutating func data(_ root: Int) -> Data {
            let top = dictionary([("root", root)])
            let list = add(.array(objects))
            let archive = dictionary([
                ("$version", add(.integer(100_000))), ("$archiver", add(.string("NSKeyedArchiver"))),
                ("$top", top), ("$objects", list),
            ])
            return BinaryPropertyList(nodes: nodes, root: archive).data()
        }
    }
}

/// A model as the model editor of Xcode archives it.
enum EditorModel {
    static func archive(
        _ entities: [ArchivedValue], configurations: [(String, [String])] = []
    ) -> ArchivedValue {
        let package = ArchivedValue.object(
            "XDModelPackage", [("XDBucketForClassesstorage", .table(entities.map { (name($0), $0) }))])
        let members = configurations.map { name, entities in
            (name, ArchivedValue.array(entities.map { .object("XDPMEntity", [("_name", .text($0))]) }))
        }
        return .object(
            "XDPMModel",
            [
                ("_xd_rootPackage", package), ("_modelVersionIdentifier", .text("1")),
                ("_configurationsByName", .table(members)),
            ])
    }

    static func entity(
        _ name: String, _ properties: [ArchivedValue], parent: String? = nil,
        settings: [(String, ArchivedValue)] = []
    ) -> ArchivedValue {
        entity(name, properties, parents: [parent].compactMap { $0 }, settings: settings)
    }

    static func entity(
        _ name: String, _ properties: [ArchivedValue], parents: [String],
        settings: [(String, ArchivedValue)] = []
    ) -> ArchivedValue {
        let generals = parents.map { parent in
            ArchivedValue.object(
                "XDUMLGeneralizationImp", [("_general", .object("XDPMEntity", [("_name", .text(parent))]))])
        }
        return .object(
            "XDPMEntity",
            [
                ("_name", .text(name)), ("XDBucketForStereotypesstorage", stereotype(settings)),
                ("XDBucketForOwnedAttributesstorage", .table(properties.map { (self.name($0), $0) })),
                ("XDBucketForGeneralizationsstorage", .array(generals)),
            ])
    }

    static func attribute(
        _ name: String, _ type: NSAttributeType, settings: [(String, ArchivedValue)] = []
    ) -> ArchivedValue {
        property(
            "XDPMAttribute", name,
            [
                ("XD_PAttK_attributeType", .number(Int(type.rawValue))), ("XD_PPSK_isOptional", .flag(true)),
            ] + settings)
    }

    static func relationship(
        _ name: String, to destination: String, inverse: String, toMany: Bool
    ) -> ArchivedValue {
        property(
            "XDPMRelationship", name,
            [
                ("XD_PRK_destination", .object("XDPMEntity", [("_name", .text(destination))])),
                ("XD_PRK_inverseRelationship", .object("XDPMRelationship", [("_name", .text(inverse))])),
                ("XD_PRK_isToMany", .flag(toMany)), ("XD_PRK_maxCount", .number(toMany ? 0 : 1)),
                ("XD_PRK_deleteRule", .number(1)), ("XD_PPSK_isOptional", .flag(true)),
            ])
    }

    static func property(
        _ className: String, _ name: String, _ settings: [(String, ArchivedValue)]
    ) -> ArchivedValue {
        .object(
            className, [("_name", .text(name)), ("XDBucketForStereotypesstorage", stereotype(settings))])
    }

    private static func stereotype(_ settings: [(String, ArchivedValue)]) -> ArchivedValue {
        let values = settings.map { name, value in
            (name, ArchivedValue.object("XDUMLPropertyImp", [("_default", value)]))
        }
        return .table([
            ("S", .object("XDUMLStereotypeImp", [("XDBucketForOwnedAttributesstorage", .table(values))]))
        ])
    }

    private static func name(_ value: ArchivedValue) -> String {
        guard case .object(_, let fields) = value, case .text(let name)? = fields.first?.1 else { return "" }
        return name
    }
}

import CoreData
import Foundation

#if canImport(FoundationXML)
import FoundationXML
#endif

/// The contents of an XML store, read with Foundation's parser: what the library's reading is compared with.
final class RawXMLStore: NSObject, XMLParserDelegate {
    struct Attribute: Equatable {
        let type: String
        var text = ""
    }

    struct Relationship: Equatable {
        let type: String
        let destination: String
        let ids: Set<String>
    }

    struct Object: Equatable {
        let entity: String
        var attributes: [String: Attribute] = [:]
        var relationships: [String: Relationship] = [:]
    }

    private(set) var objects: [String: Object] = [:]
    private(set) var order: [String] = []
    private(set) var identifier = ""
    private(set) var nextObjectID = ""
    private(set) var metadata: [String: Any] = [:]
    private var text = ""
    private var attribute: String?

    init(_ data: Data) throws {
        super.init()
        let parser = XMLParser(data: data)
        parser.delegate = self
        guard parser.parse() else { throw parser.parserError ?? CocoaError(.fileReadCorruptFile) }
        let whole = String(decoding: data, as: UTF8.self)
        guard let start = whole.range(of: "<plist"), let end = whole.range(of: "</plist>") else { return }
        let list = Data(whole[start.lowerBound..<end.upperBound].utf8)
        metadata =
            try PropertyListSerialization.propertyList(from: list, format: nil) as? [String: Any] ?? [:]
    }

    func parser(
        _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?,
        qualifiedName qName: String?, attributes: [String: String]
    ) {
        text = ""
        switch elementName {
        case "object":
            let id = attributes["id"] ?? ""
            objects[id] = Object(entity: attributes["type"] ?? "")
            order.append(id)
        case "attribute":
            attribute = attributes["name"]
            objects[order.last ?? ""]?.attributes[attribute ?? ""] = Attribute(type: attributes["type"] ?? "")
        case "relationship":
            objects[order.last ?? ""]?.relationships[attributes["name"] ?? ""] = Relationship(
                type: attributes["type"] ?? "", destination: attributes["destination"] ?? "",
                ids: Set((attributes["idrefs"] ?? "").split(separator: " ").map(String.init)))
        default: break
        }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

    func parser(
        _ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?,
        qualifiedName qName: String?
    ) {
        switch elementName {
        case "attribute":
            guard let id = order.last, let name = attribute else { break }
            // Base64 may be broken into lines in any way.
            let isBinary = objects[id]?.attributes[name]?.type == "binary"
            objects[id]?.attributes[name]?.text = isBinary ? text.filter { !$0.isWhitespace } : text
        case "UUID": identifier = text
        case "nextObjectID": nextObjectID = text
        default: break
        }
    }

    /// A model whose entities have what the objects of the file have.
    var model: NSManagedObjectModel {
        var entities: [String: NSEntityDescription] = [:]
        let names = Set(objects.values.map(\.entity)).union(
            objects.values.flatMap { $0.relationships.values.map(\.destination) })
        for name in names { entities[name] = NSEntityDescription(name) }
        let types: [String: NSAttributeDescription.AttributeType] = [
            "string": .string, "int16": .integer16, "int32": .integer32, "int64": .integer64,
            "bool": .boolean,
            "binary": .binaryData,
        ]
        for object in objects.values {
            guard let entity = entities[object.entity] else { continue }
            for (name, value) in object.attributes where entity.propertiesByName[name] == nil {
                entity.add(attribute(name, types[value.type] ?? .string))
            }
            for (name, value) in object.relationships where entity.propertiesByName[name] == nil {
                guard let destination = entities[value.destination] else { continue }
                let relationship = entity.relate(name, to: destination, many: value.type == "0/0")
                relationship.minCount = value.type.hasPrefix("1") ? 1 : 0
            }
        }
        let model = NSManagedObjectModel()
        model.entities = Array(entities.values)
        // A relationship to a superentity in Apple's model may lead to any of its subentities.
        return model
    }

    private func attribute(_ name: String, _ type: NSAttributeDescription.AttributeType)
        -> NSAttributeDescription
    {
        Library.attribute(name, type)
    }
}

/// The contents of a binary store, read with Foundation's property lists: what the library's reading is compared with.
struct RawBinaryStore {
    struct Node: Equatable {
        let entity: String
        let values: [Value?]
        let related: [String: Set<Int>]
    }

    enum Value: Equatable, CustomStringConvertible {
        case text(String)
        case number(Int)

        var description: String {
            switch self {
            case .text(let text): text
            case .number(let number): "\(number)"
            }
        }
    }

    let nodes: [Int: Node]
    let metadata: [String: Any]
    let lastNumber: UInt64

    init(_ data: Data) throws {
        func number(_ index: Int) -> UInt64 {
            data.dropFirst(16 + index * 8).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        }
        func part(_ index: Int) throws -> Archive {
            let bytes = data.dropFirst(Int(number(index))).prefix(Int(number(index + 1)))
            return try Archive(Data(bytes))
        }
        lastNumber = number(4)
        let info = try part(0)
        metadata = info.value(info.top["metadata"]) as? [String: Any] ?? [:]
        let objects = try part(2)
        let map = objects.fields(objects.top["mapData"])
        var nodes: [Int: Node] = [:]
        for reference in map["NS.objects"] as? [Any] ?? [] {
            let fields = objects.fields(reference)
            let values = objects.value(fields["NSAttributeValues"]) as? [Any] ?? []
            let related = objects.value(fields["NSRelatedNodes"]) as? [String: Any] ?? [:]
            nodes[fields["NSPrimaryKey64"] as? Int ?? 0] = Node(
                entity: objects.value(fields["NSEntityName"]) as? String ?? "",
                values: values.map { value in
                    switch value {
                    case let text as String: .text(text)
                    case let number as NSNumber: .number(number.intValue)
                    default: nil
                    }
                },
                related: related.mapValues {
                    Set(($0 as? [Any] ?? []).compactMap { ($0 as? NSNumber)?.intValue })
                })
        }
        self.nodes = nodes
    }

    /// A name that puts the attribute at a place.
    static func name(_ index: Int) -> String { "value\(index < 10 ? "0" : "")\(index)" }

    /// A model with an attribute for each place: a text, or a number where all that is there is one.
    var model: NSManagedObjectModel {
        var entities: [String: NSEntityDescription] = [:]
        for node in nodes.values where entities[node.entity] == nil {
            entities[node.entity] = NSEntityDescription(node.entity)
        }
        for (name, entity) in entities {
            let own = nodes.values.filter { $0.entity == name }
            for index in 0..<(own.first?.values.count ?? 0) {
                let isNumber = own.contains { if case .number = $0.values[index] { true } else { false } }
                entity.add(Library.attribute(Self.name(index), isNumber ? .integer64 : .string))
            }
            for node in own {
                for (key, numbers) in node.related where entity.propertiesByName[key] == nil {
                    guard
                        let destination = numbers.first.flatMap({ nodes[$0] }).flatMap({ entities[$0.entity] }
                        )
                    else { continue }
                    entity.relate(key, to: destination, many: true)
                }
            }
        }
        let model = NSManagedObjectModel()
        model.entities = Array(entities.values)
        return model
    }

    /// A keyed archive as Foundation reads its property list, with the references found in their objects' members.
    private struct Archive {
        let objects: [Any]
        let top: [String: Any]

        init(_ data: Data) throws {
            let list = try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any]
            objects = list?["$objects"] as? [Any] ?? []
            top = list?["$top"] as? [String: Any] ?? [:]
        }

        private func position(_ reference: Any) -> Int? {
            // Foundation's object for it has no public way to the number.
            Mirror(reflecting: reference).children.lazy.compactMap { $0.value as? UInt32 }.first.map(Int.init)
        }

        func fields(_ reference: Any?) -> [String: Any] {
            reference.flatMap(position).flatMap { objects[$0] as? [String: Any] } ?? [:]
        }

        func value(_ reference: Any?) -> Any? {
            guard let reference, let position = position(reference), position > 0 else { return nil }
            guard let fields = objects[position] as? [String: Any] else { return objects[position] }
            if let keys = fields["NS.keys"] as? [Any], let values = fields["NS.objects"] as? [Any] {
                return Dictionary(
                    zip(keys, values).map { ("\(value($0) ?? "")", value($1) ?? NSNull()) },
                    uniquingKeysWith: { a, _ in a })
            }
            if let values = fields["NS.objects"] as? [Any] { return values.map { value($0) ?? NSNull() } }
            return fields["NS.string"] ?? NSNull()
        }
    }
}

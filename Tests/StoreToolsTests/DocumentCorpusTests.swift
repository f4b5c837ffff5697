import CoreData
import StoreTools
import TestSupport
import Testing

/// XML and binary stores that Apple's framework made.
@Suite(.enabled(if: Corpus.isPresent, "\(Corpus.missing)"))
struct DocumentCorpusTests {
    private static let xmlFiles =
        Corpus.files(under: "xmlstores").filter { $0.hasSuffix(".paw") }
        + Corpus.files(named: "xcmapping.xml", under: "mapping")
    private static let binaryFiles = Corpus.files(under: "binstores").filter { $0.hasSuffix(".paw") }

    /// What plain text search finds in an XML store.
    private struct Text {
        /// How many objects each entity has, by its name in capitals.
        var counts: [String: Int] = [:]
        /// The types of attributes, and counts and destinations of relationships, as the file has them.
        var attributes: [String: [String: String]] = [:]
        var relationships: [String: [String: (type: String, destination: String)]] = [:]

        init(_ data: Data) {
            var entity = ""
            // In texts the character is escaped.
            for part in String(decoding: data, as: UTF8.self).split(separator: "<") {
                guard let end = part.firstIndex(of: ">") else { continue }
                let words = part[..<end].split(separator: " ")
                var settings: [Substring: String] = [:]
                for word in words.dropFirst() {
                    guard let sign = word.firstIndex(of: "=") else { continue }
                    settings[word[..<sign]] = word[sign...].dropFirst(2).split(separator: "\"").first.map(
                        String.init)
                }
                switch words.first {
                case "object":
                    entity = settings["type"] ?? ""
                    counts[entity, default: 0] += 1
                case "attribute": attributes[entity, default: [:]][settings["name"] ?? ""] = settings["type"]
                case "relationship":
                    relationships[entity, default: [:]][settings["name"] ?? ""] = (
                        settings["type"] ?? "", settings["destination"] ?? ""
                    )
                default: break
                }
            }
        }

        /// A model that the file fits: the names of the file, nothing demanded, no inverses.
        var model: NSManagedObjectModel {
            let types: [String: NSAttributeType] = [
                "int16": .integer16AttributeType, "int32": .integer32AttributeType,
                "int64": .integer64AttributeType, "bool": .booleanAttributeType,
                "double": .doubleAttributeType,
                "float": .floatAttributeType, "date": .dateAttributeType, "string": .stringAttributeType,
                "binary": .binaryDataAttributeType, "decimal": .decimalAttributeType,
            ]
            let names = Set(counts.keys).union(relationships.values.flatMap { $0.values.map(\.destination) })
            let entities = names.sorted().map { name in
                let entity = NSEntityDescription()
                entity.name = name
                return entity
            }
            let byName = Dictionary(entities.map { ($0.name ?? "", $0) }, uniquingKeysWith: { a, _ in a })
            for (name, entity) in byName {
                let attributes = (attributes[name] ?? [:]).compactMap {
                    name, type -> NSPropertyDescription? in
                    let attribute = NSAttributeDescription()
                    attribute.name = name
                    attribute.attributeType = types[type] ?? .stringAttributeType
                    attribute.isOptional = true
                    return attribute
                }
                let links = (relationships[name] ?? [:]).map { name, link in
                    let relationship = NSRelationshipDescription()
                    relationship.name = name
                    relationship.destinationEntity = byName[link.destination]
                    relationship.maxCount = link.type.hasSuffix("/1") ? 1 : 0
                    relationship.isOptional = true
                    return relationship
                }
                entity.properties = attributes + links
            }
            let model = NSManagedObjectModel()
            model.entities = entities
            return model
        }
    }

    @Test(arguments: xmlFiles) func anXMLStoreIsToldAsItIs(_ path: String) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "StoreTools-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appending(path: "Store.xml")
        let data = try Data(contentsOf: Corpus.url(path))
        try data.write(to: url)
        let text = Text(data)
        let total = text.counts.values.reduce(0, +)
        let report = try StoreReport(url)
        let counts = report.entities.filter { $0.count > 0 }.map { ($0.name.uppercased(), $0.count) }
        #expect(Dictionary(counts, uniquingKeysWith: +) == text.counts && total > 0)
        #expect(report.type == NSXMLStoreType && UUID(uuidString: report.identifier) != nil)
        #expect(try StoreCheck(url).findings().map(\.code) == [.noModel])
        #expect(try ForeignTriggers.names(in: url) == [])
        #expect(try Data(contentsOf: url) == data)

        // With a model of the file's own names, as which it is marked.
        let model = text.model
        var metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: NSXMLStoreType, at: url)
        metadata[NSStoreModelVersionHashesKey] = model.entityVersionHashesByName
        try NSPersistentStoreCoordinator.setMetadata(
            metadata, forPersistentStoreOfType: NSXMLStoreType, at: url)
        #expect(try StoreCheck(url, model: model).findings().map(\.code) == [])
        let source = try OpenStore(url, model: text.model)
        var told: [String: Int] = [:]
        for entity in source.entities {
            try StoreListing(source, entities: [entity.home.entity.name ?? ""]).forEachObject {
                object, _, _ in
                told[object.entity, default: 0] += 1
            }
        }
        #expect(told == text.counts)
    }

    @Test(arguments: binaryFiles) func aBinaryStoreIsToldAsItIs(_ path: String) throws {
        let url = Corpus.url(path)
        let before = try Data(contentsOf: url)
        let report = try StoreReport(url)
        #expect(report.type == NSBinaryStoreType && report.entities.contains { $0.count > 0 })
        #expect(try StoreCheck(url).findings().map(\.code) == [.noModel])
        #expect(try StoreMetadata(url).values().contains { $0.key == "NSStoreModelVersionHashes" })
        #expect(throws: StoreToolError.self) { try OpenStore(url, model: nil) }
        #expect(try Data(contentsOf: url) == before)
    }

    @Test func thereAreFiles() {
        #expect(Self.xmlFiles.count >= 30 && Self.binaryFiles.count == 2)
    }
}

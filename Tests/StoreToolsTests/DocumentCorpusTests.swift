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
    }

    @Test(
        "Apple's XML stores are reported and checked as the file states, and stay unchanged",
        arguments: xmlFiles)
    func anXMLStoreIsReported(_ path: String) throws {
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

        // With a model of what the objects have.
        let model = try NSPersistentStoreCoordinator.reconstructedModelForPersistentStore(
            ofType: NSXMLStoreType, at: url)
        #expect(try StoreCheck(url, model: model).findings().map(\.code) == [])
        for entity in model.entities {
            let name = (entity.name ?? "").uppercased()
            let own = text.attributes[name] ?? [:]
            let types = entity.attributesByName.mapValues { Self.typeNames[$0.attributeType] ?? "" }
            #expect(
                Dictionary(types.map { ($0.key.lowercased(), $0.value) }, uniquingKeysWith: { a, _ in a })
                    == own)
            let links = entity.relationshipsByName.map { name, relationship in
                "\(name) \(relationship.minCount)/\(relationship.maxCount) \(relationship.destinationEntity?.name?.uppercased() ?? "")"
            }
            #expect(
                links.sorted()
                    == (text.relationships[name] ?? [:]).map {
                        "\($0.key) \($0.value.type) \($0.value.destination)"
                    }
                    .sorted())
        }
        #expect(try Self.counts(url).filter { $0.value > 0 } == text.counts)
        #expect(try Data(contentsOf: url) == data)
    }

    private static let typeNames: [NSAttributeType: String] = [
        .integer16AttributeType: "int16", .integer64AttributeType: "int64", .booleanAttributeType: "bool",
        .stringAttributeType: "string", .binaryDataAttributeType: "binary",
    ]

    /// The number of objects of each entity, by its name in capitals, that is reported without a model.
    private static func counts(_ url: URL) throws -> [String: Int] {
        let source = try OpenStore(url, model: nil)
        #expect(source.model.isReconstructed && source.notices.count == 1)
        var reported: [String: Int] = [:]
        for entity in source.entities {
            let name = entity.storedEntity.entity.name ?? ""
            reported[name.uppercased()] = 0
            try StoreListing(source, entities: [name]).forEachObject { object, _, _ in
                reported[object.entity.uppercased(), default: 0] += 1
            }
        }
        return reported
    }

    @Test("Apple's binary stores are reported and checked, and stay unchanged", arguments: binaryFiles)
    func aBinaryStoreIsReported(_ path: String) throws {
        let url = Corpus.url(path)
        let before = try Data(contentsOf: url)
        let report = try StoreReport(url)
        #expect(report.type == NSBinaryStoreType && report.entities.contains { $0.count > 0 })
        #expect(try StoreCheck(url).findings().map(\.code) == [.noModel])
        #expect(try StoreMetadata(url).values().contains { $0.key == "NSStoreModelVersionHashes" })
        let counts = Dictionary(
            report.entities.map { ($0.name.uppercased(), $0.count) }, uniquingKeysWith: +)
        #expect(try Self.counts(url) == counts)
        #expect(try Data(contentsOf: url) == before)
    }

    /// Every value that the dump of a store without a model has is one of the file, and all are there.
    @Test("Without a model, every value of Apple's XML and binary stores is listed")
    func everyValueIsListedWithoutAModel() throws {
        var counts = (stores: 0, objects: 0, values: 0)
        for path in Self.xmlFiles + Self.binaryFiles {
            let source = try OpenStore(Corpus.url(path), model: nil)
            let contents = try DocumentContents(Corpus.url(path), type: source.type.storeType)
            var values = 0
            var links = 0
            let listing = try StoreListing(
                source, entities: source.entities.map { $0.storedEntity.entity.name ?? "" })
            try listing.forEachObject { _, names, object in
                counts.objects += 1
                for name in names {
                    guard let value = object[name], value != .null else { continue }
                    if case .array(let elements) = value {
                        links += elements.count
                    } else {
                        values += 1
                    }
                }
            }
            #expect(try listing.count() == contents.objects.count, "\(path)")
            let reported = contents.objects.reduce(0) { $0 + $1.valueCount }
            let led = contents.objects.reduce(0) { $0 + $1.links.reduce(0) { $0 + $1.numbers.count } }
            #expect(values + links == reported + led, "\(path)")
            counts.stores += 1
            counts.values += values + links
        }
        print("documents told without a model: \(counts)")
        #expect(counts.stores == Self.xmlFiles.count + Self.binaryFiles.count && counts.objects > 500)
    }

    @Test("The corpus has XML and binary stores")
    func thereAreFiles() {
        #expect(Self.xmlFiles.count >= 30 && Self.binaryFiles.count == 2)
    }
}

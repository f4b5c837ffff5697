import CocoaFoundation
import TestSupport
import Testing

@testable import ManagedObjectModel

/// Compiled models that no compiler made: a clear error, or a model, never a stop of the program.
struct HostileCompiledModelTests {
    private static func sample() throws -> ArchiveEditor {
        try ArchiveEditor(CompiledSample.model().compiledData())
    }

    private func error(_ editor: ArchiveEditor) -> ModelFileError? { error(editor.data) }

    private func error(_ data: Data) -> ModelFileError? {
        do {
            _ = try NSManagedObjectModel(compiled: data)
            return nil
        } catch {
            return error as? ModelFileError
        }
    }

    private func entity(_ name: String, in editor: ArchiveEditor) throws -> Int {
        try #require(try editor.position("NSEntityDescription", where: "NSEntityName", is: name))
    }

    private func property(_ name: String, in editor: ArchiveEditor) throws -> Int {
        let classes = ["NSAttributeDescription", "NSRelationshipDescription"]
        return try #require(
            try classes.lazy.compactMap { try editor.position($0, where: "NSPropertyName", is: name) }.first)
    }

    // MARK: Data

    @Test("A compiled model cut off at any offset is an error")
    func truncatedData() throws {
        let model = NSManagedObjectModel()
        let entity = NSEntityDescription()
        entity.name = "A"
        model.entities = [entity]
        let whole = try model.compiledData()
        for length in 0..<whole.count { #expect(error(whole.prefix(length)) != nil) }
        #expect(error(whole) == nil)
    }

    @Test("Data that is not the archive of a model is refused with a reason")
    func archivesOfOtherThings() throws {
        let array = try KeyedArchiveWriter.archivedData(withRootObject: ["a"])
        #expect(error(array)?.detail == "the archive holds an object of the class NSArray, not a model")
        let text = try KeyedArchiveWriter.archivedData(withRootObject: "a")
        #expect(error(text)?.reason == .invalidValue)
        let list = try PropertyListSerialization.data(fromPropertyList: ["a": 1], format: .binary, options: 0)
        #expect(error(list)?.detail.contains("not a keyed archive") == true)
        #expect(error(Data("momv2$0123".utf8))?.reason == .unsupportedForm)
        #expect(error(Data("<plist/>".utf8))?.reason == .malformed)
        #expect(error(Data())?.reason == .malformed)
    }

    // MARK: Structure

    @Test("A compiled model with an inheritance cycle is refused")
    func entitiesThatInheritFromThemselves() throws {
        var editor = try Self.sample()
        let book = try entity("Book", in: editor)
        editor.set("NSSuperentity", of: try entity("Item", in: editor), toObject: book)
        editor.set("NSSubentities", of: try entity("Novel", in: editor), to: .identifier(0))
        editor.set("NSSubentities", of: book, to: .identifier(0))
        editor.set("NSSubentities", of: try entity("Item", in: editor), to: .identifier(0))
        #expect(error(editor)?.reason == .cycle)

        var own = try Self.sample()
        let page = try entity("Page", in: own)
        own.set("NSSuperentity", of: page, toObject: page)
        #expect(error(own)?.reason == .cycle && error(own)?.element == "Page")
    }

    @Test("A subentity that does not name its superentity is refused")
    func subentitiesThatDoNotInherit() throws {
        var editor = try Self.sample()
        editor.set("NSSuperentity", of: try entity("Novel", in: editor), to: .identifier(0))
        #expect(error(editor)?.detail == "the subentity 'Novel' does not inherit from the entity")
        #expect(error(editor)?.element == "Book")
    }

    @Test("A compiled relationship without a destination or a matching inverse is refused")
    func missingDestinationsAndInverses() throws {
        var editor = try Self.sample()
        let pages = try property("pages", in: editor)
        editor.set("NSDestinationEntity", of: pages, to: .identifier(0))
        #expect(error(editor) == nil)
        editor.set("_NSDestinationEntityName", of: pages, to: .string("Leaf"))
        #expect(error(editor)?.detail == "the destination 'Leaf' is not in the model")
        #expect(error(editor)?.element == "Book.pages")
        editor.set("_NSDestinationEntityName", of: pages, to: .identifier(0))
        #expect(error(editor)?.reason == .missingValue)

        var inverse = try Self.sample()
        inverse.set(
            "NSInverseRelationship", of: try property("pages", in: inverse),
            toObject: try property("pages", in: inverse))
        #expect(error(inverse)?.detail == "the inverse is not a relationship of 'Page'")
    }

    @Test("An entity or property whose name differs from its key, or that is shared, is refused")
    func contradictoryNames() throws {
        var editor = try Self.sample()
        editor.set("NSEntityName", of: try entity("Page", in: editor), to: .string("Book"))
        #expect(error(editor)?.detail == "the entity has the name 'Book'")

        var property = try Self.sample()
        property.set("NSPropertyName", of: try self.property("isRead", in: property), to: .string("title"))
        #expect(error(property)?.detail == "the property has the name 'title'")
        #expect(error(property)?.element == "Book.isRead")

        var shared = try Self.sample()
        let page = try #require(
            try shared.position("NSRelationshipDescription", where: "NSPropertyName", is: "book"))
        shared.set("NSEntity", of: page, toObject: try entity("Book", in: shared))
        #expect(error(shared)?.detail == "the property belongs to another entity")
    }

    @Test(
        "A compiled attribute of an unknown type is refused",
        arguments: [
            ("NSAttributeType", 12_345, "the attribute type 12345 is unknown"),
            ("NSAttributeType", -1, "the attribute type -1 is unknown"),
            ("NSAttributeType", Int64.max, "the attribute type 9223372036854775807 is unknown"),
        ])
    func attributeTypesThatAreUnknown(key: String, number: Int64, message: String) throws {
        var editor = try Self.sample()
        editor.set(key, of: try property("isRead", in: editor), to: .integer(number))
        #expect(error(editor)?.detail == message && error(editor)?.element == "Book.isRead")
    }

    @Test(
        "A compiled relationship with an impossible delete rule or count is refused",
        arguments: [
            ("NSDeleteRule", 9), ("NSMaxCount", -1), ("NSMinCount", 1 << 40), ("NSMaxCount", Int64.min),
        ])
    func numbersThatNoRelationshipHas(key: String, number: Int64) throws {
        var editor = try Self.sample()
        editor.set(key, of: try property("pages", in: editor), to: .integer(number))
        #expect(error(editor)?.reason == .invalidValue && error(editor)?.element == "Book.pages")
    }

    @Test("A compiled composite attribute that contains itself is refused")
    func aCompositeThatContainsItself() throws {
        var editor = try Self.sample()
        let position = try #require(
            try editor.position("NSCompositeAttributeDescription", where: "NSPropertyName", is: "place"))
        let point = try #require(
            try editor.position("NSCompositeAttributeDescription", where: "NSPropertyName", is: "point"))
        editor.replace(point, with: position)
        #expect(error(editor)?.reason == .cycle)
    }

    /// Every key of every object, with values of all the types that it should not have.
    @Test("A wrong value for any key of a compiled model gives a model or an error")
    func everyKeyWithAWrongValue() throws {
        let original = try Self.sample()
        let model = try #require(try original.objects(of: "NSManagedObjectModel").first)
        let wrong: [BinaryPropertyList.Node] = [
            .identifier(0), .identifier(UInt64(model)), .identifier(1 << 40), .integer(-7), .string("x"),
            .array([]), .real(.nan), .data(Data([1])), .null,
        ]
        var models = 0
        var errors = 0
        var seen: Set<String> = []
        for position in try original.objects() {
            let name = try original.className(of: position) ?? ""
            for key in try original.keys(of: position) where seen.insert("\(name).\(key)").inserted {
                for node in wrong {
                    var editor = original
                    editor.set(key, of: position, to: node)
                    do {
                        let model = try NSManagedObjectModel(compiled: editor.data)
                        _ = model.inconsistencies()
                        models += 1
                    } catch let error as ModelFileError {
                        #expect(!error.description.isEmpty)
                        errors += 1
                    }
                }
            }
        }
        #expect(seen.count > 100 && errors > 400 && models > 50)
    }

    // MARK: Size

    @Test("A compiled predicate that contains itself is refused")
    func predicatesThatContainThemselves() throws {
        var circle = try Self.sample()
        let not = try #require(try circle.objects(of: "NSCompoundPredicate").first)
        let list = try #require(try circle.objects(of: "NSArray").first)
        circle.nodes.append(.identifier(UInt64(not)))
        circle.set("NS.objects", of: list, to: .array([circle.nodes.count - 1]))
        circle.set("NSSubpredicates", of: not, toObject: list)
        #expect(error(circle)?.reason == .cycle)
    }

    @Test("A compiled predicate whose shared parts multiply is refused")
    func predicatesThatMultiply() throws {
        let writer = ModelArchiveWriter()
        var part = writer.add(["NSTruePredicate", "NSPredicate"], [])
        for _ in 0..<40 {
            part = writer.add(
                ["NSCompoundPredicate", "NSPredicate"],
                [
                    ("NSCompoundPredicateType", .number(1)),
                    ("NSSubpredicates", writer.addList(["NSArray"], [part, part])),
                ])
        }
        #expect(error(try request(with: part, writer))?.reason == .tooLarge)
    }

    @Test("A compiled predicate that is nested too deeply is refused")
    func predicatesThatAreDeep() throws {
        let writer = ModelArchiveWriter()
        var part = writer.add(["NSTruePredicate", "NSPredicate"], [])
        for _ in 0..<50_000 {
            part = writer.add(
                ["NSCompoundPredicate", "NSPredicate"],
                [
                    ("NSCompoundPredicateType", .number(0)),
                    ("NSSubpredicates", writer.addList(["NSArray"], [part])),
                ])
        }
        #expect(error(try request(with: part, writer))?.detail.contains("nested") == true)
    }

    /// A model whose only fetch request has a predicate.
    private func request(with predicate: Int, _ writer: ModelArchiveWriter) throws -> Data {
        let request = writer.add(
            ["NSFetchRequest"],
            [("NSHasFetchRequestFlags", .flag(true)), ("NSPredicate", .object(predicate))])
        let table = writer.addDictionary(["NSDictionary"], [(key: "r", position: request)])
        return try writer.finish(
            root: writer.add(["NSManagedObjectModel"], [("NSFetchRequestTemplates", table)]))
    }

    /// Entities that all have the same table: a small file that stands for millions of values.
    @Test("A compiled model whose entities share one large table is refused")
    func tablesThatAreShared() throws {
        let writer = ModelArchiveWriter()
        let notes = writer.addDictionary(
            ["NSDictionary"], (0..<4_000).map { (key: "k\($0)", position: writer.position(of: "v\($0)")) })
        let empty = writer.addDictionary(["NSDictionary"], [])
        let entities = (0..<4_000).map { index in
            (
                key: "E\(index)",
                position: writer.add(
                    ["NSEntityDescription"],
                    [
                        ("NSEntityName", .text("E\(index)")), ("NSUserInfo", notes), ("NSProperties", empty),
                    ])
            )
        }
        let table = writer.addDictionary(["NSDictionary"], entities)
        let data = try writer.finish(root: writer.add(["NSManagedObjectModel"], [("NSEntities", table)]))
        #expect(error(data)?.detail.contains("expands to more than") == true)
    }

    @Test("A user info value whose shared parts multiply is refused")
    func valuesThatMultiply() throws {
        let writer = ModelArchiveWriter()
        var value = writer.add(["NSArray"], [("NS.objects", .list([]))])
        for _ in 0..<60 { value = writer.add(["NSArray"], [("NS.objects", .list([value, value]))]) }
        let notes = writer.addDictionary(["NSDictionary"], [(key: "k", position: value)])
        let entity = writer.add(
            ["NSEntityDescription"], [("NSEntityName", .text("E")), ("NSUserInfo", notes)])
        let table = writer.addDictionary(["NSDictionary"], [(key: "E", position: entity)])
        let data = try writer.finish(root: writer.add(["NSManagedObjectModel"], [("NSEntities", table)]))
        #expect(error(data)?.detail.contains("expands to more than") == true)
        #expect(error(data)?.element == "E")
    }

    @Test("A compiled model with too long a chain of superentities is refused")
    func aTreeOfEntitiesThatIsTooDeep() throws {
        let writer = ModelArchiveWriter()
        var entities: [(key: String, position: Int)] = []
        for index in 0..<3_000 {
            let parent = entities.last?.position
            entities.append(
                (
                    "E\(index)",
                    writer.add(
                        ["NSEntityDescription"],
                        [
                            ("NSEntityName", .text("E\(index)")),
                            ("NSSuperentity", parent.map { .object($0) } ?? .null),
                        ])
                ))
        }
        let table = writer.addDictionary(["NSDictionary"], entities)
        let data = try writer.finish(root: writer.add(["NSManagedObjectModel"], [("NSEntities", table)]))
        #expect(error(data)?.reason == .tooLarge)
    }

    @Test("A compiled entity with thousands of properties and indexes is read")
    func manyPropertiesTakeTimeByTheirNumber() throws {
        let model = NSManagedObjectModel()
        let entity = NSEntityDescription()
        entity.name = "E"
        entity.properties = (0..<3_000).map { index in
            let attribute = NSAttributeDescription()
            attribute.name = "a\(index)"
            attribute.attributeType = .stringAttributeType
            return attribute
        }
        entity.indexes = (0..<3_000).map { index in
            NSFetchIndexDescription(
                name: "i\(index)",
                elements: [
                    NSFetchIndexElementDescription(propertyName: "a\(index)", collationType: .binary)
                ])
        }
        model.entities = [entity]
        let read = try NSManagedObjectModel(compiled: model.compiledData())
        #expect(read.entitiesByName["E"]?.indexes.count == 3_000)
        #expect(try NSManagedObjectModel(modelCacheArchive: read.modelCacheArchive()).entities.count == 1)
    }

    // MARK: Random mistakes

    /// Archives with wrong references, numbers and bytes.
    @Test("A mutated archive gives a model or an error", arguments: 0..<6)
    func mutatedArchiveIsAModelOrAnError(seed: UInt64) throws {
        var random = Fuzzing.numbers(seed: seed)
        let model = try CompiledSample.model()
        let archives = [try model.compiledData(), try model.modelCacheArchive()]
        var models = 0
        for round in 0..<Fuzzing.rounds(120) {
            let data = mutated(archives[round % 2], &random)
            if try isModel(data) { models += 1 }
        }
        #expect(models > 0)
    }

    @Test(
        "A mutated archive of Apple's tools gives a model or an error",
        .enabled(if: Corpus.isPresent, "\(Corpus.missing)"))
    func mutatedArchiveOfApplesIsAModelOrAnError() throws {
        var random = Fuzzing.numbers(seed: 77)
        let paths =
            Corpus.files(under: "mom").filter { $0.hasSuffix(".mom") }
            + Corpus.files(under: "modelcache").filter { $0.hasSuffix(".bplist") }
        var models = 0
        for path in paths {
            let data = try Data(contentsOf: Corpus.url(path))
            // The large ones are of the same kind as the others and take most of the time.
            guard data.count < 10_000 else { continue }
            for _ in 0..<Fuzzing.rounds(4) where try isModel(mutated(data, &random)) { models += 1 }
        }
        #expect(models > 0)
    }

    private func isModel(_ data: Data) throws -> Bool {
        do {
            let model = try NSManagedObjectModel(compiled: data)
            _ = model.inconsistencies()
            let copy = try #require(model.copy() as? NSManagedObjectModel)
            #expect(copy.entityVersionHashesByName == model.entityVersionHashesByName)
            _ = try? model.compiledData()
            _ = try? model.modelCacheArchive()
            model.makeImmutable()
            return true
        } catch let error as ModelFileError {
            #expect(!error.description.isEmpty)
            return false
        }
    }

    /// Changes bytes, or an object of the property list: another kind of value, another reference, another number.
    private func mutated(_ data: Data, _ random: inout SeededNumbers) -> Data {
        if random.next() % 4 == 0 {
            var bytes = [UInt8](data)
            for _ in 0...Int(random.next() % 4) {
                bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
            }
            return Data(bytes)
        }
        guard var editor = try? ArchiveEditor(data) else { return data }
        for _ in 0...Int(random.next() % 3) {
            let index = Int(random.next() % UInt64(editor.nodes.count))
            editor.nodes[index] = mutated(editor.nodes[index], count: editor.nodes.count, &random)
        }
        return editor.data
    }

    private func mutated(
        _ node: BinaryPropertyList.Node, count: Int, _ random: inout SeededNumbers
    ) -> BinaryPropertyList.Node {
        let other = Int(random.next() % UInt64(count))
        switch node {
        case .identifier: return .identifier(random.next() % UInt64(count))
        case .integer(let number): return .integer(number ^ Int64(1 << (random.next() % 12)))
        case .boolean(let flag): return .boolean(!flag)
        case .array(var elements) where !elements.isEmpty:
            elements[Int(random.next() % UInt64(elements.count))] = other
            return .array(elements)
        case .dictionary(let keys, var values) where !values.isEmpty:
            values[Int(random.next() % UInt64(values.count))] = other
            return .dictionary(keys: keys, values: values)
        case .string: return random.next() % 2 == 0 ? .string("") : .integer(Int64(other))
        default: return .string("x")
        }
    }
}

import CocoaFoundation
import Testing

@testable import ManagedObjectModel

/// How much work the hashes of a model are: what entities inherit is hashed once, not once for each of them.
struct VersionHashWorkTests {
    /// An attribute that counts how often its hash is read.
    final class CountingAttribute: NSAttributeDescription, @unchecked Sendable {
        var asked = 0
        override var versionHash: Data {
            asked += 1
            return super.versionHash
        }
    }

    /// A root with attributes, a chain of entities below it, and leaves below the last of the chain.
    private func deepModel(
        attributes: Int, chain: Int, leaves: Int
    ) -> (model: NSManagedObjectModel, attributes: [CountingAttribute]) {
        let counting = (0..<attributes).map { index in
            let attribute = CountingAttribute()
            attribute.name = "a\(index)"
            attribute.type = .string
            return attribute
        }
        let root = entity("Root", counting)
        var entities = [root]
        for index in 0..<chain {
            let next = entity("C\(index)", [attribute("own\(index)", .integer16)])
            entities[entities.count - 1].subentities = [next]
            entities.append(next)
        }
        let below = (0..<leaves).map { entity("L\($0)", [attribute("leaf", .integer16)]) }
        entities[entities.count - 1].subentities = below
        let model = NSManagedObjectModel()
        model.entities = entities + below
        return (model, counting)
    }

    @Test("An inherited property is hashed once for all entities of a model")
    func eachPropertyOfAModelIsHashedOnce() {
        let (model, attributes) = deepModel(attributes: 5, chain: 30, leaves: 20)
        let hashes = model.entityVersionHashesByName
        #expect(hashes.count == 51)
        #expect(attributes.map(\.asked) == [1, 1, 1, 1, 1])
        #expect(hashes["L7"] == model.entitiesByName["L7"]?.versionHash)
        #expect(hashes["C3"] == model.entitiesByName["C3"]?.versionHash)
    }

    @Test("Each entity and property is hashed once, however often a digest is read")
    func eachHashIsComputedOnce() {
        let (model, _) = deepModel(attributes: 40, chain: 190, leaves: 100)
        let hashes = VersionHashes()
        for entity in model.entities + model.entities { _ = hashes.digest(of: entity) }
        // 291 entities, with 40 attributes in the root and one in each other.
        #expect(hashes.computedCount == 291 + 40 + 290)
    }

    @Test("An immutable model hashes nothing anew and has the same hashes")
    func aModelInUseHasTheSameHashes() {
        let (model, attributes) = deepModel(attributes: 3, chain: 10, leaves: 4)
        let before = model.entityVersionHashesByName
        model.makeImmutable()
        #expect(attributes.map(\.asked) == [2, 2, 2])
        #expect(model.entityVersionHashesByName == before)
        #expect(model.entities.allSatisfy { $0.versionHash == before[$0.name ?? ""] })
    }

    @Test("Comparing two models hashes each property once per model")
    func aComparisonOfModelsHashesEachPropertyOnceForEach() {
        let (old, oldAttributes) = deepModel(attributes: 2, chain: 8, leaves: 4)
        let (new, newAttributes) = deepModel(attributes: 2, chain: 8, leaves: 4)
        #expect(MappingInference(from: old, to: new).obstacles.isEmpty)
        #expect(oldAttributes.map(\.asked) == [1, 1])
        #expect(newAttributes.map(\.asked) == [1, 1])
    }

    @Test("A property that overrides an inherited one counts in the hash of its entity")
    func overridingPropertyCountsInTheHash() {
        let child = entity("Child", [attribute("a", .string), attribute("b", .string)])
        let parent = entity(
            "Parent", [attribute("a", .integer16), attribute("c", .string)], subentities: [child])
        let model = makeModel(parent, child)
        let before = model.entityVersionHashesByName["Child"]
        // What is hidden counts in the parent only: the two hashes of the child differ by that of the parent.
        child.properties = [attribute("b", .string)]
        #expect(model.entityVersionHashesByName["Child"] != before)
        let hidden = attribute("a", .string)
        hidden.isTransient = true
        child.properties = [hidden, attribute("b", .string)]
        #expect(model.entityVersionHashesByName["Child"] != before)
    }
}

import Testing

@testable import ModelTools

/// Differences of models, and whether a migration can be inferred.
struct ModelDifferenceTests {
    private func difference(_ old: String, _ new: String) throws -> ModelDifference {
        ModelDifference(from: try model(old), to: try model(new))
    }

    @Test("Equal models have no difference")
    func equalModelsHaveNone() throws {
        let content = entity(
            "A", "<fetchIndex name=\"i\"><fetchIndexElement property=\"text\"/></fetchIndex>")
        let found = try difference(content, content)
        #expect(found.isEmpty)
        #expect(!found.changesVersionHashes)
        #expect(found.allowsLightweightMigration)
    }

    @Test("A difference has added, removed and renamed entities")
    func entitiesComeGoAndAreRenamed() throws {
        let found = try difference(
            entity("A") + entity("B"), entity("C", "", "elementID=\"B\"") + entity("D"))
        #expect(found.entities.map(\.name) == ["A", "C", "D"])
        #expect(found.entities.map(\.change) == [.removed, .renamed, .added])
        #expect(found.entities[1].oldName == "B")
        #expect(found.entities[1].changesVersionHash)
        #expect(found.changesVersionHashes)
        #expect(found.obstacles == [])
    }

    @Test("A difference has added, removed and renamed properties")
    func propertiesComeGoAndAreRenamed() throws {
        let found = try difference(
            entity(
                "A",
                "<attribute name=\"a\" attributeType=\"Date\"/><attribute name=\"b\" attributeType=\"Date\"/>"
            ),
            entity(
                "A",
                """
                <attribute name="z" elementID="a" attributeType="Date"/>
                <attribute name="c" optional="YES" attributeType="Date"/>
                """))
        #expect(found.entities.count == 1)
        let properties = found.entities[0].properties
        #expect(properties.map(\.name) == ["b", "c", "z"])
        #expect(properties.map(\.change) == [.removed, .added, .renamed])
        #expect(properties[2].oldName == "a")
        #expect(properties[2].settings == [])
        #expect(found.allowsLightweightMigration)
    }

    @Test("A second renaming with the same identifier is a renaming")
    func aSecondRenaming() throws {
        let found = try difference(
            entity("B", "", "elementID=\"A\""), entity("C", "", "elementID=\"A\""))
        #expect(found.entities.map(\.change) == [.renamed])
        #expect(found.entities[0].oldName == "B")
    }

    @Test("Changed settings have their old and new values")
    func settingsHaveOldAndNewValues() throws {
        let found = try difference(
            entity("A", "<attribute name=\"a\" attributeType=\"Integer 16\" defaultValueString=\"1\"/>"),
            entity(
                "A",
                "<attribute name=\"a\" optional=\"YES\" attributeType=\"Integer 16\" defaultValueString=\"2\" maxValueString=\"9\"/>",
                "representedClassName=\"Thing\""))
        let changed = try #require(found.entities.first)
        #expect(
            changed.settings == [.init(name: "managedObjectClassName", old: "NSManagedObject", new: "Thing")])
        #expect(
            changed.properties.first?.settings == [
                .init(name: "isOptional", old: "NO", new: "YES"),
                .init(name: "defaultValue", old: "1", new: "2"),
                .init(name: "validationPredicates", old: nil, new: "SELF <= 9 [1610]"),
            ])
        #expect(changed.properties.first?.changesVersionHash == true)
        #expect(found.allowsLightweightMigration)
    }

    @Test("Changes of indexes and code generation do not change the version hash")
    func changesWithoutAnotherHash() throws {
        let found = try difference(
            entity("A", "", "codeGenerationType=\"class\""),
            entity(
                "A",
                "<fetchIndex name=\"i\"><fetchIndexElement property=\"text\" order=\"descending\"/></fetchIndex>"
            ))
        #expect(!found.changesVersionHashes)
        #expect(found.entities[0].changesVersionHash == false)
        #expect(
            found.entities[0].settings == [
                .init(name: "index 'i'", old: nil, new: "text descending"),
                .init(name: "codeGenerationType", old: "class", new: nil),
            ])
    }

    @Test("A difference has changed configurations and fetch requests")
    func configurationsAndRequests() throws {
        let found = try difference(
            entity("A") + "<fetchRequest name=\"f\" entity=\"A\"/><configuration name=\"c\"/>",
            entity("A")
                + "<fetchRequest name=\"f\" entity=\"A\" fetchLimit=\"3\"/><fetchRequest name=\"g\" entity=\"A\"/>"
        )
        #expect(found.configurations.map(\.change) == [.removed])
        #expect(found.fetchRequests.map(\.change) == [.changed, .added])
        #expect(found.fetchRequests[0].settings == [.init(name: "fetchLimit", old: "0", new: "3")])
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let old: String
        let new: String
        let obstacles: [String]
        var testDescription: String { name }
    }

    private static func relationship(_ settings: String) -> String {
        entity("A", "<relationship name=\"b\" destinationEntity=\"B\" \(settings)/>") + entity("B")
    }

    @Test(
        "A difference names the obstacles to a lightweight migration",
        arguments: [
            Case(
                name: "a mandatory attribute without a default", old: entity("A"),
                new: entity("A", "<attribute name=\"x\" attributeType=\"Date\"/>"),
                obstacles: ["A.x: The attribute is new, is mandatory and has no default value"]),
            Case(
                name: "a mandatory attribute with a default", old: entity("A"),
                new: entity("A", "<attribute name=\"x\" attributeType=\"Double\" defaultValueString=\"0\"/>"),
                obstacles: []),
            Case(
                name: "a mandatory attribute of a new entity", old: entity("A"),
                new: entity("A") + entity("B", "<attribute name=\"x\" attributeType=\"Date\"/>"),
                obstacles: []),
            Case(
                name: "optional becomes mandatory",
                old: entity("A", "<attribute name=\"x\" optional=\"YES\" attributeType=\"Date\"/>"),
                new: entity("A", "<attribute name=\"x\" attributeType=\"Date\"/>"),
                obstacles: ["A.x: The attribute was optional, is mandatory and has no default value"]),
            Case(
                name: "another type",
                old: entity("A", "<attribute name=\"x\" attributeType=\"Integer 16\"/>"),
                new: entity("A", "<attribute name=\"x\" attributeType=\"String\"/>"),
                obstacles: [
                    "A.x: Source and destination attribute types are incompatible: 'x' was Integer 16, 'x' is String"
                ]),
            Case(
                name: "a wider integer",
                old: entity("A", "<attribute name=\"x\" attributeType=\"Integer 16\"/>"),
                new: entity("A", "<attribute name=\"x\" attributeType=\"Integer 64\"/>"), obstacles: []),
            Case(
                name: "an inherited attribute of another type is reported once",
                old: entity("A", "<attribute name=\"x\" attributeType=\"Date\"/>")
                    + "<entity name=\"B\" parentEntity=\"A\"/>",
                new: entity("A", "<attribute name=\"x\" attributeType=\"UUID\"/>")
                    + "<entity name=\"B\" parentEntity=\"A\"/>",
                obstacles: [
                    "A.x: Source and destination attribute types are incompatible: 'x' was Date, 'x' is UUID"
                ]),
            Case(
                name: "to-one becomes ordered to-many", old: relationship("optional=\"YES\" maxCount=\"1\""),
                new: relationship("optional=\"YES\" toMany=\"YES\" ordered=\"YES\""), obstacles: []),
            Case(
                name: "a relationship becomes mandatory",
                old: relationship("optional=\"YES\" maxCount=\"1\""),
                new: relationship("maxCount=\"1\""),
                obstacles: ["A.b: The relationship was optional, is mandatory"]),
            Case(
                name: "another destination", old: relationship("optional=\"YES\"") + entity("C"),
                new: entity("A", "<relationship name=\"b\" destinationEntity=\"C\" optional=\"YES\"/>")
                    + entity("B")
                    + entity("C"),
                obstacles: [
                    "A.b: Source and destination relationship entities are incompatible: 'b' led to 'B', 'b' leads to 'C'"
                ]),
            Case(
                name: "the destination is renamed", old: relationship("optional=\"YES\""),
                new: entity("A", "<relationship name=\"b\" destinationEntity=\"C\" optional=\"YES\"/>")
                    + entity("C", "", "elementID=\"B\""), obstacles: []),
            Case(
                name: "a property moves to a new superentity",
                old: entity("A", "<attribute name=\"x\" attributeType=\"Date\"/>"),
                new: "<entity name=\"P\"><attribute name=\"x\" attributeType=\"Date\"/></entity>"
                    + entity("A", "", "parentEntity=\"P\""), obstacles: []),
            Case(
                name: "an entity moves into a hierarchy", old: entity("A") + "<entity name=\"B\"/>",
                new: entity("A") + "<entity name=\"B\" parentEntity=\"A\"/>", obstacles: []),
            Case(
                name: "hierarchies are merged", old: "<entity name=\"A\"/><entity name=\"B\"/>",
                new:
                    "<entity name=\"P\"/><entity name=\"A\" parentEntity=\"P\"/><entity name=\"B\" parentEntity=\"P\"/>",
                obstacles: ["B: The entities 'A' and 'B' have a common parent now and had none before"]),
            Case(
                name: "an attribute becomes a relationship",
                old: entity("A", "<attribute name=\"b\" attributeType=\"Date\"/>") + entity("B"),
                new: relationship("optional=\"YES\""), obstacles: []),
        ])
    func inferredMigration(_ test: Case) throws {
        let found = try difference(test.old, test.new)
        #expect(found.obstacles.map(\.description) == test.obstacles)
        #expect(found.allowsLightweightMigration == test.obstacles.isEmpty)
        #expect(found.changesVersionHashes)
    }

    @Test("A difference is encoded and decoded, with equal bytes each time")
    func differencesAreCodableAndAlwaysTheSame() throws {
        let old = entity("A") + entity("B") + "<configuration name=\"c\"/>"
        let new = entity("B", "<attribute name=\"x\" attributeType=\"Date\"/>") + entity("Z") + entity("Y")
        let found = try difference(old, new)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let data = try encoder.encode(found)
        #expect(try JSONDecoder().decode(ModelDifference.self, from: data) == found)
        #expect(try encoder.encode(difference(old, new)) == data)
        #expect(found.entities.map(\.name) == ["A", "B", "Y", "Z"])
    }
}

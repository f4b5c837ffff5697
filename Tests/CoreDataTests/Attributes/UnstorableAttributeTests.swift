import CoreData
import Testing

/// Attributes that no store can hold are refused when the store is added, by name; nothing is left behind.
@Suite struct UnstorableAttributeTests {
    private func refusal(_ property: NSAttributeDescription) throws -> String {
        let folder = try StoreFolder()
        let model = NSManagedObjectModel(of: NSEntityDescription("Holder", property))
        let found = try error { _ = try folder.open(model) }
        #expect(found.code == 134020)
        #expect(try folder.names == [])
        return found.localizedDescription
    }

    @Test("An attribute of type object ID is refused by name")
    func objectIDs() throws {
        let text = try refusal(attribute("owner", .objectID))
        #expect(text.contains("Holder.owner"))
        #expect(text.contains("object ID cannot be stored"))
    }

    @Test("An attribute without a type is refused by name")
    func attributesWithoutType() throws {
        let text = try refusal(attribute("anything", .undefined))
        #expect(text.contains("Holder.anything"))
        #expect(text.contains("transient"))
    }

    @Test("Attributes of these types may be transient")
    func transientAttributes() throws {
        let folder = try StoreFolder()
        let model = NSManagedObjectModel(
            of: NSEntityDescription(
                "Holder", Library.transient("owner", .objectID), Library.transient("anything", .undefined)))
        try folder.make(model)
        #expect(
            try folder.schema()["ZHOLDER"]
                == "CREATE TABLE ZHOLDER ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER )")
    }

    @Test("A composite element without a type is refused by name")
    func elementsWithoutType() throws {
        let text = try refusal(composite("pair", attribute("half", .undefined)))
        #expect(text.contains("Holder.pair.half"))
    }
}

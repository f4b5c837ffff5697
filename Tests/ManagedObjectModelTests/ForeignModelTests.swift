import CocoaFoundation
import Testing

@testable import ManagedObjectModel

/// Compiled models with what Apple's framework writes and reads, and would not make of a model file.
struct ForeignModelTests {
    private func model(_ entities: NSEntityDescription...) -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        model.entities = entities
        return model
    }

    private func index(_ name: String, over property: String) -> NSFetchIndexDescription {
        NSFetchIndexDescription(
            name: name,
            elements: [NSFetchIndexElementDescription(propertyName: property, collationType: .binary)])
    }

    /// An archive in which the indexes of an entity are listed twice.
    private func doubled() throws -> Data {
        let element = entity("Element", [attribute("identifier", .string), attribute("kind", .string)])
        element.indexes = [index("identifier", over: "identifier"), index("byKind", over: "kind")]
        var editor = try ArchiveEditor(model(element).compiledData())
        let indexedChange = try editor.objects(of: "NSFetchIndexDescription")
        let owner = try #require(
            try editor.position("NSEntityDescription", where: "NSEntityName", is: "Element"))
        editor.set(
            "NSFetchIndexDescriptions", of: owner, toObject: try editor.addList(indexedChange + indexedChange)
        )
        return editor.data
    }

    @Test("A new store gets the first of two indexes with one name, and its model cache keeps both")
    func equalNamesOfIndexes() throws {
        let read = try NSManagedObjectModel(compiled: doubled())
        try read.validate()
        let element = try #require(read.entitiesByName["Element"])
        #expect(element.indexes.count == 4)
        #expect(element.storeIndexes.map(\.name).sorted() == ["byKind", "identifier", "kind"])
        // The copy that a store keeps has both, and is read again.
        let copy = try NSManagedObjectModel(modelCacheArchive: read.modelCacheArchive())
        try copy.validate()
        #expect(copy.entitiesByName["Element"]?.indexes.filter { $0.name == "identifier" }.count == 2)
        #expect((read.copy() as? NSManagedObjectModel).map { (try? $0.validate()) != nil } == true)
    }

    @Test("A model made in code with two indexes of one name is invalid")
    func equalNamesInCode() {
        let element = entity("Element", [attribute("a", .string)])
        element.indexes = [index("byA", over: "a"), index("byA", over: "a")]
        #expect(throws: (any Error).self) { try model(element).validate() }
    }

    @Test("An entity keeps an index of its superentity over an inherited property")
    func inheritedIndexes() throws {
        let parent = entity("Parent", [attribute("a", .string)])
        parent.indexes = [index("byA", over: "a")]
        let child = entity("Child", [attribute("b", .string)])
        child.indexes = [index("byB", over: "b")]
        parent.subentities = [child]
        var editor = try ArchiveEditor(model(parent, child).compiledData())
        let position = try #require(
            try editor.position("NSEntityDescription", where: "NSEntityName", is: "Child"))
        let indexes = try editor.objects(of: "NSFetchIndexDescription")
        editor.set("NSFetchIndexDescriptions", of: position, toObject: try editor.addList(indexes))
        let read = try NSManagedObjectModel(compiled: editor.data)
        try read.validate()
        #expect(Set(read.entitiesByName["Child"]?.indexes.map(\.name) ?? []) == ["byA", "byB"])
    }

    /// An archive in which the default value of `cover`, and a value of user info, are objects of a class that is not here.
    private func withCover() throws -> Data {
        let cover = attribute("cover", .transformable)
        cover.defaultValue = "x"
        cover.userInfo = ["k": "v"]
        var editor = try ArchiveEditor(model(entity("Book", [cover])).compiledData())
        // A text becomes an object whose class has that name.
        let object = try editor.addCopy(of: try #require(try editor.objects(of: "NSDictionary").first))
        var node = editor.nodes.count
        editor.nodes.append(.string("Cover"))
        editor.nodes.append(.string("$classname"))
        let description = try editor.addText("")
        editor.set("$class", of: object, toObject: description)
        editor.set("title", of: object, to: .string("Metamorphosis"))
        node += 1
        editor.setNode(of: description, to: .dictionary(keys: [node], values: [node - 1]))
        let position = try #require(
            try editor.position("NSAttributeDescription", where: "NSPropertyName", is: "cover"))
        editor.set("NSDefaultValue", of: position, toObject: object)
        editor.set("NSUserInfo", of: position, toObject: try editor.addTable("k", object))
        return editor.data
    }

    @Test("A default value of an unknown class is kept as an archive and written back unchanged")
    func foreignDefault() throws {
        let read = try NSManagedObjectModel(compiled: withCover())
        try read.validate()
        let cover = try #require(read.entitiesByName["Book"]?.attributesByName["cover"])
        let archive = try #require(cover.defaultValue as? OpaqueArchive)
        #expect(archive.className == "Cover")
        #expect(cover.userInfo?["k"] as? OpaqueArchive == archive)
        let again = try NSManagedObjectModel(compiled: read.compiledData())
        #expect(
            again.entitiesByName["Book"]?.attributesByName["cover"]?.defaultValue as? OpaqueArchive == archive
        )
        #expect(again == read)
    }

    @Test("A default value of an unknown class is refused unless the attribute is transformable")
    func foreignDefaultOfAString() throws {
        var editor = try ArchiveEditor(withCover())
        let position = try #require(
            try editor.position("NSAttributeDescription", where: "NSPropertyName", is: "cover"))
        editor.set("NSAttributeType", of: position, to: .integer(700))
        #expect(throws: ModelFileError.self) { try NSManagedObjectModel(compiled: editor.data) }
    }
}

import CocoaFoundation
import Testing

@testable import ManagedObjectModel

/// Small compiled models that stand for large ones, because objects are shared: a clear error.
struct MultipliedArchiveTests {
    private func sample() throws -> ArchiveEditor {
        try ArchiveEditor(CompiledSample.model().compiledData())
    }

    private func error(_ editor: ArchiveEditor) -> ModelFileError? {
        #expect(throws: ModelFileError.self) { try NSManagedObjectModel(compiled: editor.data) }
    }

    private func attribute(_ name: String, in editor: ArchiveEditor) throws -> Int {
        let classes = ["NSAttributeDescription", "NSCompositeAttributeDescription"]
        return try #require(
            try classes.lazy.compactMap { try editor.position($0, where: "NSPropertyName", is: name) }.first)
    }

    /// Puts composite attributes into each other, each of which has the one below `fan` times.
    private func composites(depth: Int, fan: Int) throws -> ArchiveEditor {
        var editor = try sample()
        let outermost = try attribute("place", in: editor)
        let template = try attribute("point", in: editor)
        var inner = try attribute("city", in: editor)
        for _ in 0..<depth {
            let elements = try editor.addList(Array(repeating: inner, count: fan))
            inner = try editor.addCopy(of: template)
            editor.set("NSCompositeElements", of: inner, toObject: elements)
        }
        editor.set("NSCompositeElements", of: outermost, toObject: try editor.addList([inner]))
        return editor
    }

    @Test(
        "Composite attributes that multiply by sharing are refused",
        arguments: [(20, 2), (62, 2), (2, 2200)])
    func compositesThatMultiply(depth: Int, fan: Int) throws {
        let editor = try composites(depth: depth, fan: fan)
        let error = self.error(editor)
        #expect(error?.reason == .tooLarge)
        #expect(error?.detail == "the composite attributes of the model have too many elements")
        #expect(error?.element?.hasPrefix("Book.place.point") == true)
    }

    @Test("A shared composite attribute is read wherever it is used")
    func compositesThatAreSharedAreReadAtEveryPlace() throws {
        let model = try NSManagedObjectModel(compiled: composites(depth: 3, fan: 4).data)
        func leaves(_ attribute: NSAttributeDescription) -> Int {
            guard let composite = attribute as? NSCompositeAttributeDescription else { return 1 }
            return composite.elements.map(leaves).reduce(0, +)
        }
        let position = try #require(model.entitiesByName["Book"]?.attributesByName["place"])
        #expect(leaves(position) == 64)
    }

    @Test("Indexes that multiply by sharing their elements are refused")
    func indexesThatShareTheirElements() throws {
        var editor = try sample()
        let book = try #require(try editor.position("NSEntityDescription", where: "NSEntityName", is: "Book"))
        let index = try #require(try editor.objects(of: "NSFetchIndexDescription").first)
        let element = try #require(try editor.objects(of: "NSFetchIndexElementDescription").first)
        let elements = try editor.addList(Array(repeating: element, count: 700))
        let shared = try editor.addCopy(of: index)
        editor.set("NSIndexElements", of: shared, toObject: elements)
        let indexes = try editor.addList(Array(repeating: shared, count: 700))
        editor.set("NSFetchIndexDescriptions", of: book, toObject: indexes)
        let error = self.error(editor)
        #expect(error?.reason == .tooLarge)
        #expect(
            error?.detail == "the archive expands to more than 200000 values and parts of indexes")
        #expect(error?.element?.hasPrefix("Book.") == true)
    }

    /// Lists of two, each of which has the one below twice.
    private func nestedLists(_ depth: Int, in editor: inout ArchiveEditor) throws -> Int {
        var list = try editor.addText("x")
        for _ in 0..<depth { list = try editor.addList([list, list]) }
        return list
    }

    @Test("Lists of user info that multiply by sharing are refused")
    func listsOfUserInfoThatMultiply() throws {
        var editor = try sample()
        let table = try editor.addTable("k", nestedLists(20, in: &editor))
        editor.set("NSUserInfo", of: try attribute("year", in: editor), toObject: table)
        #expect(error(editor)?.detail.contains("expands to more than 200000") == true)
        #expect(error(editor)?.element == "Book.year")
    }

    @Test("User info shared by one property is read, and by many is refused")
    func userInfoThatManyPropertiesShare() throws {
        var editor = try sample()
        let table = try editor.addTable("k", nestedLists(15, in: &editor))
        editor.set("NSUserInfo", of: try attribute("year", in: editor), toObject: table)
        var list = try #require(
            try NSManagedObjectModel(compiled: editor.data).entitiesByName["Book"]?.attributesByName["year"]?
                .userInfo?["k"])
        for _ in 0..<15 {
            let pair = try #require(list as? [Any])
            #expect(pair.count == 2)
            list = pair[1]
        }
        #expect(list as? String == "x")
        for name in ["title", "price", "bought", "isRead", "cover", "secret"] {
            editor.set("NSUserInfo", of: try attribute(name, in: editor), toObject: table)
        }
        #expect(error(editor)?.detail.contains("expands to more than 200000") == true)
    }
}

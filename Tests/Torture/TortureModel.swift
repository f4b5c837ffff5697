import CoreData

/// The models of the stores that are tortured: authors with books, which have tags (many to many), chapters in an order,
/// and covers that may be in files of their own. Names of authors and books can be searched.
enum TortureModel {
    static let first = make()
    /// As documents have it, which compute nothing.
    static let document = make(derives: false)
    /// What stores of the first model are migrated to: another attribute, and a new entity.
    static let second: NSManagedObjectModel = {
        let model = make()
        model.entitiesByName["Book"]?.properties.append(attribute("subtitle", .string, defaultValue: "none"))
        let shelf = entity("Shelf", [attribute("name", .string)])
        model.entities.append(shelf)
        return model
    }()

    /// As the first model, with an index of trigrams for names, and none of words.
    static let substrings = make(trigramsOf: ["Author", "Book"])
    /// As that model, but that only some of the names have the index.
    static let fewerSubstrings = make(trigramsOf: ["Author"])

    static let all = [first, second, document]

    /// - Parameter trigramsOf: the entities whose names have an index of trigrams; nil where those of authors and books have one of words.
    private static func make(
        derives: Bool = true, trigramsOf entities: [String]? = nil
    ) -> NSManagedObjectModel {
        let cover = attribute("cover", .binaryData)
        cover.allowsExternalBinaryDataStorage = derives
        let note = attribute("note", .string)
        note.preservesValueInHistoryOnDeletion = true
        let author = entity("Author", [attribute("name", .string), note])
        let book = entity("Book", [attribute("name", .string), attribute("pages", .integer32), cover])
        if derives {
            author.properties += [
                derived("bookCount", "books.@count"), derived("pageSum", "books.pages.@sum"),
            ]
            book.uniquenessConstraints = [["name"]]
        }
        for entity in [author, book] {
            let name = entity.attributesByName["name"]
            guard let entities else {
                name?.isIndexedBySpotlight = true
                continue
            }
            if entities.contains(entity.name ?? "") { name?.userInfo = ["OpenCoreDataTrigramIndex": "YES"] }
        }
        let tag = entity("Tag", [attribute("name", .string)])
        let chapter = entity("Chapter", [attribute("name", .string)])
        join(
            relationship("books", author, to: book, many: true, rule: .cascadeDeleteRule),
            relationship("author", book, to: author))
        join(
            relationship("tags", book, to: tag, many: true), relationship("books", tag, to: book, many: true))
        let chapters = relationship("chapters", book, to: chapter, many: true, rule: .cascadeDeleteRule)
        chapters.isOrdered = true
        join(chapters, relationship("book", chapter, to: book))
        let model = NSManagedObjectModel()
        model.entities = [author, book, tag, chapter]
        return model
    }

    private static func entity(_ name: String, _ properties: [NSPropertyDescription]) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.properties = properties
        return entity
    }

    private static func attribute(
        _ name: String, _ type: NSAttributeDescription.AttributeType, defaultValue: Any? = nil
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.type = type
        attribute.isOptional = true
        attribute.defaultValue = defaultValue
        return attribute
    }

    private static func derived(_ name: String, _ expression: String) -> NSDerivedAttributeDescription {
        let attribute = NSDerivedAttributeDescription()
        attribute.name = name
        attribute.type = .integer64
        attribute.isOptional = true
        attribute.derivationExpression = NSExpression(format: expression)
        return attribute
    }

    private static func relationship(
        _ name: String, _ owner: NSEntityDescription, to destination: NSEntityDescription, many: Bool = false,
        rule: NSDeleteRule = .nullifyDeleteRule
    ) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = destination
        relationship.maxCount = many ? 0 : 1
        relationship.isOptional = true
        relationship.deleteRule = rule
        owner.properties.append(relationship)
        return relationship
    }

    private static func join(_ one: NSRelationshipDescription, _ other: NSRelationshipDescription) {
        one.inverseRelationship = other
        other.inverseRelationship = one
    }
}

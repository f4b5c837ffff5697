extension RandomTown {
    /// What conditions on the objects of every town are made of.
    static let vocabulary = ConditionVocabulary([
        (
            "Person",
            entity(
                "Person",
                [
                    .integer: ["age", "size", "spot.number"], .boolean: ["flag"],
                    .real: ["score", "wild", "weight"],
                    .hard: ["big"], .decimal: ["money"],
                    .text: ["name", "nick", "spot.label"], .date: ["born"], .uuid: ["code"],
                    .uri: ["link"], .data: ["blob"], .opaque: ["boss"],
                ],
                toOne: [("boss", "Person"), ("boss.boss", "Person")],
                toMany: [
                    ("books", "Book"), ("reports", "Person"), ("friends", "Person"), ("tags", "Tag"),
                    ("read", "Book"), ("boss.books", "Book"), ("boss.friends", "Person"),
                    ("books.tags", "Tag"), ("books.owner", "Person"), ("books.owner.friends", "Person"),
                ],
                subentityNames: [.init(name: "Writer", attributes: [.init(path: "pen", kind: .text)])],
                count: people)
        ),
        (
            "Book",
            entity(
                "Book",
                [
                    .text: ["title"], .integer: ["pages"], .real: ["rating"], .decimal: ["price"],
                    .date: ["printed"], .opaque: ["owner"],
                ],
                toOne: [("owner", "Person"), ("owner.boss", "Person")],
                toMany: [
                    ("tags", "Tag"), ("readers", "Person"), ("owner.friends", "Person"),
                    ("owner.books", "Book"),
                ],
                ordered: [("readers", "Person")], count: books)
        ),
        (
            "Tag",
            entity(
                "Tag",
                [.text: ["label"], .integer: ["rank"]],
                toMany: [("people", "Person"), ("books", "Book"), ("books.readers", "Person")],
                count: tags)
        ),
    ])

    /// What conditions are made of that predicates and stores read alike where nothing is missing: over one relationship to
    /// many, for a predicate counts the collections that a second one leads to; and of no decimal numbers, which a store
    /// rounds after each step.
    static let plainVocabulary = ConditionVocabulary(
        vocabulary.names.map { name in
            var entity = vocabulary[name]
            entity.attributes.removeAll { $0.kind == .decimal }
            entity.toMany.removeAll { way in
                let keys = way.path.split(separator: ".")
                return keys.count > 1 && !["boss", "owner"].contains(keys[0])
            }
            entity.subentityNames = []
            return (name, entity)
        })

    private static func entity(
        _ name: String, _ attributes: [ConditionVocabulary.Kind: [String]], toOne: [(String, String)] = [],
        toMany: [(String, String)], ordered: [(String, String)] = [],
        subentityNames: [ConditionVocabulary.Subentity] = [],
        count: Int
    ) -> ConditionVocabulary.Entity {
        func ways(_ list: [(String, String)]) -> [ConditionVocabulary.ObjectMapping] {
            list.map { .init(path: $0.0, entity: $0.1) }
        }
        return ConditionVocabulary.Entity(
            root: name,
            attributes: ConditionVocabulary.Kind.allCases.flatMap { kind in
                (attributes[kind] ?? []).map { .init(path: $0, kind: kind) }
            },
            toOne: ways(toOne), toMany: ways(toMany), ordered: ways(ordered), subentityNames: subentityNames,
            serials: Array(0..<count))
    }
}

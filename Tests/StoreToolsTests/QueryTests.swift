import CoreData
import StoreTools
import Testing

@Suite struct QueryTests {
    private let zoo: ZooStore

    init() throws { zoo = try ZooStore() }

    private func texts(_ query: StoreQuery, _ field: String, limit: Int? = nil) throws -> [String] {
        var found: [String] = []
        try query.forEachBatch(limit: limit) { found += $0.map { $0.values[field]?.plainText ?? "?" } }
        return found
    }

    @Test("A query finds objects of subentities")
    func subentitiesAreFoundToo() throws {
        let query = try StoreQuery(zoo.open(), entity: "Item", sorting: ["text"])
        #expect(try texts(query, "text") == ["", "a \"quoted\"\n\u{1} text, 🦁 e\u{301}", "third"])
        #expect(try query.count() == 3)
        var references: [String] = []
        try query.forEachBatch { references += $0.map { $0.reference.entity } }
        #expect(references == ["Item", "Item", "Special"])
    }

    @Test("A query applies predicate, order, limit and properties")
    func predicatesOrdersAndLimitsAreApplied() throws {
        let source = try zoo.open()
        let named = try StoreQuery(
            source, entity: "Tag", predicate: "name != 'blue'", sorting: ["name:desc"])
        #expect(try texts(named, "name") == ["red", "green"])
        #expect(try texts(named, "name", limit: 1) == ["red"])
        let all = try StoreQuery(source, entity: "Tag")
        var keys: [Int64] = []
        try all.forEachBatch { keys += $0.map(\.reference.key) }
        #expect(keys == [1, 2, 3])
        let boxed = try StoreQuery(
            source, entity: "Item", predicate: "box.label CONTAINS 'große' AND real < 1", properties: ["box"])
        #expect(try texts(boxed, "box").count == 2 && boxed.fields == ["box"])
    }

    @Test("A query finds a decimal that is not a number, sorts it last and returns it as NaN")
    func notANumber() throws {
        try zoo.sql("UPDATE ZITEM SET ZPRICE = 'NaN' WHERE ZUUID NOT NULL")
        try zoo.sql("UPDATE ZITEM SET ZPRICE = 3 WHERE ZEXTRA = 'more'")
        let source = try zoo.open()
        let priced = try StoreQuery(source, entity: "Item", predicate: "price != nil", sorting: ["price"])
        #expect(try texts(priced, "price") == ["3", "NaN"])
        let above = try StoreQuery(source, entity: "Item", predicate: "price > 5")
        #expect(try texts(above, "price") == ["NaN"])
        #expect(try above.count() == 1)
    }

    @Test(
        "A query with an unknown name or malformed predicate is an error",
        arguments: [
            ("Nothing", nil, nil, nil, "it has: Box, Item, Special, Tag"),
            ("Tag", "name ==", nil, nil, ""), ("Tag", "nome == 'x'", nil, nil, "nome"),
            ("Tag", nil, "nome", nil, "nome"), ("Tag", nil, "name:up", nil, "'up' is not a direction"),
            ("Tag", nil, "", nil, "is not an order"),
            ("Tag", nil, nil, "nome", "no stored property named 'nome'"),
            ("Tag", "FUNCTION(name, 'length') > 3", nil, nil, ""), ("Tag", "name.first == 1", nil, nil, ""),
            ("Tag", "SUBQUERY(tagged, $x, $y == 1).@count > 0", nil, nil, ""),
        ] as [(String, String?, String?, String?, String)])
    func invalidQueriesAreErrors(
        _ entity: String, _ predicate: String?, _ sorting: String?, _ property: String?, _ message: String
    ) throws {
        let source = try zoo.open()
        #expect {
            let query = try StoreQuery(
                source, entity: entity, predicate: predicate, sorting: sorting.map { [$0] } ?? [],
                properties: property.map { [$0] })
            try query.forEachBatch { _ in }
        } throws: {
            message.isEmpty || $0.localizedDescription.contains(message)
        }
    }
}

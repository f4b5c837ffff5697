import CoreData
import StoreTools
import Testing

@Suite struct ComparisonTests {
    private let zoo: ZooStore
    private let copy: URL

    init() throws {
        zoo = try ZooStore()
        copy = zoo.folder.appending(path: "Copy.sqlite")
    }

    private func differences(_ matching: StoreComparison.Matching) throws -> [String] {
        var lines: [String] = []
        let comparison = StoreComparison(
            try zoo.open(), try OpenStore(copy, model: nil), matching: matching)
        try comparison.forEachDifference { difference in
            switch difference {
            case .entity(let name, let isAdded): lines.append("\(isAdded ? "+" : "-") \(name)")
            case .property(let entity, let name, let isAdded):
                lines.append("\(isAdded ? "+" : "-") \(entity).\(name)")
            case .added(let object, _): lines.append("+ \(object)")
            case .removed(let object, _): lines.append("- \(object)")
            case .changed(let object, let new, let values):
                let changes = values.map { "\($0.property) \($0.old.plainText)>\($0.new.plainText)" }
                lines.append("~ \(object)=\(new) \(changes.joined(separator: ", "))")
            }
        }
        return lines
    }

    private func change(_ statement: String) throws {
        try FileManager.default.copyItem(at: zoo.url, to: copy)
        try zoo.change(copy, statement)
    }

    @Test("A copy of a store has no differences")
    func copiesAreTheSame() throws {
        try FileManager.default.copyItem(at: zoo.url, to: copy)
        #expect(try differences(.key) == [] && differences(.constraint) == [])
    }

    @Test("A comparison lists changed, added and removed objects")
    func changesAreListed() throws {
        try change(
            """
            UPDATE ZBOX SET ZLABEL = 'other' WHERE Z_PK = 2;
            DELETE FROM ZTAG WHERE ZNAME = 'blue';
            INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZNAME) SELECT 9, Z_ENT, 1, 'black' FROM ZTAG LIMIT 1;
            """)
        let found = try differences(.key)
        let blue = try #require(try zoo.value("SELECT Z_PK FROM ZTAG WHERE ZNAME = 'blue'"))
        let label = try zoo.value("SELECT ZLABEL FROM ZBOX WHERE Z_PK = 2")
        #expect(
            Set(found).isSuperset(of: [
                "~ Box/2=Box/2 label \(String.fromDatabaseValue(label ?? .null) ?? "")>other", "+ Tag/9",
                "- Tag/\(Int.fromDatabaseValue(blue) ?? 0)",
            ]), "\(found)")
    }

    @Test("Objects with other keys are matched by their constraints")
    func constraintsMatchObjectsWithOtherKeys() throws {
        // All tags get other keys, and everything that leads to them.
        try change(
            """
            UPDATE ZTAG SET Z_PK = Z_PK + 100;
            UPDATE Z_PRIMARYKEY SET Z_MAX = 200 WHERE Z_NAME = 'Tag';
            """)
        let join = try #require(
            try zoo.value(
                """
                SELECT t.name || ' SET ' || c.name || ' = ' || c.name || ' + 100' FROM sqlite_master t
                JOIN pragma_table_info(t.name) c WHERE t.type = 'table' AND c.name LIKE 'Z\\__TAGS' ESCAPE '\\'
                """))
        try zoo.change(copy, "UPDATE \(String.fromDatabaseValue(join) ?? "")")
        #expect(try StoreCheck(copy).findings() == [])
        #expect(try differences(.constraint) == [])
        #expect(try differences(.key).count > 5)
    }

    @Test("A comparison lists entities and properties that only one store has")
    func entitiesAndPropertiesOfOneStoreOnly() throws {
        let model = Zoo.model()
        model.entitiesByName["Box"]?.properties.removeAll { $0.name == "label" }
        let extra = NSEntityDescription()
        extra.name = "Extra"
        model.entities.append(extra)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.remove(try coordinator.addPersistentStore(type: .sqlite, at: copy))
        let found = try differences(.key)
        #expect(found.contains("+ Extra") && found.contains("- Box.label") && found.contains("- Box/1"))
    }
}

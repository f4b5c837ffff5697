import CoreData
import GRDB
import Testing

/// Attributes that count what meets a condition, as models of Apple's own applications ask for by `NSTriggerKey`.
@Suite struct CountTriggerTests {
    private static func model(
        faces: String = "(faces.hidden == NO) && (faces.size != 0)", visible: String = "asset.state == 0"
    ) -> NSManagedObjectModel {
        let asset = NSEntityDescription("Asset", attribute("state", .integer16))
        let count = attribute("faceCount", .integer32)
        count.userInfo = ["NSTriggerKey": faces]
        let person = NSEntityDescription("Person", attribute("name", .string), count)
        let isVisible = attribute("visible", .boolean)
        isVisible.userInfo = ["NSTriggerKey": visible]
        let face = NSEntityDescription(
            "Face", attribute("hidden", .boolean), attribute("size", .double), isVisible)
        pair(person.relate("faces", to: face, many: true), face.relate("person", to: person))
        pair(asset.relate("faces", to: face, many: true), face.relate("asset", to: asset))
        pair(person.relate("friends", to: person, many: true), person.relate("fans", to: person, many: true))
        return NSManagedObjectModel(of: asset, person, face)
    }

    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    @Test("A conditional count has the triggers that Apple's framework writes")
    func triggerTextMatchesApple() throws {
        try folder.make(Self.model())
        let schema = try folder.schema().filter { $0.key.hasPrefix("ZT_") }
        #expect(schema.count == 14)
        #expect(
            schema["ZT_ZPERSON_ZFACECOUNT_ZFACE_UPDATE_INCREMENT"]
                == """
                CREATE TRIGGER ZT_ZPERSON_ZFACECOUNT_ZFACE_UPDATE_INCREMENT AFTER UPDATE OF ZHIDDEN, ZSIZE ON ZFACE FOR \
                EACH ROW WHEN (NEW.ZHIDDEN == 0 AND NEW.ZSIZE != 0) AND (NEW.ZHIDDEN != OLD.ZHIDDEN OR NEW.ZSIZE != \
                OLD.ZSIZE) AND (NEW.ZPERSON == OLD.ZPERSON) BEGIN UPDATE ZPERSON SET ZFACECOUNT = IFNULL(ZFACECOUNT,0) \
                + 1 WHERE NEW.ZPERSON = Z_PK; SELECT NSCoreDataTriggerUpdateAffectedObjectValue('ZPERSON', Z_ENT, \
                Z_PK, 'ZFACECOUNT', ZFACECOUNT) FROM ZPERSON WHERE Z_PK = NEW.ZPERSON; END
                """)
    }

    @Test("A save counts the destinations that meet the condition")
    func matchingDestinationsAreCounted() throws {
        let coordinator = try folder.open(Self.model())
        try coordinator.inContext { context in
            let person = try context.insert("Person", ["name": "a"])
            let other = try context.insert("Person", ["name": "b"])
            let face: [String: Any] = ["hidden": false, "size": 1.5, "person": person]
            let faces = try (0..<3).map { _ in try context.insert("Face", face) }
            func check(_ first: Int, _ second: Int) throws {
                try context.save()
                #expect(person.value(forKey: "faceCount") as? Int == first)
                #expect(other.value(forKey: "faceCount") as? Int == second)
                #expect(!context.hasChanges)
                #expect(
                    try folder.rows("SELECT ZFACECOUNT FROM ZPERSON ORDER BY ZNAME").map { $0[0] }
                        == [first.databaseValue, second.databaseValue])
            }
            try check(3, 0)
            faces[0].setValue(true, forKey: "hidden")
            try check(2, 0)
            faces[1].setValue(other, forKey: "person")
            try check(1, 1)
            faces[0].setValue(false, forKey: "hidden")
            faces[2].setValue(0, forKey: "size")
            try check(1, 1)
            faces[1].setValue(nil, forKey: "person")
            try check(1, 0)
            context.delete(faces[0])
            try check(0, 0)
        }
    }

    /// On the way, one row has neither its old value nor its new one.
    @Test("Counts, sums and maxima are right after objects exchange unique values")
    func swappedUniqueValuesAreCounted() throws {
        let model = Self.model(faces: "faces.size > 5")
        let face = try #require(model.entitiesByName["Face"])
        face.uniquenessConstraints = [["size"]]
        let person = try #require(model.entitiesByName["Person"])
        person.properties += [
            derived("total", .double, "faces.size.@sum"), derived("most", .double, "faces.size.@max"),
        ]
        try folder.open(model).inContext { context in
            let person = try context.insert("Person", ["name": "a"])
            let other = try context.insert("Person", ["name": "b"])
            let large = try context.insert("Face", ["size": 9.5, "person": person])
            let small = try context.insert("Face", ["size": 1.5, "person": other])
            let none = try context.insert("Face", ["person": other])
            func check(_ expected: [[Double?]]) throws {
                try context.save()
                let keys = ["faceCount", "total", "most"]
                let found = [person, other].map { person in keys.map { person.value(forKey: $0) as? Double } }
                #expect(found == expected)
                let stored = try folder.rows("SELECT ZFACECOUNT, ZTOTAL, ZMOST FROM ZPERSON ORDER BY ZNAME")
                #expect(stored.map { row in row.map { Double.fromDatabaseValue($0) } } == expected)
                context.refreshAllObjects()
            }
            try check([[1, 9.5, 9.5], [0, 1.5, 1.5]])
            large.setValue(1.5, forKey: "size")
            small.setValue(9.5, forKey: "size")
            try check([[0, 1.5, 1.5], [1, 9.5, 9.5]])
            let sizes = try folder.rows("SELECT ZSIZE FROM ZFACE ORDER BY ZSIZE").map { row in
                Double.fromDatabaseValue(row[0])
            }
            #expect(sizes == [nil, 1.5, 9.5])
            // In a circle, with a value that is new.
            large.setValue(9.5, forKey: "size")
            small.setValue(7.5, forKey: "size")
            try check([[1, 9.5, 9.5], [1, 7.5, 7.5]])
            large.setValue(7.5, forKey: "size")
            small.setValue(2.5, forKey: "size")
            try check([[1, 7.5, 7.5], [0, 2.5, 2.5]])
            // One whose link is removed, and one that gets a link.
            small.setValue(nil, forKey: "size")
            none.setValue(2.5, forKey: "size")
            try check([[1, 7.5, 7.5], [0, 2.5, 2.5]])
        }
    }

    @Test("A condition over a to-one relationship follows the destination's value")
    func toOneConditionFollowsItsDestination() throws {
        let coordinator = try folder.open(Self.model())
        try coordinator.inContext { context in
            let asset = try context.insert("Asset", ["state": 0])
            let face = try context.insert("Face", ["asset": asset])
            func check(_ isVisible: Bool) throws {
                try context.save()
                #expect(face.value(forKey: "visible") as? Bool == isVisible)
            }
            try check(true)
            asset.setValue(1, forKey: "state")
            try check(false)
            asset.setValue(0, forKey: "state")
            try check(true)
            face.setValue(nil, forKey: "asset")
            try check(false)
            face.setValue(asset, forKey: "asset")
            try check(true)
        }
    }

    @Test(
        "A store refuses a count condition that is not supported, and its error names it",
        arguments: [
            "(faces.hidden == NO) || (faces.size != 0)", "name == 1", "faces.person == 1",
            "faces.nothing == 1",
            "friends.name == 1", "(faces.hidden == NO) && (friends.faceCount == 1)", "faces.size == 'a'",
            "ANY faces.size == 1", "faces.size ==", "1 == faces.size", "friends.faceCount == 1",
            "TRUEPREDICATE",
            "faces.size BETWEEN {1, 2}", "faces.size == nil",
        ])
    func unsupportedConditionsAreRefused(_ condition: String) throws {
        let refusal = try error { try folder.make(Self.model(faces: condition)) }
        #expect(refusal.code == 134020)
        #expect(refusal.localizedDescription.contains("'faceCount' of entity 'Person'"))
        #expect(refusal.localizedDescription.contains(condition))
        #expect(try folder.names == [])
    }
}

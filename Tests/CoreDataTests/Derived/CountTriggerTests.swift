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

    @Test func theTextIsThatOfApplesLibraries() throws {
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

    @Test func destinationsAreCounted() throws {
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

    @Test func theOneDestinationCounts() throws {
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

    @Test(arguments: [
        "(faces.hidden == NO) || (faces.size != 0)", "name == 1", "faces.person == 1", "faces.nothing == 1",
        "friends.name == 1", "(faces.hidden == NO) && (friends.faceCount == 1)", "faces.size == 'a'",
        "ANY faces.size == 1", "faces.size ==", "1 == faces.size", "friends.faceCount == 1", "TRUEPREDICATE",
        "faces.size BETWEEN {1, 2}", "faces.size == nil",
    ])
    func otherConditionsAreRefusedByName(_ condition: String) throws {
        let refusal = try error { try folder.make(Self.model(faces: condition)) }
        #expect(refusal.code == 134020)
        #expect(refusal.localizedDescription.contains("'faceCount' of entity 'Person'"))
        #expect(refusal.localizedDescription.contains(condition))
        #expect(try folder.names == [])
    }
}

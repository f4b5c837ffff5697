import CoreData
import GRDB
import Testing

/// The tables of a new store: names, columns, types and texts as in the stores of Apple's framework.
@Suite struct SchemaTests {
    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    /// The texts of a new store's own tables, indexes and triggers, without those that every store has.
    private func schema(_ entities: NSEntityDescription...) throws -> [String: String] {
        let model = NSManagedObjectModel()
        model.entities = entities
        try folder.make(model)
        return try folder.schema().filter {
            !["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"].contains($0.key)
        }
    }

    @Test("Columns are grouped by type and sorted by name")
    func columnsInGroups() throws {
        let schema = try schema(
            NSEntityDescription(
                "Thing", attribute("blob", .binaryData), attribute("flag", .boolean),
                attribute("aDay", .date),
                attribute("amount", .decimal), attribute("ratio", .double), attribute("small", .float),
                attribute("i16", .integer16), attribute("i32", .integer32), attribute("I64", .integer64),
                attribute("text", .string), transformable("object"), attribute("link", .uri),
                attribute("identifier", .uuid), Library.transient("fleeting", .string)))
        #expect(
            schema == [
                "ZTHING": """
                CREATE TABLE ZTHING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZI64 INTEGER, \
                ZFLAG INTEGER, ZI16 INTEGER, ZI32 INTEGER, ZADAY TIMESTAMP, ZRATIO FLOAT, ZSMALL FLOAT, \
                ZAMOUNT DECIMAL, ZTEXT VARCHAR, ZLINK VARCHAR, ZIDENTIFIER BLOB, ZOBJECT BLOB, ZBLOB BLOB )
                """
            ])
    }

    @Test("Every store has the tables of the format")
    func tablesOfTheFormat() throws {
        try folder.make(NSManagedObjectModel(of: NSEntityDescription("A")))
        let schema = try folder.schema()
        #expect(
            schema["Z_PRIMARYKEY"] == """
                CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)
                """)
        #expect(
            schema["Z_METADATA"]
                == "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)"
        )
        #expect(schema["ZA"] == "CREATE TABLE ZA ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER )")
        #expect(schema["Z_MODELCACHE"] == "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)")
        #expect(schema.count == 4)
    }

    @Test("A new file has the settings of Apple's files")
    func fileSettings() throws {
        let coordinator = try folder.open(NSManagedObjectModel(of: NSEntityDescription("A")))
        for (pragma, value) in [
            ("auto_vacuum", "2"), ("journal_mode", "\"wal\""), ("page_size", "4096"),
            ("encoding", "\"UTF-8\""),
            ("user_version", "0"),
        ] {
            #expect(try folder.value("PRAGMA \(pragma)").description == value, "\(pragma)")
        }
        try coordinator.close()
        #expect(try folder.value("PRAGMA journal_mode").description == "\"wal\"")
        #expect(try folder.names == ["Store.sqlite"])
    }

    @Test("Entities are numbered in preorder without regard to case")
    func entityNumbers() throws {
        let leaf = NSEntityDescription("leaf")
        let beech = NSEntityDescription("Beech")
        let tree = NSEntityDescription("tree", subentities: [leaf, beech])
        let plant = NSEntityDescription("Plant", subentities: [tree])
        let model = NSManagedObjectModel()
        model.entities = [
            tree, leaf, plant, beech, NSEntityDescription("Zoo"), NSEntityDescription("animal"),
        ]
        let coordinator = try folder.open(model)
        try coordinator.inContext { context in
            for name in ["leaf", "Beech", "Beech", "animal"] { try context.insert(name) }
            try context.save()
        }
        let keys = try folder.rows("SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY ORDER BY Z_ENT")
            .map { $0.map(\.description).joined(separator: " ").replacing("\"", with: "") }
        #expect(
            keys == [
                "1 animal 0 1", "2 Plant 0 3", "3 tree 2 0", "4 Beech 3 0", "5 leaf 3 0", "6 Zoo 0 0",
            ])
        #expect(
            try folder.rows("SELECT Z_PK, Z_ENT, Z_OPT FROM ZPLANT ORDER BY Z_PK").map {
                $0.map(\.description)
            }
                == [["1", "5", "1"], ["2", "4", "1"], ["3", "4", "1"]])
    }

    @Test("Subentities share the table of their root entity")
    func subentitiesShareATable() throws {
        let car = NSEntityDescription("Car", attribute("doors", .integer16), attribute("brand", .string))
        let bicycle = NSEntityDescription("Bicycle", attribute("brand", .string), attribute("bought", .date))
        let vehicle = NSEntityDescription(
            "Vehicle", attribute("name", .string), attribute("made", .date), subentities: [car, bicycle],
            isAbstract: true)
        let person = NSEntityDescription("Person")
        car.relate("driver", to: person)
        person.relate("vehicle", to: vehicle)
        let schema = try schema(person, vehicle, car, bicycle)
        #expect(
            schema == [
                "ZVEHICLE": """
                CREATE TABLE ZVEHICLE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZDOORS INTEGER, \
                ZDRIVER INTEGER, ZMADE TIMESTAMP, ZBOUGHT TIMESTAMP, ZNAME VARCHAR, ZBRAND VARCHAR, ZBRAND1 VARCHAR )
                """,
                "ZVEHICLE_Z_ENT_INDEX": "CREATE INDEX ZVEHICLE_Z_ENT_INDEX ON ZVEHICLE (Z_ENT)",
                "ZVEHICLE_ZDRIVER_INDEX": "CREATE INDEX ZVEHICLE_ZDRIVER_INDEX ON ZVEHICLE (ZDRIVER)",
                "ZPERSON": """
                CREATE TABLE ZPERSON ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZVEHICLE INTEGER, \
                Z2_VEHICLE INTEGER )
                """,
                "ZPERSON_ZVEHICLE_INDEX": "CREATE INDEX ZPERSON_ZVEHICLE_INDEX ON ZPERSON (ZVEHICLE)",
            ])
    }

    @Test("An ordered relationship has a column for its order")
    func orderedRelationships() throws {
        let book = NSEntityDescription("Book", attribute("title", .string))
        let page = NSEntityDescription("Page", attribute("text", .string))
        pair(book.relate("pages", to: page, many: true, ordered: true), page.relate("book", to: book))
        let schema = try schema(book, page)
        #expect(
            schema["ZPAGE"] == """
                CREATE TABLE ZPAGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZBOOK INTEGER, \
                Z_FOK_BOOK INTEGER, ZTEXT VARCHAR )
                """)
        #expect(schema["ZPAGE_ZBOOK_INDEX"] == "CREATE INDEX ZPAGE_ZBOOK_INDEX ON ZPAGE (ZBOOK)")
        #expect(schema.keys.sorted() == ["ZBOOK", "ZPAGE", "ZPAGE_ZBOOK_INDEX"])
    }

    @Test("A many-to-many relationship has a join table with an index")
    func manyToManyRelationships() throws {
        let note = NSEntityDescription("Note")
        let tag = NSEntityDescription("Tag")
        pair(note.relate("tags", to: tag, many: true), tag.relate("notes", to: note, many: true))
        let schema = try schema(note, tag)
        #expect(
            schema["Z_1TAGS"]
                == "CREATE TABLE Z_1TAGS ( Z_1NOTES INTEGER, Z_2TAGS INTEGER, PRIMARY KEY (Z_1NOTES, Z_2TAGS) )"
        )
        #expect(
            schema["Z_1TAGS_Z_2TAGS_INDEX"]
                == "CREATE INDEX Z_1TAGS_Z_2TAGS_INDEX ON Z_1TAGS (Z_2TAGS, Z_1NOTES)")
    }

    @Test("A join table has an order column for each ordered end")
    func bothEndsOrdered() throws {
        let note = NSEntityDescription("Note")
        let tag = NSEntityDescription("Tag")
        pair(
            note.relate("tags", to: tag, many: true, ordered: true),
            tag.relate("notes", to: note, many: true, ordered: true))
        #expect(
            try schema(note, tag)["Z_1TAGS"] == """
                CREATE TABLE Z_1TAGS ( Z_1NOTES INTEGER, Z_2TAGS INTEGER, Z_FOK_1NOTES INTEGER, Z_FOK_2TAGS INTEGER, \
                PRIMARY KEY (Z_1NOTES, Z_2TAGS) )
                """)
    }

    @Test("Relationships of an entity with itself have their own join tables")
    func reflexiveRelationships() throws {
        let person = NSEntityDescription("Person")
        let friends = person.relate("friends", to: person, many: true)
        pair(friends, friends)
        pair(
            person.relate("teachers", to: person, many: true), person.relate("pupils", to: person, many: true)
        )
        let schema = try schema(person)
        #expect(
            schema["Z_1FRIENDS"] == """
                CREATE TABLE Z_1FRIENDS ( Z_1FRIENDS INTEGER, REFLEXIVE INTEGER, PRIMARY KEY (Z_1FRIENDS, REFLEXIVE) )
                """)
        #expect(
            schema["Z_1FRIENDS_REFLEXIVE_INDEX"]
                == "CREATE INDEX Z_1FRIENDS_REFLEXIVE_INDEX ON Z_1FRIENDS (REFLEXIVE, Z_1FRIENDS)")
        #expect(
            schema["Z_1TEACHERS"] == """
                CREATE TABLE Z_1TEACHERS ( Z_1PUPILS INTEGER, Z_1TEACHERS INTEGER, PRIMARY KEY (Z_1PUPILS, Z_1TEACHERS) )
                """)
        #expect(schema.count == 5)
    }

    @Test("A to-many relationship without an inverse has a column at its destination")
    func toManyWithoutInverse() throws {
        let ingredient = NSEntityDescription("Ingredient", attribute("value", .double))
        let cocktail = NSEntityDescription("Cocktail")
        cocktail.relate("spec", to: ingredient, many: true)
        let schema = try schema(cocktail, ingredient)
        #expect(
            schema["ZINGREDIENT"] == """
                CREATE TABLE ZINGREDIENT ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, Z1SPEC INTEGER, \
                ZVALUE FLOAT )
                """)
        #expect(
            schema["ZINGREDIENT_Z1SPEC_INDEX"]
                == "CREATE INDEX ZINGREDIENT_Z1SPEC_INDEX ON ZINGREDIENT (Z1SPEC)")
    }

    @Test("Fetch indexes and uniqueness constraints are SQL indexes")
    func fetchIndexesAndConstraints() throws {
        let name = attribute("name", .string)
        let age = attribute("age", .integer16)
        let person = NSEntityDescription("Person", name, age, attribute("code", .string))
        let descending = NSFetchIndexElementDescription(property: age, collationType: .binary)
        descending.isAscending = false
        person.indexes = [
            NSFetchIndexDescription(
                name: "byName",
                elements: [
                    NSFetchIndexElementDescription(property: name, collationType: .binary), descending,
                ])
        ]
        person.uniquenessConstraints = [["code"], ["name", "age"]]
        let schema = try schema(person)
        #expect(
            schema["Z_Person_byName"]
                == "CREATE INDEX Z_Person_byName ON ZPERSON (ZNAME COLLATE BINARY ASC, ZAGE COLLATE BINARY DESC)"
        )
        #expect(
            schema["Z_Person_UNIQUE_code"]
                == "CREATE UNIQUE INDEX Z_Person_UNIQUE_code ON ZPERSON (ZCODE COLLATE BINARY ASC)")
        #expect(
            schema["Z_Person_UNIQUE_name_age"] == """
                CREATE UNIQUE INDEX Z_Person_UNIQUE_name_age ON ZPERSON (ZNAME COLLATE BINARY ASC, \
                ZAGE COLLATE BINARY ASC)
                """)
        #expect(schema.count == 4)
    }

    @Test("An R-tree index has a table and triggers")
    func treeIndexes() throws {
        let latitude = attribute("latitude", .double)
        let longitude = attribute("longitude", .double)
        let asset = NSEntityDescription("Asset", latitude, longitude)
        asset.indexes = [
            NSFetchIndexDescription(
                name: "boundedByRect",
                elements: [latitude, longitude].map {
                    NSFetchIndexElementDescription(property: $0, collationType: .rTree)
                })
        ]
        let model = NSManagedObjectModel(of: asset)
        let coordinator = try folder.open(model)
        let schema = try folder.schema()
        #expect(
            schema["Z_RT_Asset_boundedByRect"] == """
                CREATE VIRTUAL TABLE Z_RT_Asset_boundedByRect USING RTREE (Z_PK INTEGER PRIMARY KEY, \
                ZLATITUDE_MIN FLOAT, ZLATITUDE_MAX FLOAT, ZLONGITUDE_MIN FLOAT, ZLONGITUDE_MAX FLOAT)
                """)
        #expect(
            schema["Z_RT_Asset_boundedByRect_INSERT"] == """
                CREATE TRIGGER Z_RT_Asset_boundedByRect_INSERT AFTER INSERT ON ZASSET FOR EACH ROW BEGIN INSERT OR REPLACE \
                INTO Z_RT_Asset_boundedByRect (Z_PK, ZLATITUDE_MIN, ZLATITUDE_MAX, ZLONGITUDE_MIN, ZLONGITUDE_MAX) VALUES \
                (NEW.Z_PK, NEW.ZLATITUDE ,NEW.ZLATITUDE, NEW.ZLONGITUDE ,NEW.ZLONGITUDE) ; END
                """)
        #expect(
            schema["Z_RT_Asset_boundedByRect_DELETE"] == """
                CREATE TRIGGER Z_RT_Asset_boundedByRect_DELETE AFTER DELETE ON ZASSET FOR EACH ROW BEGIN DELETE FROM \
                Z_RT_Asset_boundedByRect WHERE Z_PK = OLD.Z_PK ; END
                """)
        try coordinator.inContext { context in
            let asset = try context.insert("Asset", ["latitude": 1.0, "longitude": 2.0])
            try context.insert("Asset", ["latitude": 5.0, "longitude": 6.0])
            try context.save()
            asset.setValue(3.0, forKey: "latitude")
            try context.save()
        }
        #expect(
            try folder.rows(
                "SELECT Z_PK, ZLATITUDE_MIN, ZLONGITUDE_MAX FROM Z_RT_Asset_boundedByRect ORDER BY 1"
            )
            .map { $0.map(\.description) } == [["1", "3.0", "2.0"], ["2", "5.0", "6.0"]])
        try coordinator.inContext { context in
            for asset in try context.all("Asset") { context.delete(asset) }
            try context.save()
        }
        #expect(try folder.value("SELECT COUNT(*) FROM Z_RT_Asset_boundedByRect").description == "0")
    }

    private func index(_ element: NSFetchIndexElementDescription, where condition: NSPredicate? = nil) throws
        -> NSManagedObjectModel
    {
        let person = NSEntityDescription("Person", attribute("name", .string), attribute("age", .integer16))
        let index = NSFetchIndexDescription(name: "some", elements: [element])
        index.partialIndexPredicate = condition
        person.indexes = [index]
        return NSManagedObjectModel(of: person)
    }

    private func over(_ expression: CoreData.NSExpression) -> NSFetchIndexElementDescription {
        let description = NSExpressionDescription()
        description.name = "computed"
        description.expression = expression
        return NSFetchIndexElementDescription(property: description, collationType: .binary)
    }

    @Test(
        "A partial index has its predicate in SQL",
        arguments: [
            ("name != nil", "ZNAME IS NOT NULL"),
            ("age = -1 AND name == nil", "(ZAGE = -1 AND ZNAME IS NULL)"),
            ("age > 1 OR NOT age != 3", "(ZAGE > 1 OR NOT (ZAGE <> 3))"),
            ("name = \"it's\"", "ZNAME = 'it''s'"),
        ])
    func partialIndexes(_ condition: String, _ sql: String) throws {
        let name = NSFetchIndexElementDescription(propertyName: "name", collationType: .binary)
        try folder.make(try index(name, where: NSPredicate(format: condition)))
        #expect(
            try folder.schema()["Z_Person_some"]
                == "CREATE INDEX Z_Person_some ON ZPERSON (ZNAME COLLATE BINARY ASC) WHERE \(sql)")
    }

    @Test(
        "A partial index with an unsupported predicate is refused",
        arguments: [
            "name CONTAINS 'a'", "name ==[c] 'a'", "age = name", "age < nil", "name = 3", "ANY name = 'a'",
        ])
    func unsupportedIndexConditions(_ condition: String) throws {
        let name = NSFetchIndexElementDescription(propertyName: "name", collationType: .binary)
        let refusal = try error {
            try folder.make(try index(name, where: NSPredicate(format: condition)))
        }
        #expect(refusal.code == 134020)
        #expect(refusal.localizedDescription.contains("'some'"))
        #expect(try folder.names == [])
    }

    @Test("An index of the object itself is an index of its key")
    func rowIndex() throws {
        try folder.make(try index(over(NSExpression.expressionForEvaluatedObject())))
        #expect(try folder.schema()["Z_Person_some"]?.hasSuffix("(Z_PK COLLATE BINARY ASC)") == true)
    }

    @Test("An index of an expression that is not a column is refused by name")
    func unsupportedIndexExpressions() throws {
        let expression = NSExpression(format: "age + 1")
        let refusal = try error { try folder.make(try index(over(expression))) }
        #expect(refusal.code == 134020)
        #expect(refusal.localizedDescription.contains("'computed'"))
        #expect(try folder.names == [])
    }

    @Test("A store of a configuration has the tables of all entities and its own hashes")
    func configurationHasAllTables() throws {
        let model = NSManagedObjectModel()
        let kept = NSEntityDescription("Kept")
        model.entities = [kept, NSEntityDescription("Other")]
        model.setEntities([kept], forConfigurationName: "Mine")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(type: .sqlite, configuration: "Mine", at: folder.file)
        #expect(
            try folder.schema().keys.sorted() == [
                "ZKEPT", "ZOTHER", "Z_METADATA", "Z_MODELCACHE", "Z_PRIMARYKEY",
            ])
        let hashes = coordinator.persistentStores[0].metadata[NSStoreModelVersionHashesKey] as? [String: Data]
        #expect(hashes?.keys.sorted() == ["Kept"])
        let checksum = coordinator.persistentStores[0].metadata[NSPersistentStoreModelVersionChecksumKey]
        #expect(checksum as? String == model.versionChecksum)
    }
}

import CoreData
import Testing

/// The texts of the triggers that are known from stores of Apple's framework.
@Suite struct DerivedTriggerTextTests {
    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    private func triggers(_ entities: NSEntityDescription...) throws -> [String: String] {
        let model = NSManagedObjectModel()
        model.entities = entities
        try folder.make(model)
        return try folder.schema().filter { $0.key.hasPrefix("Z_DA_") }
    }

    @Test("A derived count has the triggers that Apple's framework writes")
    func counts() throws {
        let book = NSEntityDescription("Book", derived("pagesCount", .integer64, "pages.@count"))
        let page = NSEntityDescription("Page")
        pair(book.relate("pages", to: page, many: true), page.relate("book", to: book))
        let texts = try triggers(book, page)
        #expect(
            texts == [
                "Z_DA_ZPAGE_Book_pagesCount_PARAMETER_INSERT": """
                CREATE TRIGGER Z_DA_ZPAGE_Book_pagesCount_PARAMETER_INSERT AFTER INSERT ON ZPAGE FOR EACH ROW WHEN \
                (NEW.ZBOOK NOT NULL) BEGIN UPDATE ZBOOK SET ZPAGESCOUNT = IFNULL(ZPAGESCOUNT, 0) + 1 WHERE Z_PK = \
                NEW.ZBOOK; SELECT NSCoreDataDATriggerUpdatedAffectedObjectValue('ZBOOK', Z_ENT, Z_PK, 'pagesCount', \
                ZPAGESCOUNT) FROM ZBOOK WHERE Z_PK = NEW.ZBOOK; END
                """,
                "Z_DA_ZPAGE_Book_pagesCount_PARAMETER_UPDATE_INCREMENT": """
                CREATE TRIGGER Z_DA_ZPAGE_Book_pagesCount_PARAMETER_UPDATE_INCREMENT AFTER UPDATE OF ZBOOK ON ZPAGE FOR EACH \
                ROW WHEN (NEW.ZBOOK NOT NULL) BEGIN UPDATE ZBOOK SET ZPAGESCOUNT = ZPAGESCOUNT + 1 WHERE Z_PK = \
                NEW.ZBOOK; SELECT NSCoreDataDATriggerUpdatedAffectedObjectValue('ZBOOK', Z_ENT, Z_PK, 'pagesCount', \
                ZPAGESCOUNT) FROM ZBOOK WHERE Z_PK = NEW.ZBOOK; END
                """,
                "Z_DA_ZPAGE_Book_pagesCount_PARAMETER_UPDATE_DECREMENT": """
                CREATE TRIGGER Z_DA_ZPAGE_Book_pagesCount_PARAMETER_UPDATE_DECREMENT AFTER UPDATE OF ZBOOK ON ZPAGE FOR EACH \
                ROW WHEN (OLD.ZBOOK NOT NULL) BEGIN UPDATE ZBOOK SET ZPAGESCOUNT = ZPAGESCOUNT - 1 WHERE Z_PK = \
                OLD.ZBOOK; SELECT NSCoreDataDATriggerUpdatedAffectedObjectValue('ZBOOK', Z_ENT, Z_PK, 'pagesCount', \
                ZPAGESCOUNT) FROM ZBOOK WHERE Z_PK = OLD.ZBOOK; END
                """,
                "Z_DA_ZPAGE_Book_pagesCount_PARAMETER_DELETE": """
                CREATE TRIGGER Z_DA_ZPAGE_Book_pagesCount_PARAMETER_DELETE AFTER DELETE ON ZPAGE FOR EACH ROW WHEN \
                (OLD.ZBOOK NOT NULL) BEGIN UPDATE ZBOOK SET ZPAGESCOUNT = ZPAGESCOUNT - 1 WHERE Z_PK = OLD.ZBOOK; SELECT \
                NSCoreDataDATriggerUpdatedAffectedObjectValue('ZBOOK', Z_ENT, Z_PK, 'pagesCount', ZPAGESCOUNT) FROM \
                ZBOOK WHERE Z_PK = OLD.ZBOOK; END
                """,
                "Z_DA_ZBOOK_Book_pagesCount_SOURCE_INSERT": """
                CREATE TRIGGER Z_DA_ZBOOK_Book_pagesCount_SOURCE_INSERT AFTER INSERT ON ZBOOK FOR EACH ROW BEGIN UPDATE \
                ZBOOK SET ZPAGESCOUNT = (SELECT IFNULL(COUNT(ZBOOK), 0) FROM ZPAGE WHERE ZBOOK = NEW.Z_PK) WHERE Z_PK = \
                NEW.Z_PK; SELECT NSCoreDataDATriggerInsertUpdatedAffectedObjectValue('ZBOOK', Z_ENT, Z_PK, 'pagesCount', \
                ZPAGESCOUNT) FROM ZBOOK WHERE Z_PK = NEW.Z_PK; END
                """,
            ])
    }

    @Test("A derived copy has the triggers that Apple's framework writes")
    func copies() throws {
        let label = NSEntityDescription("GraphLabel", attribute("code", .integer64))
        let node = NSEntityDescription(
            "GraphNode", derived("primaryLabelCode", .integer64, "primaryLabel.code"))
        pair(node.relate("primaryLabel", to: label), label.relate("nodes", to: node, many: true))
        let texts = try triggers(label, node)
        let own = "Z_DA_ZGRAPHNODE_GraphNode_primaryLabelCode_SOURCE"
        let other = "Z_DA_ZGRAPHLABEL_GraphNode_primaryLabelCode_PARAMETER"
        let copied =
            "UPDATE ZGRAPHNODE SET ZPRIMARYLABELCODE = (SELECT ZCODE FROM ZGRAPHLABEL WHERE Z_PK = NEW.ZPRIMARYLABEL)"
        let called =
            "AffectedObjectValue('ZGRAPHNODE', Z_ENT, Z_PK, 'primaryLabelCode', ZPRIMARYLABELCODE) FROM ZGRAPHNODE"
        #expect(
            texts == [
                "\(own)_INSERT": """
                CREATE TRIGGER \(own)_INSERT AFTER INSERT ON ZGRAPHNODE FOR EACH ROW BEGIN \(copied) WHERE Z_PK = NEW.Z_PK; \
                SELECT NSCoreDataDATriggerInsertUpdated\(called) WHERE Z_PK = NEW.Z_PK; END
                """,
                "\(own)_UPDATE": """
                CREATE TRIGGER \(own)_UPDATE AFTER UPDATE OF ZPRIMARYLABEL ON ZGRAPHNODE FOR EACH ROW BEGIN \(copied) WHERE \
                Z_PK = NEW.Z_PK; SELECT NSCoreDataDATriggerUpdated\(called) WHERE Z_PK = NEW.Z_PK; END
                """,
                "\(other)_INSERT": """
                CREATE TRIGGER \(other)_INSERT AFTER INSERT ON ZGRAPHLABEL FOR EACH ROW BEGIN UPDATE ZGRAPHNODE SET \
                ZPRIMARYLABELCODE = NEW.ZCODE WHERE ZPRIMARYLABEL = NEW.Z_PK; SELECT \
                NSCoreDataDATriggerInsertUpdated\(called) WHERE ZPRIMARYLABEL = NEW.Z_PK; END
                """,
                "\(other)_UPDATE": """
                CREATE TRIGGER \(other)_UPDATE AFTER UPDATE OF ZCODE ON ZGRAPHLABEL FOR EACH ROW BEGIN UPDATE ZGRAPHNODE SET \
                ZPRIMARYLABELCODE = NEW.ZCODE WHERE ZPRIMARYLABEL = NEW.Z_PK; SELECT \
                NSCoreDataDATriggerUpdated\(called) WHERE ZPRIMARYLABEL = NEW.Z_PK; END
                """,
            ])
    }

    @Test("An attribute derived by now() has the triggers that Apple's framework writes")
    func times() throws {
        let texts = try triggers(NSEntityDescription("Item", derived("update", .date, "now()")))
        #expect(
            texts["Z_DA_ZITEM_Item_update_UPDATE"] == """
                CREATE TRIGGER Z_DA_ZITEM_Item_update_UPDATE AFTER UPDATE OF Z_OPT ON ZITEM FOR EACH ROW BEGIN UPDATE ZITEM SET \
                ZUPDATE = NSCoreDataNow() WHERE Z_PK = NEW.Z_PK; SELECT \
                NSCoreDataDATriggerUpdatedAffectedObjectValue('ZITEM', Z_ENT, Z_PK, 'update', ZUPDATE) FROM ZITEM WHERE Z_PK = \
                NEW.Z_PK; END
                """)
        #expect(texts.keys.sorted() == ["Z_DA_ZITEM_Item_update_INSERT", "Z_DA_ZITEM_Item_update_UPDATE"])
    }

    @Test("Triggers for decimal sums, sums, counts, copies and times call no function of this project")
    func triggersCallNoOwnFunction() throws {
        let owner = NSEntityDescription(
            "Owner", attribute("name", .string), derived("total", .decimal, "parts.price.@sum"),
            derived("weight", .double, "parts.weight.@sum"), derived("count", .integer64, "parts.@count"))
        let part = NSEntityDescription(
            "Part", attribute("price", .decimal), attribute("weight", .double),
            derived("ownerName", .string, "owner.name"), derived("changed", .date, "now()"))
        pair(owner.relate("parts", to: part, many: true), part.relate("owner", to: owner))
        let texts = try triggers(owner, part)
        #expect(texts.count > 15)
        #expect(!texts.values.contains { $0.contains("OpenCoreData") })
    }
}

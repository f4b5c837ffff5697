import CoreData
import GRDB
import TestSupport
import Testing

/// A store of Apple's that has history, and its model.
struct HistoryStore: CustomTestStringConvertible, Sendable {
    let path: String

    var testDescription: String { path }
    var url: URL { Corpus.url(path) }

    /// The stores of the corpus that have history.
    static let all: [HistoryStore] = Corpus.files(under: "stores").filter { path in
        guard let handle = FileHandle(forReadingAtPath: Corpus.url(path).path) else { return false }
        defer { try? handle.close() }
        guard (try? handle.read(upToCount: 16)) == Data("SQLite format 3\0".utf8),
            let folder = try? StoreFolder(copying: Corpus.url(path)),
            let tables = try? folder.schema()
        else { return false }
        return tables["ATRANSACTION"] != nil
    }.map(HistoryStore.init)

    /// The model: from its source where that is known, otherwise from the cache in the store.
    func model(_ folder: StoreFolder) throws -> NSManagedObjectModel {
        if let pair = StorePair.all.first(where: { $0.store == url }) {
            return try #require(NSManagedObjectModel(contentsOf: pair.model.deletingLastPathComponent()))
        }
        let cache = Data.fromDatabaseValue(try folder.value("SELECT Z_CONTENT FROM Z_MODELCACHE")) ?? Data()
        let model = try NSManagedObjectModel(
            modelCacheArchive: RawDeflate.decompress(cache, limit: 64 << 20))
        // History has nothing to do with indexes, and those of some of Apple's models are over relationships.
        for entity in model.entities { entity.indexes = [] }
        return model
    }
}

/// The history that Apple's framework wrote is read, and goes on here.
@Suite(.enabled(if: Corpus.isPresent, "\(Corpus.missing)"))
struct HistoryCorpusTests {
    private static var options: [AnyHashable: Any] {
        [NSPersistentHistoryTrackingKey: true, NSIgnorePersistentStoreVersioningOption: true]
    }

    @Test("The corpus has stores with history")
    func corpusHasHistory() { #expect(HistoryStore.all.count >= 4) }

    @Test("Every transaction and change of Apple's history is read", arguments: HistoryStore.all)
    func everyRowIsRead(_ store: HistoryStore) throws {
        let folder = try StoreFolder(copying: store.url)
        let model = try store.model(folder)
        let coordinator = try folder.open(
            model, [NSReadOnlyPersistentStoreOption: true, NSIgnorePersistentStoreVersioningOption: true])
        let found = try coordinator.inContext { try $0.transactions() }
        let rows = try folder.rows(
            """
            SELECT t.Z_PK, t.ZTIMESTAMP, (SELECT ZNAME FROM ATRANSACTIONSTRING s WHERE s.Z_PK = ZAUTHORTS),
                (SELECT ZNAME FROM ATRANSACTIONSTRING s WHERE s.Z_PK = ZBUNDLEIDTS),
                (SELECT ZNAME FROM ATRANSACTIONSTRING s WHERE s.Z_PK = ZCONTEXTNAMETS),
                (SELECT ZNAME FROM ATRANSACTIONSTRING s WHERE s.Z_PK = ZPROCESSIDTS)
            FROM ATRANSACTION t ORDER BY 1
            """)
        try #require(found.count == rows.count)
        for (transaction, row) in zip(found, rows) {
            #expect(transaction.transactionNumber.databaseValue == row[0])
            #expect(transaction.timestamp.timeIntervalSinceReferenceDate.databaseValue == row[1])
            #expect(transaction.author?.databaseValue ?? .null == row[2])
            #expect(transaction.bundleID.databaseValue == row[3])
            #expect(transaction.contextName?.databaseValue ?? .null == row[4])
            #expect(transaction.processID.databaseValue == row[5])
        }
        let changes = found.flatMap { $0.changes ?? [] }
        let changeRows = try folder.rows(
            """
            SELECT c.Z_PK, ZCHANGETYPE, Z_NAME, ZENTITYPK, ZCOLUMNS, c.* FROM ACHANGE c JOIN Z_PRIMARYKEY k
            ON k.Z_ENT = ZENTITY ORDER BY ZTRANSACTIONID, 1
            """)
        try #require(changes.count == changeRows.count)
        var kept = 0
        for (change, row) in zip(changes, changeRows) {
            #expect(change.changeID.databaseValue == row[0])
            #expect(change.changeType.rawValue.databaseValue == row[1])
            #expect(change.changedObjectID.entity.name?.databaseValue == row[2])
            #expect(
                "p\(row[3].storage.value ?? "")"
                    == change.changedObjectID.uriRepresentation().lastPathComponent)
            let bitmap = Data.fromDatabaseValue(row[4]) ?? Data()
            #expect((change.updatedProperties?.isEmpty ?? true) == bitmap.allSatisfy { $0 == 0 })
            let values = row[13...].filter { !$0.isNull }.count
            #expect(change.tombstone?.count ?? 0 == values)
            kept += values
        }
        print(
            "history of \(store): \(found.count) transactions, \(changes.count) changes, \(kept) kept values")
    }

    /// A change that a migration took along is kept with new bits for the same properties.
    @Test("Migrated changes of Apple's history name the same properties")
    func sameChangeInSeveralVersions() throws {
        var agreed = 0
        var all = 0
        var former: [Int64: NSPersistentHistoryChange] = [:]
        var models: [NSPersistentStoreCoordinator] = []
        for store in HistoryStore.all where store.path.contains("photoslibrary") {
            let folder = try StoreFolder(copying: store.url)
            let model = try store.model(folder)
            let coordinator = try folder.open(
                model, [NSReadOnlyPersistentStoreOption: true, NSIgnorePersistentStoreVersioningOption: true])
            models.append(coordinator)
            let changes = try coordinator.inContext { context in
                try context.transactions().flatMap { $0.changes ?? [] }
            }
            for change in changes where change.changeType == .update {
                guard let old = former[change.changeID],
                    old.changedObjectID.entity.name == change.changedObjectID.entity.name,
                    old.changedObjectID.reference == change.changedObjectID.reference
                else { continue }
                let known = Set(change.changedObjectID.entity.propertiesByName.keys)
                all += 1
                if old.updatedNames.filter(known.contains) == change.updatedNames { agreed += 1 }
            }
            former = Dictionary(changes.map { ($0.changeID, $0) }, uniquingKeysWith: { a, _ in a })
        }
        print("history: \(agreed) of \(all) migrated changes name the same properties")
        #expect(all > 1500 && agreed * 100 >= all * 97)
    }

    /// A save here leaves rows of the shape of Apple's newest ones.
    @Test("A save continues Apple's history in the same format", arguments: HistoryStore.all)
    func savesContinueTheHistory(_ store: HistoryStore) throws {
        let folder = try StoreFolder(copying: store.url)
        let model = try store.model(folder)
        let entity = try #require(model.entitiesByName["Garnish"] ?? model.entitiesByName["AlbumList"])
        let text = try #require(
            entity.attributesByName.values.filter { $0.type == .string }.min { $0.name < $1.name })
        let name = entity.name ?? ""
        let theirs = try shape(folder, name)
        let tables = try folder.schema().filter {
            $0.value.contains("ACHANGE") || $0.value.contains("ATRANSACTION")
        }
        let coordinator = try folder.open(model, Self.options)
        try coordinator.inContext { context in
            let token = try #require(coordinator.currentPersistentHistoryToken(fromStores: nil))
            let object = try #require(try context.all(name).first)
            object.setValue("changed", forKey: text.name)
            try context.save()
            let found = try context.transactions(.fetchHistory(after: token))
            #expect(found.map { $0.changes?.map(\.updatedNames) } == [[[text.name]]])
        }
        try coordinator.close()
        #expect(try shape(folder, name) == theirs)
        #expect(
            try folder.schema().filter { $0.value.contains("ACHANGE") || $0.value.contains("ATRANSACTION") }
                == tables)
        for (table, number) in [("ACHANGE", 16001), ("ATRANSACTION", 16002), ("ATRANSACTIONSTRING", 16003)] {
            #expect(
                try folder.value(
                    "SELECT Z_MAX = (SELECT MAX(Z_PK) FROM \(table)) FROM Z_PRIMARYKEY WHERE Z_ENT = \(number)"
                )
                    == 1.databaseValue)
        }
        #expect(try folder.value("PRAGMA integrity_check") == "ok".databaseValue)
    }

    /// The types of the newest update of an entity and of its transaction, and the length of the bitmap. Author and
    /// context may be missing.
    private func shape(_ folder: StoreFolder, _ entity: String) throws -> [[DatabaseValue]] {
        try folder.rows(
            """
            SELECT typeof(c.Z_ENT), typeof(c.Z_OPT), typeof(ZCHANGETYPE), typeof(ZENTITY), typeof(ZENTITYPK),
                typeof(ZTRANSACTIONID), typeof(ZCOLUMNS), length(ZCOLUMNS), typeof(t.Z_OPT), typeof(ZBUNDLEIDTS),
                typeof(ZPROCESSIDTS), typeof(ZTIMESTAMP), typeof(ZAUTHOR), typeof(ZBUNDLEID), typeof(ZCONTEXTNAME),
                typeof(ZPROCESSID), t.Z_ENT, c.Z_ENT
            FROM ACHANGE c JOIN ATRANSACTION t ON t.Z_PK = ZTRANSACTIONID JOIN Z_PRIMARYKEY k ON k.Z_ENT = ZENTITY
            WHERE Z_NAME = ? AND ZCHANGETYPE = 1 ORDER BY c.Z_PK DESC LIMIT 1
            """, [entity])
    }
}

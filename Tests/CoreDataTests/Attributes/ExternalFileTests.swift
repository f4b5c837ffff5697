import CoreData
import GRDB
import Testing

/// Large data of attributes that allow external storage: written to files beside the store, as Apple's stores have them.
@Suite struct ExternalFileTests {
    private static let model: NSManagedObjectModel = {
        let photo = NSEntityDescription("Photo", attribute("name", .string), attribute("image", .binaryData))
        photo.attributesByName["image"]?.allowsExternalBinaryDataStorage = true
        photo.uniquenessConstraints = [["name"]]
        let plain = NSEntityDescription("Plain", attribute("image", .binaryData))
        let boxed = attribute("data", .binaryData)
        boxed.allowsExternalBinaryDataStorage = true
        let box = NSEntityDescription("Box", composite("inside", boxed, attribute("name", .string)))
        return NSManagedObjectModel(of: photo, plain, box)
    }()

    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    /// The most that a row keeps itself.
    private static let limit = 102_400

    private func data(_ byte: UInt8, count: Int = limit + 1) -> Data { Data(repeating: byte, count: count) }

    /// The contents of the files of external data, by name.
    private func files() throws -> [String: Data] {
        let files = folder.url.appendingPathComponent(".Store_SUPPORT/_EXTERNAL_DATA")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: files.path)) ?? []
        return try Dictionary(
            uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: files.appendingPathComponent($0))) })
    }

    /// What a row says of a file.
    private func reference(_ name: String) -> DatabaseValue {
        (Data([2]) + Data(name.utf8) + Data([0])).databaseValue
    }

    /// A store with one photo whose data is in a file.
    private func makePhoto(_ options: [AnyHashable: Any]? = nil) throws -> NSPersistentStoreCoordinator {
        let coordinator = try folder.open(Self.model, options)
        try coordinator.inContext { context in
            try context.insert("Photo", ["name": "sea", "image": data(1)])
            try context.save()
        }
        #expect(try files().count == 1)
        return coordinator
    }

    @Test("Data up to the limit is kept in the row", arguments: [0, 1, 1000, limit])
    func smallDataStaysInTheRow(_ count: Int) throws {
        try folder.open(Self.model).inContext { context in
            try context.insert("Photo", ["image": data(7, count: count)])
            try context.save()
        }
        #expect(
            try folder.value("SELECT ZIMAGE FROM ZPHOTO") == (Data([1]) + data(7, count: count)).databaseValue
        )
        #expect(try files().isEmpty)
    }

    @Test("Data above the limit is written to a file")
    func largeDataGoesToAFile() throws {
        let coordinator = try folder.open(Self.model)
        try coordinator.inContext { context in
            let photo = try context.insert("Photo", ["name": "sea", "image": data(7)])
            try context.save()
            #expect(photo.value(forKey: "image") as? Data == data(7))
            photo.setValue(data(7), forKey: "image")
            #expect(!photo.hasPersistentChangedValues)
            context.refresh(photo, mergeChanges: false)
            #expect(photo.value(forKey: "image") as? Data == data(7))
        }
        try coordinator.close()
        let files = try files()
        let name = try #require(files.keys.first)
        #expect(files == [name: data(7)])
        #expect(UUID(uuidString: name)?.uuidString == name)
        #expect(try folder.value("SELECT ZIMAGE FROM ZPHOTO") == reference(name))
        #expect(try image(in: folder.open(Self.model)) == data(7))
    }

    @Test("Attributes without external storage keep their data in the row")
    func withoutExternalStorage() throws {
        try folder.open(Self.model).inContext { context in
            try context.insert("Plain", ["image": data(1)])
            try context.insert("Box", ["inside": ["data": data(2), "name": "n"]])
            try context.save()
            context.reset()
            let inside = try context.only("Box").value(forKey: "inside") as? [String: Any]
            #expect(inside?["data"] as? Data == data(2))
        }
        #expect(try folder.value("SELECT ZIMAGE FROM ZPLAIN") == data(1).databaseValue)
        #expect(try folder.value("SELECT ZDATA FROM ZBOX") == data(2).databaseValue)
        #expect(try files().isEmpty)
    }

    /// The data of the only photo.
    private func image(in coordinator: NSPersistentStoreCoordinator) throws -> Data? {
        try coordinator.inContext { try $0.only("Photo").value(forKey: "image") as? Data }
    }

    // MARK: Changes

    @Test(
        "Replacing external data deletes the old file",
        arguments: [nil, Data([5]), Data(repeating: 6, count: limit + 9)])
    func replacedDataDeletesItsFile(_ new: Data?) throws {
        let coordinator = try makePhoto()
        let old = try #require(try files().keys.first)
        try coordinator.inContext { context in
            let photo = try context.only("Photo")
            photo.setValue(new, forKey: "image")
            try context.save()
            #expect(photo.value(forKey: "image") as? Data == new)
        }
        let left = try files()
        #expect(left[old] == nil)
        #expect(Array(left.values) == [new].compactMap(\.self).filter { $0.count > Self.limit })
    }

    @Test("Other changes keep the file of external data")
    func otherChangesKeepTheFile() throws {
        let coordinator = try makePhoto()
        let old = try files()
        try coordinator.inContext { context in
            let photo = try context.only("Photo")
            photo.setValue("lake", forKey: "name")
            photo.setValue(data(1), forKey: "image")
            try context.save()
            #expect(try files() == old)
            // The row cache names the file, too.
            context.delete(photo)
            try context.save()
        }
        #expect(try files().isEmpty)
    }

    @Test("Deleting an object deletes its file")
    func deletionDeletesTheFile() throws {
        let coordinator = try makePhoto()
        try coordinator.inContext { context in
            context.delete(try context.only("Photo"))
            #expect(try files().count == 1)
            try context.save()
        }
        #expect(try files().isEmpty)
    }

    @Test("The history of a deletion keeps no file")
    func historyKeepsNoFiles() throws {
        let model = try #require(Self.model.copy() as? NSManagedObjectModel)
        model.entitiesByName["Photo"]?.attributesByName["image"]?.preservesValueInHistoryOnDeletion = true
        let coordinator = try folder.open(model, [NSPersistentHistoryTrackingKey: true])
        try coordinator.inContext { context in
            let photo = try context.insert("Photo", ["name": "sea", "image": data(1)])
            try context.save()
            context.delete(photo)
            try context.save()
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
            let result = try context.execute(request) as? NSPersistentHistoryResult
            let changes = (result?.result as? [NSPersistentHistoryTransaction])?.flatMap { $0.changes ?? [] }
            #expect(changes?.last?.changeType == .delete)
            #expect(changes?.last?.tombstone?["image"] == nil)
        }
        #expect(try files().isEmpty)
    }

    /// A history may be of a store that was made when values in files were kept.
    @Test("A file that the history refers to is deleted with the history")
    func historyFileIsDeletedWithIt() throws {
        let model = try #require(Self.model.copy() as? NSManagedObjectModel)
        model.entitiesByName["Photo"]?.attributesByName["image"]?.preservesValueInHistoryOnDeletion = true
        let coordinator = try folder.open(model, [NSPersistentHistoryTrackingKey: true])
        try coordinator.inContext { context in
            let photos = try (1...3).map { number in
                try context.insert("Photo", ["name": "\(number)", "image": data(UInt8(number))])
            }
            try context.save()
            context.delete(photos[0])
            try context.save()
            #expect(Set(try files().values) == [data(2), data(3)])
            try folder.execute(
                """
                UPDATE ACHANGE SET ZTOMBSTONE0 = (SELECT ZIMAGE FROM ZPHOTO WHERE ZNAME = '2') WHERE ZCHANGETYPE = 2
                """)
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
            let result = try context.execute(request) as? NSPersistentHistoryResult
            let changes = (result?.result as? [NSPersistentHistoryTransaction])?.flatMap { $0.changes ?? [] }
            #expect(changes?.last?.tombstone?["image"] as? Data == data(2))
            // A row that has the file of a deleted object keeps it.
            _ = try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: .distantFuture))
            #expect(Set(try files().values) == [data(2), data(3)])
            photos[1].setValue("another", forKey: "name")
            try context.save()
            context.delete(photos[2])
            try context.save()
            try folder.execute(
                "UPDATE ACHANGE SET ZTOMBSTONE0 = (SELECT ZIMAGE FROM ZPHOTO) WHERE ZCHANGETYPE = 2")
            try folder.execute("UPDATE ZPHOTO SET ZIMAGE = NULL")
            _ = try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: .distantFuture))
            #expect(try files().isEmpty)
            #expect(try folder.value("SELECT COUNT(*) FROM ACHANGE") == 0.databaseValue)
        }
    }

    // MARK: Others

    @Test("An object with an older row reads the data that another context saved")
    func olderRowReadsNewData() throws {
        let coordinator = try makePhoto()
        try coordinator.inContext { context in
            let photo = try context.only("Photo")
            #expect(photo.value(forKey: "name") as? String == "sea")
            try coordinator.inContext { other in
                try other.only("Photo").setValue(data(2), forKey: "image")
                try other.save()
            }
            #expect(photo.value(forKey: "image") as? Data == data(2))
            try context.save()
        }
    }

    @Test("An object whose row was deleted elsewhere reads no data")
    func olderRowOfADeletedObject() throws {
        let coordinator = try makePhoto()
        try coordinator.inContext { context in
            let photo = try context.only("Photo")
            #expect(photo.value(forKey: "name") as? String == "sea")
            try coordinator.inContext { other in
                other.delete(try other.only("Photo"))
                try other.save()
            }
            #expect(photo.value(forKey: "image") == nil)
            try context.save()
        }
    }

    // MARK: Objects that come back

    @Test("Undoing a saved deletion restores the external data")
    func undoneDeletionRestoresData() throws {
        let coordinator = try makePhoto()
        try coordinator.inContext { context in
            context.undoManager = UndoManager()
            let photo = try context.only("Photo")
            context.delete(photo)
            try context.save()
            #expect(try files().isEmpty)
            context.undo()
            #expect(photo.isInserted && photo.value(forKey: "image") as? Data == data(1))
            try context.save()
        }
        #expect(try Array(files().values) == [data(1)])
    }

    @Test("Inserting a deleted object again fails while its data is missing")
    func missingDataFailsTheSave() throws {
        let coordinator = try makePhoto()
        try coordinator.inContext { context in
            let photo = try context.only("Photo")
            context.delete(photo)
            try context.save()
            context.insert(photo)
            #expect(try error { try context.save() }.code == 134060)
            photo.setValue(data(2), forKey: "image")
            try context.save()
        }
        #expect(try Array(files().values) == [data(2)])
    }

    @Test("Restoring a deleted row by overwrite fails while its data is missing")
    func overwriteNeedsItsData() throws {
        let coordinator = try makePhoto()
        try coordinator.inContext { context in
            context.mergePolicy = NSMergePolicy.overwrite
            let photo = try context.only("Photo")
            photo.setValue("lake", forKey: "name")
            try coordinator.inContext { other in
                other.delete(try other.only("Photo"))
                try other.save()
            }
            let id = photo.objectID
            #expect(try error { try context.save() }.code == 134060)
            #expect(context.insertedObjects.isEmpty && context.updatedObjects == [photo])
            #expect(photo.objectID == id)
            photo.setValue(data(2), forKey: "image")
            try context.save()
        }
        #expect(try Array(files().values) == [data(2)])
    }

    @Test("A file that another row refers to stays")
    func sharedFileStays() throws {
        let coordinator = try makePhoto()
        try coordinator.inContext { context in
            try context.insert("Photo", ["name": "twin", "image": data(2)])
            try context.save()
        }
        try coordinator.close()
        try folder.execute(
            "UPDATE ZPHOTO SET ZIMAGE = (SELECT ZIMAGE FROM ZPHOTO WHERE ZNAME = 'sea') WHERE ZNAME = 'twin'")
        try folder.open(Self.model).inContext { context in
            context.delete(try context.all("Photo", by: "name")[0])
            try context.save()
            #expect(try context.only("Photo").value(forKey: "image") as? Data == data(1))
            context.delete(try context.only("Photo"))
            try context.save()
        }
        // That of the twin was lost when its row was changed from outside.
        #expect(try Array(files().values) == [data(2)])
    }

    // MARK: Failures

    @Test("A failed save leaves the files unchanged")
    func failedSaveKeepsFiles() throws {
        let coordinator = try makePhoto()
        let before = try folder.contents()
        try coordinator.inContext { context in
            let photo = try context.only("Photo")
            photo.setValue(data(2), forKey: "image")
            try context.insert("Photo", ["name": "sea", "image": data(3)])
            #expect(try error { try context.save() }.code == 133021)
            #expect(try files() == before.files)
            #expect(photo.value(forKey: "image") as? Data == data(2))
        }
    }

    @Test("A conflict leaves the files unchanged")
    func conflictKeepsFiles() throws {
        let coordinator = try makePhoto()
        try coordinator.inContext { context in
            let photo = try context.only("Photo")
            photo.setValue(data(2), forKey: "image")
            try coordinator.inContext { other in
                try other.only("Photo").setValue("lake", forKey: "name")
                try other.save()
            }
            let before = try files()
            #expect(try error { try context.save() }.code == 133020)
            #expect(try files() == before)
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            try context.save()
            #expect(try Array(files().values) == [data(2)])
        }
    }

    @Test("A save fails if the folder of external data cannot be made")
    func unwritableFolder() throws {
        let coordinator = try folder.open(Self.model)
        try Data().write(to: folder.url.appendingPathComponent(".Store_SUPPORT"))
        try coordinator.inContext { context in
            let photo = try context.insert("Photo", ["name": "sea", "image": data(1)])
            let refusal = try error { try context.save() }
            #expect(refusal.code == 134030 && refusal.userInfo[NSUnderlyingErrorKey] is NSError)
            #expect(photo.isInserted)
        }
        #expect(try folder.value("SELECT COUNT(*) FROM ZPHOTO") == 0.databaseValue)
    }

    // MARK: Store operations

    @Test("External data follows a store that is migrated, destroyed or replaced")
    func filesFollowTheStore() throws {
        let coordinator = try makePhoto()
        let other = try StoreFolder()
        let store = try #require(coordinator.persistentStores.first)
        let moved = try coordinator.migratePersistentStore(store, to: other.file, type: .sqlite)
        #expect(try image(in: coordinator) == data(1))
        try coordinator.remove(moved)
        try coordinator.destroyPersistentStore(at: folder.file, type: .sqlite)
        #expect(try folder.names == ["Store.sqlite"])
        try coordinator.replacePersistentStore(
            at: folder.file, withPersistentStoreFrom: other.file, type: .sqlite)
        #expect(try Array(files().values) == [data(1)])
        #expect(try image(in: folder.open(Self.model)) == data(1))
    }

    @Test("A migration to another store type and back keeps external data")
    func otherStoreTypes() throws {
        let plain = NSEntityDescription("Photo", attribute("image", .binaryData))
        plain.attributesByName["image"]?.allowsExternalBinaryDataStorage = true
        let coordinator = try folder.open(NSManagedObjectModel(of: plain))
        try coordinator.inContext { context in
            try context.insert("Photo", ["image": data(1)])
            try context.save()
        }
        #expect(try files().count == 1)
        let store = try #require(coordinator.persistentStores.first)
        let file = folder.url.appendingPathComponent("Store.bin")
        let binary = try coordinator.migratePersistentStore(store, to: file, type: .binary)
        #expect(try image(in: coordinator) == data(1))
        let back = folder.url.appendingPathComponent("Back.sqlite")
        _ = try coordinator.migratePersistentStore(binary, to: back, type: .sqlite)
        #expect(try folder.contents().count { $0.key.hasPrefix(".Back_SUPPORT/_EXTERNAL_DATA/") } == 1)
        #expect(try image(in: coordinator) == data(1))
    }
}

extension [String: Data] {
    /// Those of a folder's contents that are files of external data, by name.
    fileprivate var files: [String: Data] {
        let files = filter { $0.key.contains("/_EXTERNAL_DATA/") }
        return Dictionary(
            uniqueKeysWithValues: files.map {
                ($0.key.split(separator: "/").last.map(String.init) ?? "", $0.value)
            })
    }
}

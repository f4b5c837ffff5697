import CoreData
import GRDB
import TestSupport
import Testing

/// The triggers of Apple's own application fire on saves here, and objects show what they count.
@Suite(.enabled(if: Corpus.isPresent, "\(Corpus.missing)"), .serialized)
struct CorpusTriggerTests {
    private func library(_ version: String) throws -> (folder: StoreFolder, container: NSPersistentContainer)
    {
        let store = try #require(CorpusStore.all.first { $0.path.contains("Test-\(version).photoslibrary") })
        let folder = try store.copy()
        let container = try NSPersistentContainer(storeAt: folder.file)
        container.persistentStoreDescriptions[0].setOption(
            NSNumber(value: true), forKey: NSPersistentHistoryTrackingKey)
        var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        if let failure { throw failure }
        return (folder, container)
    }

    /// Hiding a face, deleting another and adding one count for the person, who is not part of the save.
    @Test(
        "Saves fire the count triggers of Apple's photo libraries, and objects show the counts",
        arguments: [("10.15.1", "person"), ("13.0.0", "person"), ("15.4.1", "personForFace")])
    func facesAreCounted(_ version: String, _ key: String) throws {
        let (folder, container) = try library(version)
        let context = container.newBackgroundContext()
        try context.performAndWait {
            let people = try context.all("Person", where: NSPredicate(format: "faceCount > 1"))
            let person = try #require(people.first)
            let id = person.objectID.reference
            let count = try #require(person.value(forKey: "faceCount") as? Int)
            let faces = try context.all(
                "DetectedFace",
                where: NSPredicate(
                    format: "\(key) == %@ AND hidden == NO AND assetVisible == YES AND centerX != 0", person))
            try #require(faces.count == count)
            func check(_ expected: Int) throws {
                try context.save()
                #expect(person.value(forKey: "faceCount") as? Int == expected)
                #expect(!person.hasChanges)
                let stored = try folder.value("SELECT ZFACECOUNT FROM ZPERSON WHERE Z_PK = \(id)")
                #expect(stored == expected.databaseValue)
            }
            faces[0].setValue(true, forKey: "hidden")
            try check(count - 1)
            faces[0].setValue(false, forKey: "hidden")
            try check(count)
            // Neither side of the relationship is loaded by the one that is deleted.
            faces[1].setValue(nil, forKey: key)
            try check(count - 1)
            // The row's own count, which a trigger keeps.
            let asset = try #require(faces[0].value(forKey: version == "15.4.1" ? "assetForFace" : "asset"))
            let owner = try #require(asset as? NSManagedObject)
            owner.setValue(true, forKey: "hidden")
            try context.save()
            #expect(faces[0].value(forKey: "assetVisible") as? Int == 0)
        }
    }

    /// Places are found by the R-tree after a save.
    @Test(
        "A save updates the R-tree of Apple's photo libraries",
        arguments: [("10.15.1", "Asset", "GenericAsset"), ("13.0.0", "Asset", "Asset")])
    func placesAreIndexed(_ version: String, _ entity: String, _ root: String) throws {
        let (folder, container) = try library(version)
        let context = container.newBackgroundContext()
        let id = try context.performAndWait {
            let asset = try #require(try context.all(entity).first)
            asset.setValue(48.5, forKey: "latitude")
            asset.setValue(-16.25, forKey: "longitude")
            try context.save()
            return asset.objectID.reference
        }
        let found = try folder.rows(
            """
            SELECT Z_PK FROM Z_RT_\(root)_boundedByRect WHERE ZLATITUDE_MIN >= 48 AND ZLATITUDE_MAX <= 49
            AND ZLONGITUDE_MIN >= -17 AND ZLONGITUDE_MAX <= -16
            """)
        #expect(found == [[id.databaseValue]])
        try context.performAndWait {
            let asset = try #require(try context.all(entity).first { $0.objectID.reference == id })
            context.delete(asset)
            try context.save()
        }
        #expect(try folder.rows("SELECT 1 FROM Z_RT_\(root)_boundedByRect WHERE Z_PK = \(id)") == [])
    }
}

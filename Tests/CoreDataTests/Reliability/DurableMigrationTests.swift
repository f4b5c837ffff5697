import CoreData
import DurableFiles
import GRDB
import TestSupport
import Testing

/// A store that is migrated is the old one or the new one, with the mode that it had, and leaves no files behind.
@Suite("Durability of migrations") struct DurableMigrationTests {
    private let folder: StoreFolder
    private let options: [AnyHashable: Any] = [
        NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
    ]

    init() throws { folder = try StoreFolder() }

    private static func model(_ attributes: NSAttributeDescription...) -> NSManagedObjectModel {
        for attribute in attributes where attribute.attributeType == .binaryDataAttributeType {
            attribute.allowsExternalBinaryDataStorage = true
        }
        let photo = NSEntityDescription("Photo")
        photo.properties = attributes
        return NSManagedObjectModel(of: photo)
    }

    private static let old = model(
        attribute("name", .string), attribute("image", .binaryData), attribute("sketch", .binaryData))
    private static let new = model(
        attribute("name", .string), attribute("image", .binaryData), attribute("place", .string))

    private func make(_ folder: StoreFolder) throws {
        let coordinator = try folder.open(Self.old)
        try coordinator.inContext { context in
            let data = ExternalDataDurabilityTests.data
            try context.insert("Photo", ["name": "a", "image": data(1), "sketch": data(2)])
            try context.save()
        }
        try coordinator.close()
    }

    private var files: Int {
        let external = folder.url.appendingPathComponent(".Store_SUPPORT/_EXTERNAL_DATA")
        return ((try? FileManager.default.contentsOfDirectory(atPath: external.path)) ?? []).count
    }

    @Test("A migration keeps mode and owner at each moment, and the next opening completes it")
    func everyFault() throws {
        let template = try StoreFolder()
        try make(template)
        // First without a fault, to know how many calls there are.
        var number = -1
        var count = 0
        while number < count {
            number += 1
            try folder.copyFiles(of: template)
            chmod(folder.file.path, number.isMultiple(of: 2) ? 0o600 : 0o664)
            if geteuid() == 0 { chown(folder.file.path, 65534, 65534) }
            let before = try FileAttributes(of: folder.file)
            let file = folder.file
            let calls = RecordedFileCalls(
                number == 0 ? .none : .death(number),
                before: { _ in
                    let now = try? FileAttributes(of: file)
                    #expect(now == before)
                })
            let isDone = calls.run { () -> Bool in
                guard let coordinator = try? folder.open(Self.new, options) else { return false }
                try? coordinator.close()
                return true
            }
            count = max(count, calls.calls.count)
            #expect(try FileAttributes(of: folder.file) == before)
            let isNew = try folder.rows("SELECT name FROM pragma_table_info('ZPHOTO')").contains {
                $0[0] == "ZPLACE".databaseValue
            }
            #expect(isNew || !isDone)
            // The next opening removes what is left.
            let coordinator = try folder.open(isNew ? Self.new : Self.old)
            try coordinator.inContext { context in
                let photo = try context.only("Photo")
                #expect(photo.value(forKey: "image") as? Data == ExternalDataDurabilityTests.data(1))
                if !isNew {
                    #expect(photo.value(forKey: "sketch") as? Data == ExternalDataDurabilityTests.data(2))
                }
            }
            try coordinator.close()
            #expect(files == (isNew ? 1 : 2), "\(number)")
            #expect(try folder.names == [".Store_SUPPORT", "Store.sqlite"], "\(number)")
        }
        #expect(count > 20)
    }
}

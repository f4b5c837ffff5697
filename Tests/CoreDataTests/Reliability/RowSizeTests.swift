import Testing

import CoreData
@testable import ObjectGraph

/// Values that take more bytes than a row can have: an offset and a length have 32 bits each.
@Suite struct RowSizeTests {
    private static let model = NSManagedObjectModel(
        of: NSEntityDescription(
            "Item", attribute("name", .string), attribute("data", .binaryData),
            {
                let data = attribute("file", .binaryData)
                data.allowsExternalBinaryDataStorage = true
                return data
            }(), composite("parts", attribute("text", .string))))

    @Test("A row refuses values of 4 GiB")
    func fourGibibytes() throws {
        var builder = RowBuilder()
        let byte = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
        defer { byte.deallocate() }
        byte.storeBytes(of: 65, as: UInt8.self)
        builder.begin(slotCount: 3)
        builder.set(0, bytes: UnsafeRawBufferPointer(start: byte, count: 1))
        // Nothing of it is read: there is no place for it.
        builder.set(1, bytes: UnsafeRawBufferPointer(start: byte, count: 1 << 32 - 1))
        builder.set(2, bytes: UnsafeRawBufferPointer(start: byte, count: 1 << 32 + 5))
        #expect(throws: RowTooLarge.self) {
            _ = try builder.finish(reference: 1, version: 1, entityNumber: 1, timestamp: 0)
        }
        builder.begin(slotCount: 3)
        builder.set(1, bytes: UnsafeRawBufferPointer(start: byte, count: 1))
        let row = try builder.finish(reference: 1, version: 1, entityNumber: 1, timestamp: 0)
        #expect(row.string(1) == "A" && row.isNull(0) && row.isNull(2))
    }

    @Test("A row accepts values up to its limit and refuses one more byte")
    func limit() throws {
        var builder = RowBuilder(byteLimit: 10)
        for (count, isKept) in [(4, true), (5, false), (0, true)] {
            builder.begin(slotCount: 2)
            builder.set(0, string: "abcdef")
            builder.set(1, data: Data(repeating: 7, count: count))
            if isKept {
                let row = try builder.finish(reference: 1, version: 1, entityNumber: 1, timestamp: 0)
                #expect(row.string(0) == "abcdef" && row.data(1) == Data(repeating: 7, count: count))
            } else {
                #expect(throws: RowTooLarge.self) {
                    _ = try builder.finish(reference: 1, version: 1, entityNumber: 1, timestamp: 0)
                }
            }
        }
    }

    @Test(
        "A save of values that are too large fails, names them and stores nothing",
        .on(.sqlite, .memory),
        arguments: [
            ("name", "x" as any Sendable, "data"), ("data", Data(count: 2000), "data"),
            ("file", Data(count: 2000), "file"),
            ("parts", ["text": String(repeating: "x", count: 2000)], "parts"),
        ])
    func saves(_ key: String, _ value: any Sendable, _ blamed: String) throws {
        let model = try #require(Self.model.copy() as? NSManagedObjectModel)
        let stack = try TestStack(model)
        try stack.inContext { context in
            context.rowByteLimit = 1000
            let item = try context.insert("Item", ["name": "small", "data": Data(count: 600)])
            try context.save()
            if key == "name" {
                // Each is small enough, all together are not.
                item.setValue(String(repeating: "x", count: 600), forKey: "name")
            } else {
                item.setValue(value, forKey: key)
                if key == "data" { item.setValue(nil, forKey: "name") }
            }
            let refusal = try error { try context.save() }
            #expect(refusal.domain == NSCocoaErrorDomain)
            #expect(refusal.code == CocoaError.Code.managedObjectValidation.rawValue)
            if key != "name" { #expect(refusal.userInfo[NSValidationKeyErrorKey] as? String == blamed) }
            #expect(refusal.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === item)
            #expect(refusal.localizedDescription.contains("may take at most 1000 bytes together"))
            #expect(item.hasChanges)
            // The same in a child of the context that wants to see the object.
            let other = try stack.inContext { other in
                let item = try other.only("Item")
                return [
                    item.value(forKey: "name") as? String,
                    "\((item.value(forKey: "data") as? Data)?.count ?? 0)",
                ]
            }
            #expect(other == ["small", "600"])
            context.rollback()
            item.setValue("other", forKey: "name")
            try context.save()
        }
    }
}

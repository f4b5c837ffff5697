import CoreData
import Foundation
import Hummingbird
import HummingbirdTesting
import StoreTools
import Testing

@testable import StoreBrowser

/// Changes of values that are no single texts: bytes, archives, composites.
@Suite struct ValueEditingTests {
    private func field(_ name: String, _ page: TestPage) async throws -> Answers.Object.Field {
        let object = try await page.read("/api/object?id=Person/1", as: Answers.Object.self)
        return try #require(object.fields.first { $0.name == name })
    }

    private func set(_ key: String, _ text: String?, _ page: TestPage) async throws -> TestResponse {
        struct Body: Encodable {
            let id = "Person/1"
            let key: String
            let text: String?
        }
        return try await page.post(
            "/api/set", String(decoding: try JSONEncoder().encode(Body(key: key, text: text)), as: UTF8.self))
    }

    private func failure(_ answer: TestResponse) throws -> Answers.Failure.Content {
        try JSONDecoder().decode(Answers.Failure.self, from: Data(answer.body.readableBytesView)).error
    }

    private func save(_ page: TestPage) async throws {
        let answer = try await page.post("/api/save", "{}")
        let saved = try JSONDecoder().decode(Answers.Saved.self, from: Data(answer.body.readableBytesView))
        #expect(saved.problems.isEmpty && !saved.state.isEdited)
    }

    /// The value of the first person as another coordinator reads it.
    private func stored(_ key: String, _ store: TestStore) throws -> Any? {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: TestStore.model)
        let open = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: store.url,
            options: [NSReadOnlyPersistentStoreOption: true])
        defer { try? coordinator.remove(open) }
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        return try context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
            request.predicate = NSPredicate(format: "name == 'person 0'")
            return try context.fetch(request).first?.value(forKey: key)
        }
    }

    @Test("Each attribute has the form that suits its type")
    func theFormsAreThoseOfTheTypes() async throws {
        let store = try TestStore()
        try await TestPage.with(store.url) { page in
            let shape = try await page.read("/api/store", as: Answers.Shape.self)
            let person = try #require(shape.entities.first { $0.name == "Person" })
            let forms = person.attributes.map { "\($0.name) \($0.form ?? "none")" }
            #expect(
                forms == [
                    "age text", "born text", "face file", "name text", "portrait file", "position elements",
                    "strange json", "tags json",
                ])
            let position = try #require(person.attributes.first { $0.name == "position" })
            #expect(
                position.elements.map(\.name) == [
                    "position.latitude", "position.source.kind", "position.source.taken",
                ])
        }
    }

    @Test("An uploaded file replaces the bytes of an attribute, with undo", arguments: ["face", "portrait"])
    func aFileTakesThePlaceOfTheBytes(_ key: String) async throws {
        let store = try TestStore()
        let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        try await TestPage.with(store.url, canWrite: true) { page in
            #expect(try await page.post("/api/data?id=Person/1&key=\(key)", file: bytes).status == .ok)
            #expect(try await field(key, page).bytes?.length == bytes.count)
            #expect(try await page.post("/api/undo", "{}").status == .ok)
            #expect(try await field(key, page).bytes == nil)
            _ = try await page.post("/api/redo", "{}")
            try await save(page)
            let file = try await field(key, page).bytes?.file
            #expect((file != nil) == (key == "portrait"))
            let download = try await page.get("/api/bytes?id=Person/1&key=\(key)")
            #expect(Array(download.body.readableBytesView) == bytes)
        }
        #expect(try stored(key, store) as? Data == Data(bytes))
        try await TestPage.with(store.url, canWrite: true) { page in
            #expect(try await set(key, nil, page).status == .ok)
            try await save(page)
        }
        #expect(try stored(key, store) == nil)
    }

    /// Keeps what is sent.
    private struct Receiver: ResponseBodyWriter {
        final class Bytes {
            var all: [UInt8] = []
        }

        let bytes = Bytes()

        mutating func write(_ buffer: ByteBuffer) async throws {
            bytes.all += Array(buffer.readableBytesView)
        }
        consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }

    @Test("A symbolic link that replaces a file of external data is not sent")
    func linksInPlaceOfFilesAreNotSent() async throws {
        let test = try TestStore()
        let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        try await TestPage.with(test.url, canWrite: true) { page in
            #expect(try await page.post("/api/data?id=Person/1&key=portrait", file: bytes).status == .ok)
            try await save(page)
        }
        let folder = test.folder.appending(path: ".People_SUPPORT/_EXTERNAL_DATA")
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: folder.path).first)
        let secret = test.folder.appending(path: "secret")
        try Data("secret".utf8).write(to: secret)
        let store = try BrowsedStore(testing: test.url)
        let reference = ObjectReference(entity: "Person", key: 1)
        let file = try await StoredFile(reference, "portrait", of: store)
        #expect(file.length == bytes.count)
        try FileManager.default.removeItem(at: folder.appending(path: name))
        try FileManager.default.createSymbolicLink(
            at: folder.appending(path: name), withDestinationURL: secret)
        let receiver = Receiver()
        try await file.body.write(receiver)
        #expect(receiver.bytes.all == bytes)
        // A link that was there before is not followed.
        await #expect(throws: (any Error).self) {
            _ = try await StoredFile(reference, "portrait", of: store)
        }
        try store.close()
    }

    @Test("A file for an unsuitable attribute, or one too large, is refused")
    func aFileIsRefusedWhereNoneFits() async throws {
        let store = try TestStore()
        try await TestPage.with(store.url, canWrite: true) { page in
            for (id, key) in [
                ("Person/1", "name"), ("Person/1", "tags"), ("Person/1", "none"), ("Person/1", "position"),
            ] {
                let answer = try await page.post("/api/data?id=\(id)&key=\(key)", file: [1])
                #expect(answer.status == .unprocessableContent, "\(key)")
            }
            #expect(try await page.post("/api/data?id=x&key=face", file: [1]).status == .unprocessableContent)
            #expect(try await page.post("/api/data?id=Person/9999&key=face", file: [1]).status == .notFound)
            let large = [UInt8](repeating: 0, count: (64 << 20) + 1)
            let answer = try await page.post("/api/data?id=Person/1&key=face", file: large)
            #expect(answer.status == .contentTooLarge)
        }
        try await TestPage.with(store.url) { page in
            let answer = try await page.post("/api/data?id=Person/1&key=face", file: [1])
            #expect(answer.status == .forbidden)
        }
    }

    @Test("Plain values of a transformable attribute are edited as JSON")
    func plainValuesOfAnArchiveAreChangedAsJSON() async throws {
        let store = try TestStore()
        let json = #"{"list":["a",1.5,true],"when":{"$date":"2024-01-31T12:00:00Z"},"raw":{"$data":"AAEC"}}"#
        try await TestPage.with(store.url, canWrite: true) { page in
            #expect(try await field("tags", page).transformable?.json == "")
            #expect(try await set("tags", json, page).status == .ok)
            try await save(page)
        }
        let value = try #require(try stored("tags", store) as? NSDictionary)
        let list = try #require(value["list"] as? NSArray)
        #expect(list.count == 3 && list[0] as? String == "a" && (list[1] as? NSNumber)?.doubleValue == 1.5)
        #expect((list[2] as? NSNumber)?.boolValue == true)
        #expect((value["when"] as? Date)?.timeIntervalSince1970 == 1_706_702_400)
        #expect(value["raw"] as? Data == Data([0, 1, 2]))
        try await TestPage.with(store.url, canWrite: true) { page in
            let shown = try #require(try await field("tags", page).transformable?.json)
            let values = try [shown, json].map {
                try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? NSDictionary)
            }
            #expect(values[0] == values[1])
            #expect(try await set("tags", nil, page).status == .ok)
            try await save(page)
        }
        #expect(try stored("tags", store) == nil)
    }

    @Test(
        "JSON that is not a plain value is refused",
        arguments: [
            "", "{", "null", "[null]", #"{"a":null}"#, #"{"$date":"soon"}"#, #"{"$data":"%"}"#,
            String(repeating: "[", count: 100) + String(repeating: "]", count: 100),
            String(repeating: "[", count: 100_000), "\"" + String(repeating: "x", count: 300_000) + "\"",
        ])
    func otherJSONIsRefused(_ text: String) async throws {
        let store = try TestStore()
        try await TestPage.with(store.url, canWrite: true) { page in
            let answer = try await set("tags", text, page)
            #expect(answer.status == .unprocessableContent)
            #expect(try failure(answer).field == "tags")
            #expect(try await !page.read("/api/changes", as: Answers.Changes.self).isEdited)
        }
    }

    @Test("An attribute with an unknown transformer cannot be edited, and names it")
    func anUnknownTransformerIsNamed() async throws {
        let store = try TestStore()
        try await TestPage.with(store.url, canWrite: true) { page in
            let form = try #require(try await field("strange", page).transformable)
            #expect(form.json == nil && !form.canClear && form.note?.contains("NobodyKnows") == true)
            let answer = try await set("strange", "[]", page)
            #expect(answer.status == .unprocessableContent)
            #expect(try failure(answer).message.contains("NobodyKnows"))
        }
        try await TestPage.with(store.url) { page in
            let form = try await field("strange", page).transformable
            #expect(form == nil)
        }
    }

    @Test("Elements of a composite attribute are edited one by one")
    func elementsOfACompositeAreChangedOneByOne() async throws {
        let store = try TestStore()
        try await TestPage.with(store.url, canWrite: true) { page in
            #expect(try await set("position.latitude", "47.5", page).status == .ok)
            #expect(try await set("position.source.kind", "map", page).status == .ok)
            let elements = try await field("position", page).elements
            #expect(
                elements.map(\.name) == [
                    "position.latitude", "position.source.kind", "position.source.taken",
                ])
            #expect(elements.map(\.value.text) == ["47.5", "map", ""])
            for (key, text) in [
                ("position.latitude", "north"), ("position.none", "1"), ("position.source", "x"),
            ] {
                #expect(try await set(key, text, page).status == .unprocessableContent, "\(key)")
            }
            try await save(page)
        }
        let value = try #require(try stored("position", store) as? [String: Any])
        #expect((value["latitude"] as? NSNumber)?.doubleValue == 47.5)
        #expect((value["source"] as? [String: Any])?["kind"] as? String == "map")
        try await TestPage.with(store.url, canWrite: true) { page in
            _ = try await set("position.latitude", nil, page)
            _ = try await set("position.source.kind", nil, page)
            try await save(page)
        }
        let none = try stored("position", store) as? [String: Any]
        #expect(none?.isEmpty ?? true)
    }

    @Test("A plain value keeps its type as JSON, and other values have none")
    func plainValuesKeepTheirKind() throws {
        let attribute = NSAttributeDescription()
        for text in [#""text""#, "12", "-0.5", "true", "[]", "{}"] {
            let value = try PlainValueText.value(text, of: attribute)
            #expect(PlainValueText.text(value).map { $0.filter { !$0.isWhitespace } } == text)
        }
        // A value that could not be distinguished from a date, or would be read back as another value, is
        // not plain.
        #expect(PlainValueText.text(["$date": "x"]) == nil)
        #expect(PlainValueText.text([NSNull()]) == nil)
        #expect(PlainValueText.text(NSDecimalNumber(string: "1")) == nil)
        #expect(PlainValueText.text(Double.nan) == nil)
        #expect(PlainValueText.text(NSSet(object: "a")) == nil)
    }
}

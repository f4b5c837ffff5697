import CoreData
import Foundation
import Hummingbird
import HummingbirdTesting
import Testing

/// Changes of a store that is open for writing, and their refusal where it is not.
@Suite struct StoreEditingTests {
    private static func changes(_ answer: TestResponse) throws -> Answers.Changes {
        try JSONDecoder().decode(Answers.Changes.self, from: Data(answer.body.readableBytesView))
    }

    private static func saved(_ answer: TestResponse) throws -> Answers.Saved {
        try JSONDecoder().decode(Answers.Saved.self, from: Data(answer.body.readableBytesView))
    }

    private static func failure(_ answer: TestResponse) throws -> Answers.Failure.Content {
        try JSONDecoder().decode(Answers.Failure.self, from: Data(answer.body.readableBytesView)).error
    }

    @Test(
        "A store opened for reading refuses every change",
        arguments: [
            ("set", #"{"id":"Person/1","key":"name","text":"x"}"#), ("add", #"{"entity":"Person"}"#),
            ("delete", #"{"ids":["Person/1"]}"#), ("undo", "{}"), ("redo", "{}"), ("save", "{}"),
            ("discard", "{}"),
            ("link", #"{"id":"Person/1","key":"city","to":null,"removing":true}"#),
        ])
    func withoutLeaveNothingIsChanged(_ path: String, _ body: String) async throws {
        let store = try TestStore()
        let before = try Data(contentsOf: store.url)
        try await TestPage.with(store.url) { page in
            let answer = try await page.post("/api/\(path)", body)
            #expect(answer.status == .forbidden)
            #expect(try Self.failure(answer).code == "readonly")
            let state = try await page.read("/api/changes", as: Answers.Changes.self)
            #expect(!state.isEdited)
        }
        #expect(try Data(contentsOf: store.url) == before)
    }

    @Test("A value is changed, undone, redone and saved")
    func aValueIsChangedUndoneAndSaved() async throws {
        let store = try TestStore()
        try await TestPage.with(store.url, canWrite: true) { page in
            let set = #"{"id":"Person/1","key":"name","text":"changed"}"#
            var state = try Self.changes(try await page.post("/api/set", set))
            #expect(state.isEdited && state.count == 1 && state.canUndo && !state.canRedo)
            state = try Self.changes(try await page.post("/api/undo", "{}"))
            #expect(!state.isEdited && state.canRedo)
            state = try Self.changes(try await page.post("/api/redo", "{}"))
            #expect(state.isEdited)
            #expect(try Self.saved(try await page.post("/api/save", "{}")).problems.isEmpty)
        }
        try await TestPage.with(store.url) { page in
            let found = try await page.read(
                "/api/count?entity=Person&predicate=name%20%3D%3D%20'changed'", as: Answers.Count.self)
            #expect(found.count == 1)
        }
    }

    @Test(
        "An unsuitable value is refused with its field",
        arguments: [
            ("age", "old"), ("age", "99999999999"), ("born", "yesterday"), ("face", "00"), ("none", "x"),
        ])
    func valuesThatDoNotFitAreRefused(_ key: String, _ text: String) async throws {
        let store = try TestStore()
        try await TestPage.with(store.url, canWrite: true) { page in
            let answer = try await page.post(
                "/api/set", #"{"id":"Person/1","key":"\#(key)","text":"\#(text)"}"#)
            #expect(answer.status == .unprocessableContent)
            if key != "none" { #expect(try Self.failure(answer).field == key) }
            let state = try await page.read("/api/changes", as: Answers.Changes.self)
            #expect(!state.isEdited)
        }
    }

    @Test("An invalid object is not saved until it is valid")
    func anInvalidObjectIsNotSaved() async throws {
        let store = try TestStore()
        try await TestPage.with(store.url, canWrite: true) { page in
            let added = try Self.changes(try await page.post("/api/add", #"{"entity":"Person"}"#))
            let id = try #require(added.added)
            let rows = try await page.read("/api/rows?entity=Person&limit=5", as: Answers.Page.self)
            #expect(rows.rows.first?.id == id && rows.rows.first?.state == "new")
            var saved = try Self.saved(try await page.post("/api/save", "{}"))
            #expect(saved.problems.map(\.field) == ["name"] && saved.problems.first?.object == id)
            #expect(saved.state.isEdited)
            _ = try await page.post("/api/set", #"{"id":"\#(id)","key":"name","text":"new"}"#)
            _ = try await page.post(
                "/api/link", #"{"id":"\#(id)","key":"city","to":"City/2","removing":false}"#)
            saved = try Self.saved(try await page.post("/api/save", "{}"))
            #expect(saved.problems.isEmpty && !saved.state.isEdited)
            let count = try await page.read(
                "/api/count?entity=Person&of=City/2&relationship=people", as: Answers.Count.self)
            #expect(count.count == 66)
            let wrong = try await page.post(
                "/api/link", #"{"id":"Person/1","key":"city","to":"Person/2","removing":false}"#)
            #expect(try Self.failure(wrong).field == "city")
        }
    }

    @Test("A saved object has a permanent identifier in place of the temporary one")
    func aSavedObjectSaysWhatItIsCalled() async throws {
        let store = try TestStore()
        try await TestPage.with(store.url, canWrite: true) { page in
            let added = try Self.changes(try await page.post("/api/add", #"{"entity":"City"}"#))
            let id = try #require(added.added)
            #expect(id.hasPrefix("City/-"))
            let set = #"{"id":"\#(id)","key":"name","text":"Bonn"}"#
            #expect(try Self.changes(try await page.post("/api/set", set)).renamed == [:])
            let saved = try Self.saved(try await page.post("/api/save", "{}"))
            #expect(saved.state.renamed == [id: "City/3"])
            #expect(try await page.get("/api/object?id=\(id)").status == .notFound)
            let object = try await page.read("/api/object?id=City/3", as: Answers.Object.self)
            #expect(object.fields.first { $0.name == "name" }?.value.text == "Bonn")
        }
    }

    /// Changes an object as another program does.
    private static func change(_ key: String, to value: Any?, ofPerson number: Int64, in url: URL) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: TestStore.model)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url,
            options: [NSPersistentHistoryTrackingKey: true])
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
            request.predicate = NSPredicate(format: "name == %@", "person \(number - 1)")
            for object in try context.fetch(request) {
                if key.isEmpty { context.delete(object) } else { object.setValue(value, forKey: key) }
            }
            try context.save()
        }
        try coordinator.remove(store)
    }

    @Test(
        "An object that another program changed meanwhile is a conflict until discarded",
        arguments: [false, true])
    func objectsChangedByOthersAreNotOverwritten(isDeleted: Bool) async throws {
        let store = try TestStore()
        let url = store.url
        try await TestPage.with(url, canWrite: true) { page in
            func text(_ name: String) async throws -> String? {
                try await page.read("/api/object?id=Person/1", as: Answers.Object.self)
                    .fields.first { $0.name == name }?.value.text
            }
            let set = #"{"id":"Person/1","key":"age","text":"50"}"#
            #expect(try await page.post("/api/set", set).status == .ok)
            try Self.change(isDeleted ? "" : "age", to: NSNumber(value: 60), ofPerson: 1, in: url)
            // However often it is tried.
            for _ in 0..<2 {
                let refused = try await page.post("/api/save", "{}")
                #expect(refused.status == .conflict)
                #expect(try Self.failure(refused).code == "conflict")
            }
            let state = try Self.changes(try await page.post("/api/discard", "{}"))
            #expect(!state.isEdited && !state.canUndo && !state.canRedo)
            if isDeleted {
                #expect(try await page.get("/api/object?id=Person/1").status == .notFound)
                return
            }
            #expect(try await text("age") == "60")
            #expect(try await page.post("/api/set", set).status == .ok)
            #expect(try Self.saved(try await page.post("/api/save", "{}")).problems.isEmpty)
            #expect(try await text("age") == "50")
        }
        withExtendedLifetime(store) {}
    }

    @Test("A deleted object is removed when the change is saved")
    func anObjectIsDeletedWhenThatIsSaved() async throws {
        let store = try TestStore()
        try await TestPage.with(store.url, canWrite: true) { page in
            _ = try await page.post("/api/delete", #"{"ids":["Person/1"]}"#)
            let rows = try await page.read("/api/rows?entity=Person&limit=5", as: Answers.Page.self)
            #expect(rows.rows.first?.id == "Person/1" && rows.rows.first?.state == "deleted")
            #expect(try Self.saved(try await page.post("/api/save", "{}")).problems.isEmpty)
            let gone = try await page.get("/api/object?id=Person/1")
            #expect(gone.status == .notFound)
        }
    }
}

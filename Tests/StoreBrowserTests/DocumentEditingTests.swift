import CoreData
import Foundation
import HummingbirdTesting
import StoreBrowser
import StoreTools
import Testing

/// Changes of XML and binary stores, which are saved as whole files.
@Suite struct DocumentEditingTests {
    private static let types = [NSXMLStoreType, NSBinaryStoreType]

    /// What the requests of one test are made by.
    private struct Editor {
        let page: TestPage

        @discardableResult
        func post(_ path: String, _ json: String = "{}") async throws -> Answers.Changes {
            let answer = try await page.post("/api/\(path)", json)
            #expect(answer.status == .ok, "\(path) \(json): \(String(buffer: answer.body))")
            return try JSONDecoder().decode(Answers.Changes.self, from: Data(answer.body.readableBytesView))
        }

        @discardableResult
        func save() async throws -> Answers.Saved {
            let answer = try await page.post("/api/save", "{}")
            try #require(answer.status == .ok, "\(String(buffer: answer.body))")
            return try JSONDecoder().decode(Answers.Saved.self, from: Data(answer.body.readableBytesView))
        }

        func failure(_ path: String) async throws -> Answers.Failure.Content {
            let answer = try await page.post("/api/\(path)", "{}")
            #expect(answer.status.code >= 400)
            return try JSONDecoder().decode(Answers.Failure.self, from: Data(answer.body.readableBytesView))
                .error
        }

        func set(_ id: String, _ key: String, _ text: String?) async throws {
            let value = text.map { #""\#($0)""# } ?? "null"
            try await post("set", #"{"id":"\#(id)","key":"\#(key)","text":\#(value)}"#)
        }

        func link(_ id: String, _ key: String, _ to: String, removing: Bool = false) async throws {
            try await post("link", #"{"id":"\#(id)","key":"\#(key)","to":"\#(to)","removing":\#(removing)}"#)
        }

        /// What a book or the like is called here.
        func id(_ entity: String, _ name: String) async throws -> String {
            let page = try await page.read("/api/rows?entity=\(entity)", as: Answers.Page.self)
            let row = page.rows.first { $0.values.contains { $0.text == name } }
            return try #require(row?.id)
        }

        func links(_ id: String, _ key: String) async throws -> [String?] {
            let object = try await page.read("/api/object?id=\(id)", as: Answers.Object.self)
            return object.relationships.first { $0.name == key }?.links.map(\.label) ?? []
        }

        func isEdited() async throws -> Bool {
            try await page.read("/api/changes", as: Answers.Changes.self).isEdited
        }
    }

    private func edit(
        _ document: TestDocument, _ body: @Sendable (Editor) async throws -> Void
    ) async throws {
        try await TestPage.with(document.url, model: TestDocument.model, canWrite: true) {
            try await body(Editor(page: $0))
        }
    }

    @Test("Values of an XML or binary store are changed, undone and saved to the file", arguments: types)
    func valuesAreChangedUndoneAndSaved(type: String) async throws {
        let document = try TestDocument(type)
        let before = try document.contents()
        let bytes = try Data(contentsOf: document.url)
        let identifier = try StoreMetadata(document.url).values().first { $0.key == NSStoreUUIDKey }?.value
        try await edit(document) { editor in
            let shape = try await editor.page.read("/api/store", as: Answers.Shape.self)
            #expect(shape.canWrite)
            let book = try await editor.id("Book", "Book 2")
            try await editor.set(book, "title", "Changed")
            try await editor.set(book, "price", "12.50")
            _ = try await editor.page.post("/api/data?id=\(book)&key=cover", file: [1, 2, 255])
            try await editor.set(try await editor.id("Book", "Book 3"), "notes", #"[\"a\", \"b\"]"#)
            try await editor.post("undo")
            try await editor.post("redo")
            try await editor.set(try await editor.id("Book", "Book 4"), "title", "taken back")
            try await editor.post("undo")
            #expect(try Data(contentsOf: document.url) == bytes)
            #expect(try await editor.save().problems.isEmpty)
            #expect(try await !editor.isEdited())
        }
        var wanted = before
        wanted["Changed"] = before["Book 2"]
        wanted["Book 2"] = nil
        wanted["Changed"]?.merge(["title": "Changed", "price": "12.5", "cover": "1 2 255"]) { $1 }
        wanted["Book 1"]?["sequel"] = "Changed"
        wanted["Book 3"]?["notes"] = "a, b"
        wanted["Left"]?["books"] = "Book 3, Book 1, Book 4, Changed"
        #expect(try document.contents() == wanted)
        #expect(
            try StoreMetadata(document.url).values().first { $0.key == NSStoreUUIDKey }?.value == identifier)
        #expect(try FileManager.default.contentsOfDirectory(atPath: document.folder.path).count == 1)
    }

    @Test("Objects of an XML or binary store are added, linked, moved and deleted", arguments: types)
    func objectsAreAddedLinkedMovedAndDeleted(type: String) async throws {
        let document = try TestDocument(type)
        try await edit(document) { editor in
            let (left, right) = (try await editor.id("Shelf", "Left"), try await editor.id("Shelf", "Right"))
            let first = try #require(try await editor.post("add", #"{"entity":"Book"}"#).added)
            let second = try #require(try await editor.post("add", #"{"entity":"Book"}"#).added)
            let tag = try #require(try await editor.post("add", #"{"entity":"Tag"}"#).added)
            try await editor.set(first, "title", "First")
            try await editor.set(second, "title", "Second")
            try await editor.set(tag, "name", "new")
            // From the end of which the order is not shown, and from the other one.
            try await editor.link(second, "shelf", right)
            try await editor.link(right, "books", first)
            try await editor.link(first, "tags", tag)
            try await editor.link(tag, "books", try await editor.id("Book", "Book 1"))
            try await editor.link(second, "sequel", first)
            let last = try await editor.id("Book", "Book 2")
            try await editor.post("move", #"{"id":"\#(left)","key":"books","member":"\#(last)","place":0}"#)
            let gone = try await editor.id("Book", "Book 4")
            try await editor.post("delete", #"{"ids":["\#(gone)"]}"#)
            let saved = try await editor.save()
            #expect(
                saved.problems.isEmpty
                    && Set(saved.state.renamed?.keys.map { $0 } ?? []) == [first, second, tag])
            // Numbers are those of the file, where no two objects have the same.
            let numbers = saved.state.renamed?.values.compactMap {
                $0.split(separator: "/").last.flatMap { Int($0) }
            }
            let others = try await [("Shelf", "Left"), ("Book", "Book 5"), ("Tag", "old")].asyncMap {
                try await editor.id($0.0, $0.1)
            }
            #expect(Set(numbers ?? []).count == 3)
            #expect(
                Set(numbers ?? []).isDisjoint(with: others.compactMap { Int($0.split(separator: "/")[1]) }))
            // What is shown is what the file has.
            #expect(try await editor.links(left, "books") == ["Book 2", "Book 3", "Book 1"])
            #expect(try await editor.links(right, "books") == ["Book 5", "Second", "First"])
            try await editor.set(try await editor.id("Book", "First"), "price", "3")
            try await editor.save()
        }
        let contents = try document.contents()
        #expect(contents["Left"]?["books"] == "Book 2, Book 3, Book 1")
        #expect(contents["Right"]?["books"] == "Book 5, Second, First")
        #expect(contents["new"]?["books"] == "Book 1, First")
        #expect(contents["Second"]?["sequel"] == "First" && contents["First"]?["shelf"] == "Right")
        #expect(contents["First"]?["price"] == "3" && contents["Book 4"] == nil && contents.count == 10)
    }

    @Test("A saved deletion of an object and its cascade is undone", arguments: types)
    func theDeletionOfAnObjectIsTakenBackAfterItWasSaved(type: String) async throws {
        let document = try TestDocument(type)
        let before = try document.contents()
        try await edit(document) { editor in
            let shelf = try await editor.id("Shelf", "Left")
            try await editor.post("delete", #"{"ids":["\#(shelf)"]}"#)
            try await editor.save()
            // Its books went with it.
            #expect(try document.contents().count == 3)
            try await editor.post("undo")
            #expect(try await editor.save().problems.isEmpty)
            // What comes back has a number of its own.
            #expect(try await editor.id("Shelf", "Left") != shelf)
        }
        #expect(try document.contents() == before)
    }

    @Test("Invalid objects are not saved, and the problem names object and field", arguments: types)
    func invalidObjectsAreNotSaved(type: String) async throws {
        let document = try TestDocument(type)
        let bytes = try Data(contentsOf: document.url)
        try await edit(document) { editor in
            let new = try #require(try await editor.post("add", #"{"entity":"Book"}"#).added)
            for _ in 0..<2 {
                let problems = try await editor.save().problems
                #expect(problems.map(\.object) == [new] && problems.map(\.field) == ["title"])
            }
            #expect(try Data(contentsOf: document.url) == bytes)
            try await editor.set(new, "title", "Allowed")
            #expect(try await editor.save().problems.isEmpty)
        }
        #expect(try document.contents()["Allowed"]?["shelf"] == "none")
    }

    @Test("A file that another program wrote meanwhile is not overwritten", arguments: types)
    func filesWrittenByOthersAreNotOverwritten(type: String) async throws {
        let document = try TestDocument(type)
        try await edit(document) { editor in
            let book = try await editor.id("Book", "Book 1")
            try await editor.set(book, "title", "Mine")
            try document.change { context in
                for book in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))
                where book.value(forKey: "title") as? String == "Book 5" {
                    book.setValue("Theirs", forKey: "title")
                }
            }
            let theirs = try Data(contentsOf: document.url)
            for _ in 0..<2 {
                let failure = try await editor.failure("save")
                #expect(failure.code == "conflict" && failure.message.contains("changed the file"))
                #expect(try await editor.isEdited())
            }
            #expect(try Data(contentsOf: document.url) == theirs)
            let state = try await editor.post("discard")
            #expect(!state.isEdited && !state.canUndo)
            _ = try await editor.id("Book", "Theirs")
            try await editor.set(try await editor.id("Book", "Book 1"), "title", "Mine after all")
            #expect(try await editor.save().problems.isEmpty)
        }
        let contents = try document.contents()
        #expect(contents["Theirs"]?["shelf"] == "Right" && contents["Mine after all"]?["sequel"] == "Book 2")
    }

    @Test("A missing or damaged file does not lose unsaved changes", arguments: types)
    func aMissingOrDamagedFileKeepsUnsavedChanges(type: String) async throws {
        let document = try TestDocument(type)
        let bytes = try Data(contentsOf: document.url)
        try await edit(document) { editor in
            try await editor.set(try await editor.id("Book", "Book 1"), "title", "Mine")
            try FileManager.default.removeItem(at: document.url)
            #expect(try await editor.failure("save").code == "store")
            #expect(!FileManager.default.fileExists(atPath: document.url.path))
            try Data("nothing".utf8).write(to: document.url)
            #expect(try await editor.failure("save").message.isEmpty == false)
            // It cannot be read anew either: nothing is discarded.
            _ = try await editor.failure("discard")
            #expect(try await editor.isEdited())
            #expect(try Data(contentsOf: document.url) == Data("nothing".utf8))
            try bytes.write(to: document.url)
            #expect(try await editor.save().problems.isEmpty)
        }
        #expect(try document.contents()["Mine"]?["sequel"] == "Book 2")
    }

    @Test("A book that does not refer to its shelf is not deleted with it")
    func oneSidedLinksAndDeletion() async throws {
        let document = try TestDocument(NSXMLStoreType)
        let text = try String(contentsOf: document.url, encoding: .utf8)
        // One book does not know its shelf any more, which knows it.
        let place = try #require(
            text.range(of: #"<relationship name="shelf"[^>]*idrefs="[^"]+""#, options: .regularExpression))
        let cut = text[place].replacing(#/ idrefs="[^"]+"/#, with: "")
        try text.replacingCharacters(in: place, with: cut).write(
            to: document.url, atomically: true, encoding: .utf8)
        try await edit(document) { editor in
            for name in ["Left", "Right"] {
                let shelf = try await editor.id("Shelf", name)
                try await editor.post("delete", #"{"ids":["\#(shelf)"]}"#)
            }
            #expect(try await editor.save().problems.isEmpty)
        }
        let left = try document.contents()
        #expect(left.count == 2)
        #expect(left.values.compactMap { $0["shelf"] } == ["none"])
    }

    /// One end of a link between many and many, of which the file has the other end alone, stays as it is.
    @Test("A one-sided link of a many-to-many relationship stays", arguments: ["BOOK", "TAG"])
    func oneSidedLinksStay(entity: String) async throws {
        let document = try TestDocument(NSXMLStoreType)
        let text = try String(contentsOf: document.url, encoding: .utf8)
        let object = try #require(
            text.range(of: #"(?s)<object type="\#(entity)".*?</object>"#, options: .regularExpression))
        let key = entity == "TAG" ? "books" : "tags"
        let link = try #require(
            text.range(
                of: #"<relationship name="\#(key)"[^>]*idrefs="[^"]+""#, options: .regularExpression,
                range: object.lowerBound..<text.endIndex))
        let cut = text[link].replacing(#/ idrefs="[^"]+"/#, with: "")
        try text.replacingCharacters(in: link, with: cut).write(
            to: document.url, atomically: true, encoding: .utf8)
        let before = try document.contents()
        try await edit(document) { editor in
            let tag = try await editor.id("Tag", "old")
            try await editor.link(tag, "books", try await editor.id("Book", "Book 2"))
            #expect(try await editor.save().problems.isEmpty)
        }
        var wanted = before
        wanted["Book 2"]?["tags"] = "old"
        let books = before["old"]?["books"]?.split(separator: ", ").map(String.init) ?? []
        wanted["old"]?["books"] = (books + ["Book 2"]).sorted().joined(separator: ", ")
        #expect(try document.contents() == wanted)
    }

    @Test("Without a model an XML or binary store is opened for reading only", arguments: types)
    func withoutAModelItIsOnlyRead(type: String) throws {
        let document = try TestDocument(type)
        let error = #expect(throws: StoreToolError.self) {
            try BrowsedStore(testing: document.url, canWrite: true)
        }
        #expect(error?.description.contains("holds no copy of its model") == true)
        #expect(error?.description.contains("--model") == true)
        try BrowsedStore(testing: document.url).close()
    }
}

extension Sequence where Element: Sendable {
    fileprivate func asyncMap<Value>(_ body: (Element) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await body(element)) }
        return values
    }
}

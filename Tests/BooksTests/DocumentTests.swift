import CoreData
import Testing

@testable import BooksApp

@Suite struct DocumentTests {
    @Test("Derived values change with a save, not before")
    func derivedValuesFollowASaveAndNotBefore() async throws {
        let library = try await TestLibrary()
        try library.add("One,Ada,2001,10.50", "Two,Ada,2002,4.25")
        let document = library.document
        let uuid = try #require(try await library.uuid("One"))
        #expect(try await document.author(named: "Ada")?.totalPrice == Decimal(string: "14.75"))

        _ = try await library.change(uuid) {
            $0[.price] = "20.00"
            $0[.title] = "Ünö"
        }
        #expect(try await document.author(named: "Ada")?.totalPrice == Decimal(string: "14.75"))
        #expect(try await document.book(uuid)?.canonicalTitle == "one")
        #expect(try await document.save() == [])
        #expect(try await document.author(named: "Ada")?.totalPrice == Decimal(string: "24.25"))
        #expect(try await document.book(uuid)?.canonicalTitle == "uno")

        #expect(try await document.delete(uuid))
        #expect(try await document.author(named: "Ada")?.bookCount == 2)
        #expect(try await document.save() == [])
        #expect(try await document.author(named: "Ada")?.bookCount == 1)
        #expect(try await document.author(named: "Ada")?.totalPrice == Decimal(string: "4.25"))
    }

    @Test("A new name of an author reaches the derived names of books with the save")
    func aNewNameOfAnAuthorReachesTheBooksWithTheSave() async throws {
        let library = try await TestLibrary()
        try library.add("One,Ada,2001,1", "Two,Grace,2001,1")
        let uuid = try #require(try await library.uuid("One"))
        #expect(try await library.document.rename("Ada", to: "Grace") != nil)
        #expect(try await library.document.rename("Ada", to: "  ") == "An author needs a name.")
        #expect(try await library.document.rename("Ada", to: "Ada Lovelace") == nil)
        #expect(try await library.document.book(uuid)?.author == "Ada Lovelace")
        #expect(try await library.document.book(uuid)?.authorName == "Ada")
        _ = try await library.document.save()
        #expect(try await library.document.book(uuid)?.authorName == "Ada Lovelace")
    }

    @Test("Deleting an author leaves the books without one, and can be undone")
    func aDeletedAuthorLeavesTheBooks() async throws {
        let library = try await TestLibrary()
        try library.add("One,Ada,2001,1")
        let uuid = try #require(try await library.uuid("One"))
        #expect(try await library.document.deleteAuthor("Ada"))
        #expect(try await library.document.book(uuid)?.author == nil)
        try await library.document.undo()
        #expect(try await library.document.book(uuid)?.author == "Ada")
        #expect(try await library.document.deleteAuthor("Ada"))
        #expect(try await library.document.save() == [])
        #expect(try await library.document.book(uuid)?.authorName == nil)
        #expect(try await library.document.author(named: "Ada") == nil)
    }

    @Test("Undo and redo go through adding, changing and deleting a book")
    func undoAndRedoGoThroughAddingChangingAndDeleting() async throws {
        let library = try await TestLibrary()
        let document = library.document
        var form = BookForm()
        form[.title] = "One"
        form[.author] = "Ada"
        guard case .done(let uuid) = try await document.add(form, dates: DateText()) else {
            Issue.record("The book was not added.")
            return
        }
        _ = try await library.change(uuid) { $0[.title] = "Two" }
        #expect(try await document.delete(uuid))
        #expect(try await library.titles() == [])
        #expect(try await document.unsavedCounts().undoName == "deleting “Two”")
        try await document.undo()
        #expect(try await library.titles() == ["Two"])
        try await document.undo()
        #expect(try await library.titles() == ["One"])
        try await document.undo()
        #expect(try await library.titles() == [])
        #expect(try await document.unsavedCounts().total == 0)
        #expect(try await !document.unsavedCounts().canUndo)
        for titles in [["One"], ["Two"], []] {
            try await document.redo()
            #expect(try await library.titles() == titles)
        }
    }

    @Test("Undo reverts a change that was saved")
    func undoReachesBehindASave() async throws {
        let library = try await TestLibrary()
        try library.add("One,Ada,2001,1")
        let uuid = try #require(try await library.uuid("One"))
        _ = try await library.change(uuid) { $0[.title] = "Two" }
        _ = try await library.document.save()
        #expect(try await library.document.unsavedCounts().total == 0)
        try await library.document.undo()
        #expect(try await library.titles() == ["One"])
        #expect(try await library.document.unsavedCounts().changed == 1)
        #expect(try await library.document.save() == [])
        #expect(try await library.document.book(uuid)?.canonicalTitle == "one")
    }

    @Test("Undo reverts a deletion that was saved")
    func aDeletionCanBeUndoneAfterItWasSaved() async throws {
        let library = try await TestLibrary()
        try library.add("One,Ada,2001,1.50")
        let uuid = try #require(try await library.uuid("One"))
        #expect(try await library.document.delete(uuid))
        #expect(try await library.document.save() == [])
        #expect(try StoredRow.read(uuid, from: library.file) == nil)
        try await library.document.undo()
        #expect(try await library.titles() == ["One"])
        #expect(try await library.document.save() == [])
        let book = try #require(try await library.document.book(uuid))
        #expect(book.author == "Ada" && book.price == Decimal(string: "1.50"))
        #expect(try await library.document.author(named: "Ada")?.bookCount == 1)
    }

    @Test("Discarding changes restores the state of the store")
    func discardingRestoresTheStore() async throws {
        let library = try await TestLibrary()
        try library.add("One,Ada,2001,1", "Two,Ada,2002,1")
        let one = try #require(try await library.uuid("One"))
        let two = try #require(try await library.uuid("Two"))
        _ = try await library.change(one) {
            $0[.title] = "Changed"
            $0[.author] = "Grace"
        }
        #expect(try await library.document.delete(two))
        var form = BookForm()
        form[.title] = "Three"
        _ = try await library.document.add(form, dates: DateText())
        let counts = try await library.document.unsavedCounts()
        #expect(counts.new == 2 && counts.changed == 1 && counts.deleted == 1)
        try await library.document.discard()
        #expect(try await library.titles() == ["Two", "One"])
        #expect(try await library.document.book(one)?.author == "Ada")
        #expect(try await library.document.unsavedCounts() == UnsavedCounts())
    }

    @Test("An invalid form names every problem and changes nothing")
    func invalidForms() async throws {
        let library = try await TestLibrary()
        try library.add("One,Ada,2001,1")
        let uuid = try #require(try await library.uuid("One"))
        let outcome = try await library.change(uuid) {
            $0[.title] = "  "
            $0[.price] = "-1"
            $0[.publishDate] = "2001-02-29"
            $0[.url] = "javascript:alert(1)"
            $0[.tintColor] = "red"
        }
        guard case .invalid(let problems) = outcome else {
            Issue.record("The form was taken.")
            return
        }
        #expect(problems[.title] == "A book needs a title.")
        #expect(problems[.price] == "A price cannot be below zero.")
        #expect(Set(problems.keys) == [.title, .price, .publishDate, .url, .tintColor])
        #expect(try await library.document.unsavedCounts() == UnsavedCounts())
    }

    @Test("A form of an older state of the book is refused")
    func aFormOfAnOlderBookIsNotTaken() async throws {
        let library = try await TestLibrary()
        try library.add("One,Ada,2001,1")
        let uuid = try #require(try await library.uuid("One"))
        let old = try #require(try await library.document.book(uuid))
        _ = try await library.change(uuid) { $0[.title] = "Two" }
        var form = BookForm(old, dates: DateText())
        form[.price] = "3"
        let outcome = try await library.document.change(uuid, form, mark: old.mark, dates: DateText())
        guard case .outdated(let current) = outcome else {
            Issue.record("The older form was taken.")
            return
        }
        #expect(current.title == "Two")
        #expect(try await library.document.book(uuid)?.price == 1)
    }

    @Test("A form that changes nothing leaves the document unchanged")
    func unchangedForm() async throws {
        let library = try await TestLibrary()
        try library.add("One,Ada,2001-05-06,1.50")
        let uuid = try #require(try await library.uuid("One"))
        guard case .done = try await library.change(uuid, { _ in }) else {
            Issue.record("The form was not taken.")
            return
        }
        #expect(try await library.document.unsavedCounts() == UnsavedCounts())
    }

    @Test("Changes saved by another context are seen")
    func changesOfAnotherContext() async throws {
        let library = try await TestLibrary()
        try library.add("One,Ada,2001,1")
        let uuid = try #require(try await library.uuid("One"))
        #expect(try await library.document.book(uuid)?.title == "One")
        try library.add("Two,Ada,2002,1")
        #expect(try await library.titles() == ["Two", "One"])
        #expect(try await library.document.author(named: "Ada")?.bookCount == 2)
    }

    @Test("The store has only saved changes")
    func theStoreKeepsWhatWasSavedOnly() async throws {
        let library = try await TestLibrary()
        try library.add("One,Ada,2001,1")
        let uuid = try #require(try await library.uuid("One"))
        _ = try await library.change(uuid) { $0[.title] = "Saved" }
        _ = try await library.document.save()
        _ = try await library.change(uuid) { $0[.title] = "Not saved" }
        let container = try BooksContainer.load(file: library.file)
        let again = await BooksDocument(container)
        #expect(try await again.book(uuid)?.title == "Saved")
    }
}

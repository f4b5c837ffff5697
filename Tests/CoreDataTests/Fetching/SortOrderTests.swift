import CoreData
import Testing

/// The order of results; the same for saved, unsaved and changed objects.
@Suite struct SortOrderTests {
    enum State: CaseIterable { case saved, unsaved, changed }

    private func check(_ state: State, _ body: (NSManagedObjectContext) throws -> Void) throws {
        try TestStack().inContext { context in
            SampleBooks.fill(context)
            if state != .unsaved { try context.save() }
            if state == .changed {
                for book in try context.fetch(.books("isRead == YES")) {
                    book.setValue(9.0, forKey: "rating")
                }
            }
            try body(context)
        }
    }

    @Test("Results are sorted by one key, ascending or descending", arguments: State.allCases)
    func byOneKey(_ state: State) throws {
        try check(state) { context throws in
            let ascending = ["Été", "L'Œuvre", "EMMA* WAR?", "Persuasion", "Emma", "Germinal"]
            #expect(try context.titles(.books(by: "pages")) == ascending)
            #expect(try context.titles(.books(by: "-pages")) == ascending.reversed())
        }
    }

    @Test("Missing values come first in ascending order", arguments: State.allCases)
    func missingValuesComeFirst(_ state: State) throws {
        try check(state) { context throws in
            let ascending = ["L'Œuvre", "Été", "EMMA* WAR?", "Persuasion", "Emma", "Germinal"]
            #expect(try context.titles(.books(by: "price", "-pages")) == ascending)
            #expect(try context.titles(.books(by: "-price", "pages")) == ascending.reversed())
        }
    }

    @Test("Results are sorted by a related object's attribute", arguments: State.allCases)
    func byARelatedKey(_ state: State) throws {
        try check(state) { context throws in
            #expect(
                try context.titles(.books(by: "author.name", "-title")) == [
                    "Été", "EMMA* WAR?", "Persuasion", "Emma", "L'Œuvre", "Germinal",
                ])
        }
    }

    @Test("Objects with equal keys keep the order of their insertion", arguments: State.allCases)
    func equalsKeepInsertionOrder(_ state: State) throws {
        try check(state) { context throws in
            #expect(
                try context.titles(.books(by: "isRead")) == [
                    "Persuasion", "L'Œuvre", "Été", "EMMA* WAR?", "Emma", "Germinal",
                ])
            #expect(
                try context.titles(.books(by: "-isRead")) == [
                    "Emma", "Germinal", "Persuasion", "L'Œuvre", "Été", "EMMA* WAR?",
                ])
        }
    }

    @Test("Results are sorted by dates and by strings", arguments: State.allCases)
    func datesBooleansAndStrings(_ state: State) throws {
        try check(state) { context throws in
            #expect(
                try context.titles(.books("publishDate != nil", by: "-publishDate")) == [
                    "Germinal", "Persuasion", "Emma",
                ])
            #expect(
                try context.titles(.books(by: "title")) == [
                    "EMMA* WAR?", "Emma", "Germinal", "L'Œuvre", "Persuasion", "Été",
                ])
        }
    }

    @Test("An unsaved change of the sort key moves an object among saved ones")
    func changedKeyMovesAnObject() throws {
        try SampleBooks.stack().inContext { context in
            try context.book("Germinal").pages = 5
            SampleBooks.book("New", 300, nil, nil, context)
            #expect(
                try context.titles(.books(by: "pages")) == [
                    "Été", "L'Œuvre", "Germinal", "EMMA* WAR?", "Persuasion", "New", "Emma",
                ])
        }
    }
}

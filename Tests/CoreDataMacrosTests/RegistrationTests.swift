import CoreDataMacros
import Testing

@Suite struct RegistrationTests {
    @Test("Validators run when the context is saved")
    func validatorsRunAtSave() throws {
        try ShopStack().inContext { context in
            let book = ShopBook(context: context)
            book.title = ""
            #expect(throws: ShopError.untitled) { try context.save() }
            book.title = "  Emma "
            try context.save()
            #expect(book.title == "Emma")
        }
    }

    @Test("Validators of a class and its subclass run")
    func validatorsOfBothClassesRun() throws {
        try ShopStack().inContext { context in
            let novel = ShopNovel(context: context)
            novel.title = " Emma"
            try context.save()
            #expect(novel.title == "Emma")
            #expect(novel.plot == "unknown")
            novel.title = ""
            #expect(throws: ShopError.untitled) { try context.save() }
        }
    }

    @Test("Dependencies of computed properties are registered, also for subclasses")
    func dependenciesAreRegistered() {
        #expect(ShopBook.keyPathsForValuesAffectingValue(forKey: "publishMonthID") == ["publishDate"])
        #expect(ShopBook.keyPathsForValuesAffectingValue(forKey: "headline") == ["title", "pageCount"])
        #expect(ShopBook.keyPathsForValuesAffectingValue(forKey: "title").isEmpty)
        #expect(ShopNovel.keyPathsForValuesAffectingValue(forKey: "headline") == ["title", "pageCount"])
        #expect(ShopNovel.keyPathsForValuesAffectingValue(forKey: "mood") == ["genre"])
        #expect(ShopBook.keyPathsForValuesAffectingValue(forKey: "mood").isEmpty)
    }

    @Test("Observers of computed properties are notified")
    func observersOfComputedPropertiesAreNotified() throws {
        try ShopStack().inContext { context in
            let book = ShopBook(context: context)
            var reported: [String] = []
            let headline = book.observe(\.headline, options: [.new]) { _, change in
                reported.append(change.newValue ?? "none")
            }
            let month = book.observe(\.publishMonthID, options: [.new]) { _, change in
                reported.append((change.newValue ?? nil) ?? "none")
            }
            book.title = "Emma"
            book.pageCount = 474
            book.publishDate = Date(timeIntervalSinceReferenceDate: 700_000_000)
            #expect(reported == ["Emma (0)", "Emma (474)", "2023003"])
            headline.invalidate()
            month.invalidate()
        }
    }

    @Test("A subclass has the properties of its superclass first, then its own")
    func subclassesHaveAllTheirSuperclassHas() throws {
        let keys = ShopNovel.managedProperties.map(\.key)
        let inherited = ShopBook.managedProperties.map(\.key)
        #expect(Array(keys.prefix(inherited.count)) == inherited)
        #expect(keys.contains("genre") && keys.contains("mood") && keys.contains("plot"))
        #expect(!inherited.contains("genre"))
        #expect(!inherited.contains("publishDateprimitive"))
        try ShopStack().inContext { context in
            let novel = ShopNovel(context: context)
            novel.genre = .crime
            novel.title = "Dracula"
            #expect(novel.value(forKey: "mood") as? String == "dark")
            #expect(novel.value(forKey: "headline") as? String == "Dracula (0)")
            #expect(novel.value(forKey: "genre") as? Int == 0)
            var reported = 0
            let observation = novel.observe(\.mood) { _, _ in reported += 1 }
            novel.genre = .romance
            #expect(reported == 1)
            observation.invalidate()
        }
    }

    @Test("Key paths of subclasses have names")
    func keyPathsOfSubclassesHaveNames() {
        #expect(NSSortDescriptor(keyPath: \ShopNovel.title, ascending: true).key == "title")
        #expect(NSSortDescriptor(keyPath: \ShopNovel.note, ascending: true).key == "note")
        #expect(NSSortDescriptor(keyPath: \ShopNovel.secondTitle, ascending: true).key == "subtitle")
        #expect(NSSortDescriptor(keyPath: \ShopNovel.publishMonthID, ascending: true).key == "publishMonthID")
        #expect(NSSortDescriptor(keyPath: \ShopNovel.plot, ascending: true).key == "plot")
        #expect(NSSortDescriptor(keyPath: \ShopBook.isbn, ascending: true).key == "isbn")
    }
}

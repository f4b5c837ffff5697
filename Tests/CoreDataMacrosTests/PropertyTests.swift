import CoreDataMacros
import Testing

@Suite struct PropertyTests {
    static let march = Date(timeIntervalSinceReferenceDate: 700_000_000)

    @Test("Values are set, saved and read")
    func valuesAreSetSavedAndRead() throws {
        let stack = try ShopStack()
        try stack.inContext { context in
            let book = ShopBook(context: context)
            book.title = "Emma"
            book.secondTitle = "A Novel"
            book.pageCount = 474
            book.assignISBN("0-19")
            book.price = NSDecimalNumber(string: "9.80")
            book.binding = Binding(material: "linen", isSewn: true)
            book.note = "lent"
            #expect(book.changedValues().count == 7)
            try context.save()
        }
        try stack.inContext { context in
            let book = try #require(try context.fetch(NSFetchRequest<ShopBook>(entityName: "ShopBook")).first)
            #expect(book.title == "Emma")
            #expect(book.value(forKey: "subtitle") as? String == "A Novel")
            #expect(book.secondTitle == "A Novel")
            #expect(book.pageCount == 474)
            #expect(book.isbn == "0-19")
            #expect(book.price == NSDecimalNumber(string: "9.8"))
            #expect(book.binding == Binding(material: "linen", isSewn: true))
            #expect(book.note == "lent")
            #expect(book.author == nil)
            book.binding = nil
            #expect(book.binding == nil)
        }
    }

    @Test("A custom accessor computes a transient value and discards it with its source")
    func aCustomAccessorComputesATransientValue() throws {
        try ShopStack().inContext { context in
            let book = ShopBook(context: context)
            #expect(book.publishMonthID == nil)
            book.publishDate = Self.march
            #expect(book.publishMonthID == "2023003")
            #expect(book.primitivePublishMonthID == "2023003")
            book.publishDate = Self.march.addingTimeInterval(-86_400 * 365)
            #expect(book.primitivePublishMonthID == nil)
            #expect(book.value(forKey: "publishMonthID") as? String == "2022003")
        }
    }

    @Test("A custom accessor fires a fault")
    func aCustomAccessorLoadsAFault() throws {
        try ShopStack().inContext { context in
            let book = ShopBook(context: context)
            book.publishDate = Self.march
            try context.save()
            context.refresh(book, mergeChanges: false)
            #expect(book.isFault)
            #expect(book.publishDate == Self.march)
            context.refresh(book, mergeChanges: false)
            #expect(book.publishMonthID == "2023003")
            #expect(!book.hasChanges)
        }
    }

    @Test("Accessors may use primitive values by key")
    func accessorsWithPrimitiveValuesByNameWork() throws {
        try ShopStack().inContext { context in
            let page = ShopPage(context: context)
            page.number = 3
            #expect(page.caption == "Page 3")
            try context.save()
            #expect(page.lastModified == Self.march)
            page.caption = "Frontispiece"
            #expect(page.changedValues().keys.sorted() == ["caption"])
            try context.save()
            context.refresh(page, mergeChanges: false)
            #expect(page.value(forKey: "caption") as? String == "Frontispiece")
            page.setValue("Title", forKey: "caption")
            #expect(page.committedValues(forKeys: ["caption"])["caption"] as? String == "Frontispiece")
        }
    }

    @Test("Key-value coding calls accessors")
    func keyValueCodingCallsAccessors() throws {
        try ShopStack().inContext { context in
            let book = ShopBook(context: context)
            book.setValue("Emma", forKey: "title")
            book.setValue(Self.march, forKey: "publishDate")
            #expect(book.value(forKey: "headline") as? String == "Emma (0)")
            #expect(book.value(forKey: "publishMonthID") as? String == "2023003")
            book.setValue("lent", forKey: "label")
            #expect(book.value(forKey: "label") as? String == "[lent]")
            #expect(book.value(forKey: "note") as? String == "lent")
        }
    }

    @Test("Setting a primitive value does not count as a change")
    func primitiveValuesAreNotChanges() throws {
        try ShopStack().inContext { context in
            let book = ShopBook(context: context)
            try context.save()
            book.primitivePublishDate = Self.march
            #expect(!book.hasChanges)
            #expect(book.publishDate == Self.march)
        }
    }

    @Test("Sort descriptors accept key paths of managed properties")
    func keyPathsSort() throws {
        let stack = try ShopStack()
        try stack.inContext { context in
            for (title, note) in [("Persuasion", "1"), ("Emma", "3"), ("Sanditon", "2")] {
                let book = ShopBook(context: context)
                book.title = title
                book.note = note
            }
            try context.save()
        }
        try stack.inContext { context in
            let request = NSFetchRequest<ShopBook>(entityName: "ShopBook")
            request.sortDescriptors = [NSSortDescriptor(keyPath: \ShopBook.title, ascending: true)]
            let byTitle = try context.fetch(request).map(\.title)
            #expect(byTitle == ["Emma", "Persuasion", "Sanditon"])
            request.sortDescriptors = [NSSortDescriptor(keyPath: \ShopBook.note, ascending: false)]
            let byNote = try context.fetch(request).map(\.title)
            #expect(byNote == ["Emma", "Sanditon", "Persuasion"])
        }
    }
}

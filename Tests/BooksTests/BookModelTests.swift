import CoreData
import Testing

@testable import BooksApp

/// What Apple's text says of the attributes, sentence by sentence.
@Suite struct BookModelTests {
    @Test("The month identifier is the year times 1000 plus the month")
    func theMonthIsTheYearTimes1000PlusTheMonth() async throws {
        let library = try await TestLibrary()
        try await library.document.perform { context in
            let book = Book(context: context)
            #expect(book.publishMonthID == nil)
            book.publishDate = try DateText().date("1925-04-10")
            #expect(book.publishMonthID == "1925004")
            book.publishDate = try DateText().date("2024-12-31")
            #expect(book.publishMonthID == "2024012")
            book.publishDate = nil
            #expect(book.publishMonthID == nil)
        }
    }

    @Test("The month follows a date that is set by key")
    func theMonthFollowsTheDateByNameToo() async throws {
        let library = try await TestLibrary()
        try await library.document.perform { context in
            let book = Book(context: context)
            book.setValue(try DateText().date("1925-04-10"), forKey: "publishDate")
            #expect(book.value(forKey: "publishMonthID") as? String == "1925004")
        }
    }

    @Test("The month follows undo, redo and rollback")
    func theMonthFollowsUndoAndRollback() async throws {
        let library = try await TestLibrary()
        try library.add("Mrs Dalloway,Virginia Woolf,1925-05-14,9.75")
        let uuid = try #require(try await library.uuid("Mrs Dalloway"))
        let months = { try await library.document.book(uuid)?.publishMonthID }
        #expect(try await months() == "1925005")
        _ = try await library.change(uuid) { $0[.publishDate] = "1926-06-01" }
        #expect(try await months() == "1926006")
        try await library.document.undo()
        #expect(try await months() == "1925005")
        try await library.document.redo()
        #expect(try await months() == "1926006")
        try await library.document.discard()
        #expect(try await months() == "1925005")
    }

    @Test("The month is not stored")
    func theMonthIsNotStored() async throws {
        let library = try await TestLibrary()
        try library.add("Mrs Dalloway,Virginia Woolf,1925-05-14,9.75")
        let uuid = try #require(try await library.uuid("Mrs Dalloway"))
        let row = try #require(try StoredRow.read(uuid, from: library.file))
        #expect(!row.columns.contains { $0.name.contains("MONTH") })
    }

    @Test("Observers of the month are notified when the date changes")
    func observersOfTheMonthHearOfTheDate() async throws {
        let library = try await TestLibrary()
        try await library.document.perform { context in
            let book = Book(context: context)
            nonisolated(unsafe) var seen: [String?] = []
            let observation = book.observe(\.publishMonthID, options: [.new]) { book, _ in
                seen.append(book.publishMonthID)
            }
            book.publishDate = try DateText().date("1925-04-10")
            book.publishDate = try DateText().date("1925-05-10")
            observation.invalidate()
            #expect(seen == ["1925004", "1925005"])
        }
    }

    @Test("The canonical title changes only when the context is saved")
    func theCanonicalTitleChangesOnlyWhenTheContextIsSaved() async throws {
        let library = try await TestLibrary()
        try await library.document.perform { context in
            let book = Book(context: context)
            book.title = "Über die Dörfer"
            #expect(book.canonicalTitle == nil)
            try context.save()
            #expect(book.canonicalTitle == "uber die dorfer")
            book.title = "Éloge"
            #expect(book.canonicalTitle == "uber die dorfer")
            try context.save()
            #expect(book.canonicalTitle == "eloge")
        }
    }

    @Test("A colour is stored as a keyed archive")
    func aColourIsStoredAsItsArchive() async throws {
        let library = try await TestLibrary()
        let color = TintColor(red: 0.25, green: 0.5, blue: 0.75)
        let uuid = try await library.document.perform { context in
            let book = Book(context: context)
            book.title = "Blue"
            book.tintColor = TintColor(red: 0.25, green: 0.5, blue: 0.75)
            try context.save()
            return try #require(book.uuid)
        }
        let row = try #require(try StoredRow.read(uuid, from: library.file))
        let column = try #require(row.columns.first { $0.name == "ZTINTCOLOR" })
        #expect(column.declaredType == "BLOB" && column.storedType == "blob")
        #expect(column.value.hasPrefix("x'62706c6973743030"), "a binary property list")
        let other = library.container.newBackgroundContext()
        try other.performAndWait { () throws in
            #expect(try other.book(uuid)?.tintColor == color)
        }
    }

    @Test("The transformer of colours refuses other classes")
    func theTransformerRefusesOtherClasses() throws {
        let transformer = ColorToDataTransformer()
        #expect(transformer.reverseTransformedValue(NSString(string: "red")) == nil)
        let strings = NSSecureUnarchiveFromDataTransformer()
        let data = try #require(strings.reverseTransformedValue(NSString(string: "red")))
        #expect(transformer.transformedValue(data) == nil)
        #expect(transformer.transformedValue(Data([1, 2, 3])) == nil)
        let color = TintColor(red: 1, green: 0, blue: 0)
        let archive = transformer.reverseTransformedValue(color)
        #expect(transformer.transformedValue(archive) as? TintColor == color)
    }

    @Test("A colour is read from and written as a hexadecimal web colour")
    func coloursAreWrittenAsTheWebWritesThem() {
        #expect(TintColor(hex: "#1a2b3c")?.hex == "#1a2b3c")
        for wrong in ["", "#12345", "1a2b3c4", "#12345g", "#+12345", "#1a2b3c4d"] {
            #expect(TintColor(hex: wrong) == nil)
        }
        #expect(TintColor(title: "Dune").hex == TintColor(title: "Dune").hex)
        #expect(TintColor(title: "Dune") != TintColor(title: "Emma"))
    }

    @Test("A price is a decimal number that is stored exactly")
    func aPriceIsADecimalNumber() async throws {
        let library = try await TestLibrary()
        try await library.document.perform { context in
            let book = Book(context: context)
            book.title = "Cheap"
            book.price = NSDecimalNumber(mantissa: 1999, exponent: -2, isNegative: false)
            #expect(book.price?.description(withLocale: Locale(identifier: "de_DE")) == "19,99")
            #expect(book.price?.description(withLocale: Locale(identifier: "en_US")) == "19.99")
            try context.save()
            #expect(book.price == NSDecimalNumber(string: "19.99"))
        }
    }

    @Test("A date is stored as seconds since 2001")
    func aDateIsStoredAsSecondsSince2001() async throws {
        let library = try await TestLibrary()
        try library.add("One,,2001-01-02,")
        let uuid = try #require(try await library.uuid("One"))
        let row = try #require(try StoredRow.read(uuid, from: library.file))
        // Noon of the second day.
        #expect(row.columns.first { $0.name == "ZPUBLISHDATE" }.flatMap { Double($0.value) } == 129_600)
    }

    @Test("Validation refuses a missing or empty title and a negative price")
    func validationRefusesWhatTheModelForbids() async throws {
        let library = try await TestLibrary()
        try await library.document.perform { context in
            let book = Book(context: context)
            #expect(throws: (any Error).self) { try context.save() }
            book.title = ""
            #expect(throws: (any Error).self) { try context.save() }
            book.title = "x"
            book.price = NSDecimalNumber(string: "-0.01")
            do {
                try context.save()
                Issue.record("A negative price was saved.")
            } catch {
                let error = error as NSError
                #expect(error.code == NSValidationNumberTooSmallError)
                #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "price")
            }
            book.price = .zero
            try context.save()
        }
    }
}

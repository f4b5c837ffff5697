import CoreDataMacros
import Testing

@Suite struct RelationshipTests {
    @Test("Adding to and removing from a relationship keeps the inverse")
    func addingAndRemovingKeepsInverses() throws {
        let stack = try ShopStack()
        try stack.inContext { context in
            let book = ShopBook(context: context)
            let tags = (0..<4).map { _ in ShopTag(context: context) }
            book.addToTags(tags[0])
            book.addToTags(NSSet(array: [tags[1], tags[2]]))
            book.addToTags([tags[3]] as Set)
            #expect(book.tags == Set(tags))
            #expect(tags.allSatisfy { $0.books == [book] })
            book.removeFromTags(tags[0])
            book.removeFromTags(NSSet(object: tags[1]))
            book.removeFromTags([tags[2], tags[0]] as Set)
            #expect(book.tags == [tags[3]])
            #expect(tags[0].books.isEmpty)
            let author = ShopAuthor(context: context)
            author.addToBooks(book)
            #expect(book.author === author)
            try context.save()
        }
        try stack.inContext { context in
            let book = try #require(try context.fetch(NSFetchRequest<ShopBook>(entityName: "ShopBook")).first)
            #expect(book.tags.count == 1)
            #expect(book.author.books == [book])
        }
    }

    @Test("Accessors of an ordered relationship insert, remove and replace in order")
    func orderedRelationshipsKeepTheirOrder() throws {
        let stack = try ShopStack()
        try stack.inContext { context in
            let book = ShopBook(context: context)
            let pages = (0..<8).map { number in
                let page = ShopPage(context: context)
                page.number = number
                return page
            }
            func numbers() -> [Int] { (book.pages?.array as? [ShopPage] ?? []).map(\.number) }
            book.addToPages(pages[0])
            book.addToPages(NSOrderedSet(array: [pages[1], pages[2]]))
            #expect(numbers() == [0, 1, 2])
            book.insertIntoPages(pages[3], at: 1)
            #expect(numbers() == [0, 3, 1, 2])
            book.insertIntoPages(
                [pages[4], pages[5]], at: NSIndexSet(indexesIn: NSRange(location: 1, length: 2)))
            #expect(numbers() == [0, 4, 5, 3, 1, 2])
            book.insertIntoPages([pages[6], pages[7]] as NSArray, at: [0, 7])
            #expect(numbers() == [6, 0, 4, 5, 3, 1, 2, 7])
            #expect(pages.allSatisfy { $0.book === book })
            book.removeFromPages(at: 0)
            book.removeFromPages(pages[7])
            book.removeFromPages(NSOrderedSet(array: [pages[4], pages[5]]))
            book.removeFromPages(at: NSIndexSet(index: 1))
            #expect(numbers() == [0, 1, 2])
            #expect(pages[3...7].allSatisfy { $0.book == nil })
            book.replacePages(at: 1, with: pages[7])
            #expect(numbers() == [0, 7, 2])
            book.replacePages(at: [0, 2], with: [pages[2], pages[0]])
            #expect(numbers() == [2, 7, 0])
            #expect(pages[1].book == nil)
            try context.save()
        }
        try stack.inContext { context in
            let book = try #require(try context.fetch(NSFetchRequest<ShopBook>(entityName: "ShopBook")).first)
            #expect((book.pages?.array as? [ShopPage] ?? []).map(\.number) == [2, 7, 0])
        }
    }
}

import CoreData
import Foundation
import Testing

/// The Swift sets of a to-many relationship, which share memory with it.
@Suite(.onEveryStore) struct MemberSetTests {
    private func withAuthor(_ body: (NSManagedObjectContext, Author, [Book]) throws -> Void) throws {
        let stack = try TestStack()
        let author = try stack.inContext { context in
            let author = Author(context: context)
            for index in 0..<20 {
                let book = Book(context: context)
                book.title = index < 10 ? "0\(index)" : "\(index)"
                book.author = author
            }
            try context.save()
            return author.objectID
        }
        try stack.inContext { context in
            let author = try #require(try context.existingObject(with: author) as? Author)
            let books = author.books.sorted { $0.title ?? "" < $1.title ?? "" }
            #expect(books.count == 20)
            try body(context, author, books)
        }
    }

    @Test("A set that was read keeps its members when the relationship changes, and the other way round")
    func sharedMemory() throws {
        try withAuthor { context, author, books in
            var before = author.books
            books[0].author = nil
            let added = Book(context: context)
            added.title = "added"
            added.author = author
            #expect(before == Set(books))
            #expect(author.books == Set(books.dropFirst() + [added]))
            before.remove(books[1])
            before.insert(added)
            #expect(author.books.contains(books[1]))
            #expect(author.books.count == 20)
            #expect((author.value(forKey: "books") as? Set<Book>) == author.books)
            try context.save()
            #expect(author.books == Set(books.dropFirst() + [added]))
        }
    }

    @Test("The members of another class are left out of a set of a class, and come back as their own")
    func otherClasses() throws {
        try withAuthor { _, author, books in
            let all = ManagedKey<Set<NSManagedObject>>("books")
            let none = ManagedKey<Set<Author>>("books")
            #expect(author[all] == Set(books as [NSManagedObject]))
            #expect(author[none].isEmpty)
            #expect(author.books == Set(books))
            books[3].author = nil
            #expect(author[all].count == 19)
            #expect(author.books.count == 19)
            #expect(author.books.allSatisfy { $0.title != "03" && type(of: $0) == Book.self })
        }
    }

    @Test("The members of a prefetched relationship are those of one that is read")
    func prefetched() throws {
        let stack = try TestStack()
        try stack.inContext { context in
            for number in 0..<5 {
                let author = Author(context: context)
                author.name = "\(number)"
                for index in 0..<(number * 3) {
                    let book = Book(context: context)
                    book.title = "\(number) \(index)"
                    book.author = author
                }
            }
            try context.save()
        }
        func titles(prefetching keyPaths: [String]) throws -> [[String]] {
            try stack.inContext { context in
                let request = NSFetchRequest<Author>(entityName: "Author")
                request.relationshipKeyPathsForPrefetching = keyPaths
                request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
                return try context.fetch(request).map { author in
                    let set = author.value(forKey: "books") as? NSSet
                    #expect(set?.count == author.books.count)
                    return author.books.compactMap(\.title).sorted()
                }
            }
        }
        let read = try titles(prefetching: [])
        #expect(read.map(\.count) == [0, 3, 6, 9, 12])
        #expect(try titles(prefetching: ["books"]) == read)
        #expect(try titles(prefetching: ["books.author"]) == read)
    }
}

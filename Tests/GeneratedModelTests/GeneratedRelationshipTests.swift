import CoreData
import Testing

/// The generated accessors of relationships.
@Suite struct GeneratedRelationshipTests {
    @Test("Generated accessors add to and remove from a relationship and its inverse")
    func objectsAreAddedAndRemoved() throws {
        try Awkward.inContext { context in
            let author = Author(context: context)
            let novels = (0..<3).map { _ in Novel(context: context) }
            author.addToWorks(novels[0])
            #expect(novels[0].author === author)
            author.addToWorks(NSSet(array: [novels[1], novels[2]]))
            #expect(author.works == NSSet(array: novels))
            author.removeFromWorks(novels[0])
            #expect(novels[0].author == nil)
            author.removeFromWorks(NSSet(array: [novels[0], novels[1]]))
            #expect(author.works == NSSet(object: novels[2]))
            author.works = nil
            #expect(novels[2].author == nil)
        }
    }

    @Test("Generated accessors insert, remove and replace in an ordered relationship")
    func placesOfAnOrderedRelationshipChange() throws {
        try Awkward.inContext { context in
            let novel = Novel(context: context)
            let chapters = (0..<6).map { number in
                let chapter = BookChapter(context: context)
                chapter.number = Int16(number)
                return chapter
            }
            func numbers() -> [Int16] {
                (novel.chapters?.array ?? []).compactMap { ($0 as? BookChapter)?.number }
            }
            novel.addToChapters(chapters[0])
            novel.addToChapters(NSOrderedSet(array: [chapters[1], chapters[2]]))
            #expect(numbers() == [0, 1, 2])
            novel.insertIntoChapters(chapters[3], at: 1)
            #expect(numbers() == [0, 3, 1, 2])
            novel.insertIntoChapters([chapters[4], chapters[5]], at: NSIndexSet(indexSet: [0, 2]))
            #expect(numbers() == [4, 0, 5, 3, 1, 2])
            novel.removeFromChapters(at: 0)
            #expect(numbers() == [0, 5, 3, 1, 2])
            novel.removeFromChapters(at: NSIndexSet(indexSet: [0, 1]))
            #expect(numbers() == [3, 1, 2])
            novel.replaceChapters(at: 0, with: chapters[0])
            #expect(numbers() == [0, 1, 2])
            #expect(chapters[3].novel == nil)
            novel.replaceChapters(at: NSIndexSet(indexSet: [1, 2]), with: [chapters[4], chapters[5]])
            #expect(numbers() == [0, 4, 5])
            novel.removeFromChapters(chapters[4])
            novel.removeFromChapters(NSOrderedSet(array: [chapters[5]]))
            #expect(numbers() == [0])
            #expect(chapters[0].novel === novel)
        }
    }

    @Test("The order of a relationship is saved")
    func theOrderIsSaved() throws {
        let stack = try Awkward.container()
        let writing = stack.newBackgroundContext()
        let id = try writing.performAndWait {
            let novel = Novel(context: writing)
            for heading in ["One", "Two", "Three"] {
                let chapter = BookChapter(context: writing)
                chapter.heading = heading
                novel.insertIntoChapters(chapter, at: 0)
            }
            try writing.save()
            return novel.objectID
        }
        let reading = stack.newBackgroundContext()
        try reading.performAndWait {
            let novel = try #require(try reading.existingObject(with: id) as? Novel)
            let headings = novel.chapters?.array.compactMap { ($0 as? BookChapter)?.heading }
            #expect(headings == ["Three", "Two", "One"])
        }
    }
}

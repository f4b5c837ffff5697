import CoreDataOpenCombine
import Testing

/// `objectWillChange` of managed objects.
@Suite struct ObservableObjectTests {
    @Test("The publisher objectWillChange fires before a property changes")
    func firesBeforeAPropertyChanges() throws {
        let context = try Article.context()
        try context.performAndWait {
            let article = Article(context: context)
            article.title = "a"
            try context.save()
            var seen: [String?] = []
            let announced = article.objectWillChange.sink { seen.append(article.title) }
            article.title = "b"
            article.setValue("c", forKey: "title")
            #expect(seen == ["a", "b"])
            article.words = 3
            #expect(seen == ["a", "b", "c"])
            announced.cancel()
            article.title = "d"
            #expect(seen.count == 3)
        }
    }

    @Test("Each object has one publisher objectWillChange")
    func thePublisherIsOneForAnObject() throws {
        let context = try Article.context()
        context.performAndWait {
            let article = Article(context: context)
            #expect(article.objectWillChange === article.objectWillChange)
            #expect(Article(context: context).objectWillChange !== article.objectWillChange)
            let any: any ObservableObject = article
            #expect(any is NSManagedObject)
        }
    }

    @Test("The publisher objectWillChange fires before a rollback")
    func aRollbackFires() throws {
        let context = try Article.context()
        try context.performAndWait {
            let article = Article(context: context)
            article.title = "a"
            try context.save()
            article.title = "b"
            var seen: [String?] = []
            let announced = article.objectWillChange.sink { seen.append(article.title) }
            context.rollback()
            #expect(seen == ["b"] && article.title == "a")
            announced.cancel()
        }
    }
}

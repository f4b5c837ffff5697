import CoreDataOpenCombine
import Testing

/// Publishers of properties, results and saves.
@Suite struct PublisherTests {
    /// Requests values by hand.
    private final class Reader<Input>: Subscriber {
        typealias Failure = Never
        var subscription: (any Subscription)?
        var values: [Input] = []

        func receive(subscription: any Subscription) { self.subscription = subscription }

        func receive(_ input: Input) -> Subscribers.Demand {
            values.append(input)
            return .none
        }

        func receive(completion: Subscribers.Completion<Never>) {}
    }

    @Test("A property publisher sends the current value and every new one")
    func valuesOfAProperty() throws {
        let context = try Article.context()
        context.performAndWait {
            let article = Article(context: context)
            var titles: [String?] = []
            let reading = article.publisher(for: \.title).sink { titles.append($0) }
            article.title = "a"
            article.title = "b"
            #expect(titles == [nil, "a", "b"])
            reading.cancel()
            article.title = "c"
            #expect(titles.count == 3)
            var later: [Int] = []
            let words = article.publisher(for: \.words, options: [.new]).sink { later.append($0) }
            #expect(later == [])
            article.words = 5
            #expect(later == [5])
            words.cancel()
        }
    }

    @Test("A property publisher keeps the newest value until it is requested")
    func theNewestValueWaits() throws {
        let context = try Article.context()
        context.performAndWait {
            let article = Article(context: context)
            let reader = Reader<String?>()
            article.publisher(for: \.title).subscribe(reader)
            article.title = "a"
            article.title = "b"
            #expect(reader.values == [])
            reader.subscription?.request(.max(1))
            #expect(reader.values == ["b"])
            article.title = "c"
            #expect(reader.values == ["b"])
            reader.subscription?.request(.max(2))
            article.title = "d"
            #expect(reader.values == ["b", "c", "d"])
            reader.subscription?.cancel()
            reader.subscription?.request(.unlimited)
            article.title = "e"
            #expect(reader.values.count == 3)
        }
    }

    /// Requests one value after the other, and does something with each.
    private final class Stepper: Subscriber {
        typealias Input = String?
        typealias Failure = Never
        var subscription: (any Subscription)?
        var values: [String?] = []
        var demand = Subscribers.Demand.max(1)
        var body: (String?) -> Void = { _ in }

        func receive(subscription: any Subscription) { self.subscription = subscription }

        func receive(_ input: String?) -> Subscribers.Demand {
            values.append(input)
            body(input)
            return demand
        }

        func receive(completion: Subscribers.Completion<Never>) {}
    }

    @Test("A value set while one is received comes next, the newest of several")
    func valuesSetWhileReceiving() throws {
        let context = try Article.context()
        context.performAndWait {
            let article = Article(context: context)
            let stepper = Stepper()
            article.publisher(for: \.title).subscribe(stepper)
            stepper.body = { if $0 == nil { article.title = "a" } }
            stepper.subscription?.request(.max(1))
            #expect(stepper.values == [nil, "a"])
            // Of what comes while one is received, the newest.
            stepper.body = {
                guard $0 == "b" else { return }
                for title in ["c", "d"] { article.title = title }
            }
            article.title = "b"
            #expect(stepper.values == [nil, "a", "b", "d"])
            article.title = "e"
            stepper.subscription?.request(.max(1))
            #expect(stepper.values == [nil, "a", "b", "d", "e"])
            stepper.subscription?.cancel()
        }
    }

    @Test("A property publisher never sends a value older than one it has sent")
    func aDeliveredValueLeavesNoneThatIsOlder() throws {
        let context = try Article.context()
        context.performAndWait {
            let article = Article(context: context)
            let stepper = Stepper()
            stepper.demand = .none
            article.publisher(for: \.title).subscribe(stepper)
            // Set while no more values are requested, and kept.
            stepper.body = { if $0 == nil { article.title = "a" } }
            stepper.subscription?.request(.max(1))
            #expect(stepper.values == [nil])
            stepper.subscription?.request(.max(2))
            #expect(stepper.values == [nil, "a"])
            article.title = "b"
            #expect(stepper.values == [nil, "a", "b"])
            stepper.subscription?.request(.max(3))
            #expect(stepper.values == [nil, "a", "b"])
            // More values are requested, and the subscription is cancelled, while a value is received.
            stepper.body = { [weak stepper] title in
                if title == "c" {
                    article.title = "d"
                    stepper?.subscription?.request(.unlimited)
                } else if title == "e" {
                    article.title = "f"
                    stepper?.subscription?.cancel()
                }
            }
            article.title = "c"
            #expect(stepper.values == [nil, "a", "b", "c", "d"])
            article.title = "e"
            article.title = "g"
            #expect(stepper.values == [nil, "a", "b", "c", "d", "e", "f"])
        }
    }

    @Test("A results controller publishes snapshots until cancelled")
    func snapshotsOfResults() throws {
        let context = try Article.context()
        try context.performAndWait {
            let first = Article(context: context)
            first.title = "b"
            var counts: [[NSManagedObjectID]] = []
            var following: AnyCancellable?
            do {
                let controller = NSFetchedResultsController(
                    fetchRequest: Article.byTitle, managedObjectContext: context, sectionNameKeyPath: nil,
                    cacheName: nil)
                try controller.performFetch()
                following = controller.snapshots.sink { counts.append($0.itemIdentifiers) }
            }
            let second = Article(context: context)
            second.title = "a"
            context.processPendingChanges()
            context.delete(first)
            context.processPendingChanges()
            let ids = [first.objectID, second.objectID]
            #expect(counts == [[ids[0]], [ids[1], ids[0]], [ids[1]]])
            following?.cancel()
            following = nil
            Article(context: context).title = "c"
            context.processPendingChanges()
            #expect(counts.count == 3)
        }
    }

    @Test("A context publishes the object IDs of its saves only")
    func saves() throws {
        let context = try Article.context()
        let other = try Article.context()
        var saved: [SavedObjectIDs] = []
        let listening = context.saves.sink { saved.append($0) }
        let article = try context.performAndWait {
            let article = Article(context: context)
            article.title = "a"
            try context.save()
            #expect(saved.map(\.inserted) == [[article.objectID]])
            article.title = "b"
            try context.save()
            context.delete(article)
            try context.save()
            return article.objectID
        }
        try other.performAndWait {
            Article(context: other).title = "x"
            try other.save()
        }
        #expect(saved.map(\.updated) == [[], [article], []])
        #expect(saved.map(\.deleted) == [[], [], [article]])
        listening.cancel()
        try context.performAndWait {
            Article(context: context).title = "c"
            try context.save()
        }
        #expect(saved.count == 3)
    }

    @Test("A context publishes its own notifications of a name")
    func notificationsOfAName() throws {
        let context = try Article.context()
        var names: [Notification.Name] = []
        let listening = context.publisher(for: NSManagedObjectContext.didChangeObjectsNotification)
            .sink { names.append($0.name) }
        context.performAndWait { Article(context: context).title = "a" }
        #expect(names == [.NSManagedObjectContextObjectsDidChange])
        listening.cancel()
    }
}

import CoreData
import Testing

/// Properties of classes that the model does not have.
@Suite struct UnmodelledPropertyTests {
    private class Card: NSManagedObject {
        var isOpen = false {
            willSet { willChangeValue(forKey: "isOpen") }
            didSet { didChangeValue(forKey: "isOpen") }
        }
    }

    private final class WatchedCard: Card {
        override class var contextShouldIgnoreUnmodeledPropertyChanges: Bool { false }
    }

    private static func model() -> NSManagedObjectModel {
        .of(
            .make("Card", class: Card.self, [attribute("text", .string)]),
            .make("WatchedCard", class: WatchedCard.self, [attribute("text", .string)]))
    }

    @Test(
        "A class decides whether properties outside of the model mark changes",
        arguments: ["Card", "WatchedCard"])
    func classDecidesAboutChanges(_ entity: String) throws {
        let isWatched = entity == "WatchedCard"
        let folder = try StoreFolder()
        let coordinator = try folder.open(Self.model())
        try coordinator.inContext { context in
            let card = try #require(try context.insert(entity) as? Card)
            try context.save()
            let log = NotificationLog(.NSManagedObjectContextObjectsDidChange, from: context)
            #expect(!card.hasChanges)
            card.isOpen = true
            context.processPendingChanges()
            #expect(card.hasChanges == isWatched && card.isUpdated == isWatched)
            #expect(context.hasChanges == isWatched && log.all.count == (isWatched ? 1 : 0))
            // It is nothing to store.
            #expect(!card.hasPersistentChangedValues && card.changedValues().isEmpty)
            try context.save()
            #expect(!context.hasChanges && card.isOpen)
        }
        #expect(try folder.value("SELECT Z_OPT FROM Z\(entity.uppercased())").description == "1")
    }
}

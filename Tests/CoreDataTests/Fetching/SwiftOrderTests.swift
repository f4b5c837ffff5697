import CoreData
import Testing

/// Orders and conditions that are made of Swift key paths, in every type of store.
@Suite struct SwiftOrderTests {
    private static let kinds = StoreKind.answering

    private static func model() -> NSManagedObjectModel {
        KeyPathNames.register("text", for: \Tag.text)
        KeyPathNames.register("note", for: \Tag.note)
        KeyPathNames.register("number", for: \Tag.number)
        let tag = NSEntityDescription.make(
            "Tag", class: Tag.self,
            [
                attribute("text", .string, optional: false), attribute("note", .string),
                attribute("number", .integer32),
            ])
        return NSManagedObjectModel(of: tag)
    }

    /// Tags, some of which are saved.
    private static func fill(_ context: NSManagedObjectContext, saved: Int) throws {
        for (number, text) in ["f", "e\u{301}", "z", "e"].enumerated() {
            if number == saved { try context.save() }
            try context.insert("Tag", ["text": text, "note": text, "number": number])
        }
        if saved == 4 { try context.save() }
    }

    private func request(_ order: NSSortDescriptor...) -> NSFetchRequest<Tag> {
        let request = NSFetchRequest<Tag>(entityName: "Tag")
        request.sortDescriptors = order
        return request
    }

    /// As a file makes it that does not import the framework.
    private static func foundations<Root, Value: Comparable>(
        _ keyPath: KeyPath<Root, Value>
    ) -> NSSortDescriptor {
        NSSortDescriptor(keyPath: keyPath, ascending: true)
    }

    @Test("Sort descriptors of key paths give the same order saved and unsaved", arguments: kinds, [0, 2, 4])
    func naturalOrder(_ kind: StoreKind, _ saved: Int) throws {
        let store = try ConformanceStore(kind)
        let coordinator = try store.open(Self.model())
        try coordinator.inContext { context throws in
            try Self.fill(context, saved: saved)
            for descriptor in [
                NSSortDescriptor(keyPath: \Tag.text, ascending: true),
                NSSortDescriptor(keyPath: \Tag.note, ascending: true), Self.foundations(\Tag.text),
            ] {
                let found = try context.fetch(request(descriptor)).map(\.text)
                #expect(found == ["e", "e\u{301}", "f", "z"], "\(descriptor)")
            }
            let numbers = try context.fetch(
                request(NSSortDescriptor(keyPath: \Tag.number, ascending: false))
            ).map(\.number)
            #expect(numbers == [3, 2, 1, 0])
        }
    }

    @Test(
        "A closure comparator sorts in stores that run closures and is refused by others", arguments: kinds,
        [0, 2, 4])
    func closures(_ kind: StoreKind, _ saved: Int) throws {
        let store = try ConformanceStore(kind)
        let coordinator = try store.open(Self.model())
        try coordinator.inContext { context in
            try Self.fill(context, saved: saved)
            let backwards = NSSortDescriptor(keyPath: \Tag.text, ascending: true) { left, right in
                (right as? String ?? "").compare(left as? String ?? "", options: .literal)
            }
            guard kind.runsClosures else {
                let refusal = try error { _ = try context.fetch(request(backwards)) }
                #expect(refusal.code == 134060)
                #expect(refusal.localizedDescription.contains("comparators"))
                return
            }
            #expect(
                try context.fetch(request(backwards)).map(\.text) == ["z", "f", "e\u{301}", "e"])
        }
    }

    @Test("A sort descriptor whose key path is not a property is refused", arguments: kinds)
    func keyPathsWithoutNames(_ kind: StoreKind) throws {
        let store = try ConformanceStore(kind)
        let coordinator = try store.open(Self.model())
        try coordinator.inContext { context in
            try Self.fill(context, saved: 4)
            let order = NSSortDescriptor(keyPath: \Tag.text.count, ascending: true)
            let refusal = try error { _ = try context.fetch(request(order)) }
            #expect(refusal.code == 134060)
            #expect(refusal.localizedDescription.contains("needs the name of the property"))
        }
    }

    /// A predicate of Swift's that has no equivalent is refused with the reason.
    @Test("A Swift predicate without an equivalent is refused with its reason", arguments: kinds)
    func conditionsOfSwiftsOwnCode(_ kind: StoreKind) throws {
        let store = try ConformanceStore(kind)
        let coordinator = try store.open(Self.model())
        try coordinator.inContext { context in
            try Self.fill(context, saved: 2)
            try context.insert("Tag", ["text": "ab", "number": 9])
            let tags = try context.fetch(request(NSSortDescriptor(key: "number", ascending: true)))
            let request = request()
            request.predicate = NSPredicate(#Predicate<Tag> { $0.text.first != $0.text.last })
            #expect(tags.filter { request.predicate?.evaluate(with: $0) == true }.map(\.text) == ["ab"])
            let refusal = try error { _ = try context.fetch(request) }
            #expect(refusal.code == 134060)
            #expect(refusal.localizedDescription.contains("characters of a string"))
        }
    }
}

final class Tag: NSManagedObject {
    var text: String { self[ManagedKey<String?>("text")] ?? "" }
    var note: String? { self[ManagedKey<String?>("note")] }
    var number: Int32 { self[ManagedKey<Int32>("number")] }
}

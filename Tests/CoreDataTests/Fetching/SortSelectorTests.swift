import CocoaFoundation
import CoreData
import Testing

/// The selectors of sort descriptors: a SQL store and a sort in memory give one order.
@Suite struct SortSelectorTests {
    static let titles: [String?] = [
        "Part 10", "part 2", nil, "Part 2", "", "Été", "été", "ete", "e\u{301}te\u{301}", "Éte", "zebra",
        "Zebra", "ß",
        "ss", "SS", "co-op", "coop", "co op", "😀", "日本", "İ", "I", "i", "ı", "a\u{0}b", "a\u{0}a", "a", nil,
        "Part 2",
        "ﬁ", "fi", "\u{200D}x", "10", "9", "Ωmega", "ωmega", "ωMEGAς", "_iΩ", "_İ1f",
    ]

    private static func model() -> NSManagedObjectModel {
        let label = NSEntityDescription("Label", attribute("text", .string), attribute("number", .integer32))
        let item = NSEntityDescription("Item", attribute("name", .string))
        pair(item.relate("label", to: label), label.relate("items", to: item, many: true))
        return NSManagedObjectModel(of: label, item)
    }

    private static func request(
        _ selector: StringOrder, ascending: Bool = true, key: String = "text", of entity: String = "Label"
    ) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.sortDescriptors = [
            NSSortDescriptor(key: key, ascending: ascending, selector: Selector(selector.rawValue))
        ]
        return request
    }

    private func numbers(_ objects: [NSManagedObject]) -> [Int] {
        objects.map { $0.value(forKey: "number") as? Int ?? -1 }
    }

    @discardableResult
    private func insertLabels(_ range: Range<Int>, _ context: NSManagedObjectContext) throws
        -> [NSManagedObject]
    {
        var labels: [NSManagedObject] = []
        for number in range {
            let label = try context.insert("Label", ["number": number])
            label.setValue(Self.titles[number], forKey: "text")
            labels.append(label)
            // One by one, so that keys are given in this order.
            try context.obtainPermanentIDs(for: [label])
        }
        return labels
    }

    @Test(
        "A store and a sort in memory give one order for each selector", arguments: StringOrder.allCases,
        [true, false])
    func storeAndMemoryAgree(_ selector: StringOrder, _ ascending: Bool) throws {
        try TestStack(Self.model()).inContext { context in
            let labels = try insertLabels(0..<Self.titles.count, context)
            try context.save()
            let request = Self.request(selector, ascending: ascending)
            let expected = numbers(sorted(labels, by: request.sortDescriptors ?? []))
            #expect(numbers(try context.fetch(request)) == expected)
            for offset in stride(from: 0, to: Self.titles.count, by: 7) {
                request.fetchOffset = offset
                request.fetchLimit = 7
                #expect(numbers(try context.fetch(request)) == Array(expected[offset...].prefix(7)))
            }
        }
    }

    @Test(
        "Unsaved objects are sorted as they are after a save", arguments: StringOrder.allCases, [true, false])
    func unsavedObjectsStandWhereASavePutsThem(_ selector: StringOrder, _ ascending: Bool) throws {
        try TestStack(Self.model()).inContext { context in
            let half = Self.titles.count / 2
            let labels = try insertLabels(0..<half, context)
            try context.save()
            try insertLabels(half..<Self.titles.count, context)
            for index in stride(from: 0, to: half, by: 3) {
                labels[index].setValue(Self.titles[half + index], forKey: "text")
            }
            let request = Self.request(selector, ascending: ascending)
            let unsaved = numbers(try context.fetch(request))
            request.fetchOffset = 5
            request.fetchLimit = 9
            let window = numbers(try context.fetch(request))
            try context.save()
            #expect(numbers(try context.fetch(request)) == window)
            request.fetchOffset = 0
            request.fetchLimit = 0
            #expect(numbers(try context.fetch(request)) == unsaved)
        }
    }

    @Test(
        "Each selector gives its documented order",
        arguments: [
            (StringOrder.compare, ["nil", "Part 10", "Part 2", "part 10", "É", "é"]),
            (.caseInsensitive, ["nil", "part 10", "Part 10", "Part 2", "é", "É"]),
            (.localized, ["nil", "é", "É", "part 10", "Part 10", "Part 2"]),
            (.localizedCaseInsensitive, ["nil", "é", "É", "part 10", "Part 10", "Part 2"]),
            (.localizedStandard, ["nil", "é", "É", "Part 2", "part 10", "Part 10"]),
        ])
    func order(_ selector: StringOrder, _ expected: [String]) throws {
        try TestStack(Self.model()).inContext { context in
            for text in ["é", "É", "part 10", nil, "Part 10", "Part 2"] {
                let label = try context.insert("Label")
                label.setValue(text, forKey: "text")
                try context.obtainPermanentIDs(for: [label])
            }
            try context.save()
            let found = try context.fetch(Self.request(selector)).map {
                $0.value(forKey: "text") as? String ?? "nil"
            }
            #expect(found == expected)
        }
    }

    @Test("Each selector sorts by a related object's string", arguments: StringOrder.allCases)
    func overARelationship(_ selector: StringOrder) throws {
        try TestStack(Self.model()).inContext { context in
            let labels = try insertLabels(0..<Self.titles.count, context)
            var items: [NSManagedObject] = []
            for label in labels {
                let item = try context.insert("Item", ["name": "\(items.count)", "label": label])
                try context.obtainPermanentIDs(for: [item])
                items.append(item)
            }
            try context.save()
            let request = Self.request(selector, key: "label.text", of: "Item")
            let names = { (items: [NSManagedObject]) in items.map { $0.value(forKey: "name") as? String } }
            #expect(
                names(try context.fetch(request)) == names(sorted(items, by: request.sortDescriptors ?? [])))
        }
    }

    /// Objects are in the order of their keys, new ones last.
    @Test(
        "Sorting by a relationship or SELF uses the order of keys, before and after a save",
        arguments: ["label", "SELF"], [true, false])
    func byObjects(_ key: String, _ ascending: Bool) throws {
        try TestStack(Self.model()).inContext { context in
            let labels = try insertLabels(0..<6, context)
            func item(_ name: String, _ label: NSManagedObject?) throws {
                let item = try context.insert("Item", ["name": name])
                item.setValue(label, forKey: "label")
                try context.obtainPermanentIDs(for: [item])
            }
            for (index, number) in [3, 1, 5, 0].enumerated() { try item("\(index)", labels[number]) }
            try item("4", nil)
            try context.save()
            try item("5", labels[4])
            try item("6", labels[2])
            let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
            request.sortDescriptors = [NSSortDescriptor(key: key, ascending: ascending)]
            let found = try context.fetch(request).map { $0.value(forKey: "name") as? String ?? "" }
            let expected =
                key == "SELF" ? ["0", "1", "2", "3", "4", "5", "6"] : ["4", "3", "1", "6", "0", "5", "2"]
            #expect(found == (ascending ? expected : expected.reversed()))
            try context.save()
            #expect(try context.fetch(request).map { $0.value(forKey: "name") as? String ?? "" } == found)
        }
    }

    @Test("Every selector sorts integers by value", arguments: StringOrder.allCases)
    func integersAreInNumericOrder(_ selector: StringOrder) throws {
        try TestStack(Self.model()).inContext { context in
            for number in [10, 9, 100, -1] { _ = try context.insert("Label", ["number": number]) }
            try context.save()
            #expect(
                numbers(try context.fetch(Self.request(selector, key: "number"))) == [-1, 9, 10, 100])
        }
    }

    @Test("Dictionaries are sorted by each selector as objects are", arguments: StringOrder.allCases)
    func dictionaries(_ selector: StringOrder) throws {
        try TestStack(Self.model()).inContext { context in
            for text in ["b", "B", "a 10", "a 9", "C"] { _ = try context.insert("Label", ["text": text]) }
            try context.save()
            let request = NSFetchRequest<NSDictionary>(entityName: "Label")
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = ["text"]
            request.returnsDistinctResults = true
            request.sortDescriptors = Self.request(selector).sortDescriptors
            let found = try context.fetch(request).map { $0["text"] as? String }
            let expected = try context.fetch(Self.request(selector)).map {
                $0.value(forKey: "text") as? String
            }
            // Distinct rows have no order of their own among equals.
            #expect(found.map { $0?.lowercased() } == expected.map { $0?.lowercased() })
            #expect(Set(found) == Set(expected))
        }
    }

    @Test("A SQLite store refuses a comparator")
    func comparatorsNeedMemory() throws {
        try TestStack(Self.model()).inContext { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Label")
            request.sortDescriptors = [
                NSSortDescriptor(key: "text", ascending: true, comparator: { _, _ in .orderedSame })
            ]
            let refusal = try error { _ = try context.fetch(request) }
            #expect(refusal.code == 134060)
            #expect(refusal.localizedDescription.contains("comparator"))
        }
    }
}

import CoreData
import TestSupport
import Testing

/// Random conditions over random strings find the same by the trigram index as by reading all rows, whatever was changed meanwhile.
struct SubstringAgreementTests {
    private static let words =
        RandomTexts.words + [
            "ᾳ", "αι", "ΑΙ", "ẞ", "ŉ", "K", "각", "\u{1100}\u{1161}\u{11A8}", "q\u{323}\u{307}", "\u{FFFD}",
            "\u{378}",
            "Ꭰ", "*", "?", "\\", "\"", "aaa", "AAAA",
        ]

    private func text(_ random: inout RandomTexts) -> String {
        (0..<(1 + random.number(below: 7))).map { _ in
            Self.words[random.number(below: Self.words.count)]
                + RandomTexts.separators[random.number(below: RandomTexts.separators.count)]
        }.joined()
    }

    /// A part of some text, in another form perhaps.
    private func part(_ random: inout RandomTexts) -> String {
        let scalars = Array(text(&random).unicodeScalars)
        let start = random.number(below: scalars.count)
        let count = min(1 + random.number(below: 9), scalars.count - start)
        let part = String(String.UnicodeScalarView(scalars[start..<start + count]))
        switch random.number(below: 6) {
        case 0: return part.uppercased()
        case 1: return part.lowercased()
        case 2: return part.decomposedStringWithCanonicalMapping
        case 3: return part.precomposedStringWithCanonicalMapping
        default: return part
        }
    }

    private func comparison(_ random: inout RandomTexts) -> NSPredicate {
        let type: CoreData.NSComparisonPredicate.Operator = [
            .contains, .contains, .like, .beginsWith, .endsWith,
        ][
            random.number(below: 5)]
        var pattern = part(&random)
        if type == .like {
            let wildcards = ["*", "*", "?", "", "\\"]
            pattern =
                wildcards[random.number(below: 5)] + pattern + wildcards[random.number(below: 5)]
                + part(&random) + wildcards[random.number(below: 5)]
        }
        return CoreData.NSComparisonPredicate(
            leftExpression: CoreData.NSExpression(
                forKeyPath: random.number(below: 3) == 0 ? "note" : "title"),
            rightExpression: CoreData.NSExpression(forConstantValue: pattern), modifier: .direct, type: type,
            options: .init(rawValue: [0, 1, 2, 3, 3, 3, 16, 19, 4, 11][random.number(below: 10)]))
    }

    private func condition(_ random: inout RandomTexts, _ depth: Int = 0) -> NSPredicate {
        let kind = random.number(below: depth < 2 ? 8 : 5)
        guard kind > 4 else { return comparison(&random) }
        let parts = (0..<2).map { _ in condition(&random, depth + 1) }
        switch kind {
        case 5: return NSCompoundPredicate(andPredicateWithSubpredicates: parts)
        case 6: return NSCompoundPredicate(orPredicateWithSubpredicates: parts)
        default: return NSCompoundPredicate(notPredicateWithSubpredicate: parts[0])
        }
    }

    /// Changes some objects, by a save or a batch request.
    private func change(_ context: NSManagedObjectContext, _ random: inout RandomTexts, _ next: inout Int)
        throws
    {
        switch random.number(below: 4) {
        case 0:
            for _ in 0..<10 {
                next += 1
                var values: [String: Any] = ["number": next, "title": text(&random)]
                if random.number(below: 2) == 0 { values["note"] = text(&random) }
                context.add(random.number(below: 3) == 0 ? "Novel" : "Book", values)
            }
            try context.save()
        case 1:
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.predicate = condition(&random)
            for (index, book) in try context.fetch(request).prefix(6).enumerated() {
                if index == 0 { context.delete(book) } else { book.setValue(text(&random), forKey: "title") }
            }
            try context.save()
        case 2:
            let update = NSBatchUpdateRequest(entityName: "Book")
            update.predicate = NSCompoundPredicate(andPredicateWithSubpredicates: [
                condition(&random), NSPredicate(format: "number < %ld", next / 2),
            ])
            update.propertiesToUpdate = ["note": text(&random)]
            try context.execute(update)
        default:
            let objects = (0..<5).map { _ -> [String: Any] in
                next += 1
                return ["number": next, "title": text(&random), "note": text(&random)]
            }
            try context.execute(NSBatchInsertRequest(entityName: "Book", objects: objects))
        }
        context.reset()
    }

    @Test(
        "Random conditions find the same objects as without the index, after any changes",
        .timeLimit(.minutes(40)), arguments: 0..<Fuzzing.rounds(4, long: 8))
    func agreement(_ seed: Int) async throws {
        var random = RandomTexts(seed: UInt64(seed + 77))
        let stack = try SearchStack(.file, SubstringModel.model())
        let other = try stack.other(SubstringModel.model())
        let plain = try stack.other(SubstringModel.model([:]))
        var next = 0
        var used = 0
        for round in 0..<8 {
            for _ in 0..<3 {
                let context = random.number(below: 2) == 0 ? stack.context : other
                try context.run { context throws in try change(context, &random, &next) }
            }
            if round % 2 == 0 { try await stack.coordinator.updateSearchIndexes() }
            if round == 5 { try stack.deleteHistory() }
            for _ in 0..<25 {
                let predicate = condition(&random)
                let expected = try plain.run { try $0.numbers(predicate) }
                for context in [stack.context, other] {
                    let (found, notes) = try context.run {
                        (try $0.numbers(predicate), try $0.notes(predicate))
                    }
                    #expect(found == expected, "\(predicate) \(notes)")
                    if notes.contains("leaves") { used += 1 }
                }
            }
        }
        #expect(used > 20)
    }

    @Test("Unsaved changes, in the context and in its children, are found beside what the index finds")
    func unsaved() async throws {
        var random = RandomTexts(seed: 5)
        let stack = try SearchStack(.file, SubstringModel.model())
        var next = 0
        for _ in 0..<6 {
            try stack.context.run { context throws in try change(context, &random, &next) }
        }
        try await stack.coordinator.updateSearchIndexes()
        try stack.context.run { context throws in
            for book in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book")) {
                if random.number(below: 4) == 0 { book.setValue(text(&random), forKey: "title") }
            }
            for _ in 0..<10 {
                next += 1
                context.add(["number": next, "title": text(&random)])
            }
            let child = NSManagedObjectContext(.privateQueue)
            child.parent = context
            let predicates = (0..<60).map { _ in condition(&random) }
            let found = try predicates.map { try context.numbers($0) }
            let inChild = try child.run { child in try predicates.map { try child.numbers($0) } }
            #expect(found == inChild)
            try context.save()
            let plain = try stack.other(SubstringModel.model([:]))
            #expect(try plain.run { plain in try predicates.map { try plain.numbers($0) } } == found)
        }
    }
}

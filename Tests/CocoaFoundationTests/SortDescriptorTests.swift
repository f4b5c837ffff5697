import CocoaFoundation
import Testing

/// Sort descriptors with keys and the order that they give.
@Suite struct SortDescriptorTests {
    final class Book: NSObject, KeyValueCoding, KeyPathNaming {
        var title: String?
        var pages: Int
        var author: Item?

        init(_ title: String?, _ pages: Int = 0, author: Item? = nil) {
            self.title = title
            self.pages = pages
            self.author = author
        }

        func value(forKey key: String) -> Any? {
            switch key {
            case "title": title
            case "pages": pages
            case "author": author
            default: nil
            }
        }

        func setValue(_ value: Any?, forKey key: String) {}

        static var keyPathNames: [(key: String, keyPath: AnyKeyPath)] {
            [("title", \Book.title), ("pages", \Book.pages)]
        }
    }

    private func titles(_ books: [Book], _ descriptors: NSSortDescriptor...) -> [String?] {
        sorted(books, by: descriptors).map(\.title)
    }

    private func order(_ values: [Any?], _ descriptor: NSSortDescriptor) -> [String] {
        let items = values.map { Item($0.map { ["v": $0] } ?? [:]) }
        return sorted(items, by: [descriptor]).map { $0.value(forKey: "v").map { "\($0)" } ?? "nil" }
    }

    @Test("Without a selector nil comes first, and values are in natural order")
    func naturalOrder() {
        let v = NSSortDescriptor(key: "v", ascending: true)
        #expect(order(["b", nil, "a", "B", "é", "z"], v) == ["nil", "B", "a", "b", "z", "é"])
        #expect(
            order([3, nil, 1.5, Decimal(2), UInt64.max, true], v) == [
                "nil", "true", "1.5", "2", "3", "18446744073709551615",
            ])
        #expect(order([Data([2]), Data([1, 5])], v) == ["2 bytes", "1 bytes"])
        let dates = [Date(timeIntervalSinceReferenceDate: 9), Date(timeIntervalSinceReferenceDate: 1)]
        #expect(order(dates, v) == dates.reversed().map { "\($0)" })
        #expect(
            order([ComparisonPredicateTests.uuid(200), ComparisonPredicateTests.uuid(3)], v).first?.hasPrefix(
                "03") == true)
    }

    @Test("A descending sort reverses the order and puts nil last")
    func descendingReversesAndPutsNilLast() {
        #expect(
            order([1, nil, 3, 2], NSSortDescriptor(key: "v", ascending: false)) == ["3", "2", "1", "nil"])
    }

    @Test("Later descriptors decide ties, and the sort is stable")
    func laterDescriptorsDecideTiesAndOrderIsStable() {
        let books = [Book("b", 1), Book("a", 2), Book("c", 1), Book("d", 2), Book("e", 1)]
        #expect(titles(books, NSSortDescriptor(key: "pages", ascending: true)) == ["b", "c", "e", "a", "d"])
        #expect(
            titles(
                books, NSSortDescriptor(key: "pages", ascending: false),
                NSSortDescriptor(key: "title", ascending: false))
                == ["d", "a", "e", "c", "b"])
        #expect(titles(books) == ["b", "a", "c", "d", "e"])
    }

    @Test("A sort descriptor follows a key path over several objects")
    func keyPathsOfSeveralSteps() {
        let books = [
            Book("x", author: Item(["name": "Zoe"])), Book("y"), Book("z", author: Item(["name": "Ann"])),
        ]
        #expect(titles(books, NSSortDescriptor(key: "author.name", ascending: true)) == ["y", "z", "x"])
        #expect(titles(books, NSSortDescriptor(key: "title.length", ascending: true)) == ["x", "y", "z"])
    }

    @Test(
        "Each supported selector gives its string order",
        arguments: [
            ("compare:", ["B", "a", "part 10", "part 2", "É"]),
            ("caseInsensitiveCompare:", ["a", "B", "part 10", "part 2", "É"]),
            ("localizedStandardCompare:", ["a", "B", "É", "part 2", "part 10"]),
            ("localizedCaseInsensitiveCompare:", ["a", "B", "É", "part 10", "part 2"]),
            ("localizedCompare:", ["a", "B", "É", "part 10", "part 2"]),
        ])
    func selectors(_ selector: String, _ expected: [String]) {
        let descriptor = NSSortDescriptor(
            key: "title", ascending: true, selector: NSSelectorFromString(selector))
        let books = ["part 10", "a", "É", "part 2", "B"].map { Book($0) }
        #expect(titles(books, descriptor) == expected)
        #expect(descriptor.selector == Selector(selector))
        #expect(NSStringFromSelector(Selector(selector)) == selector)
        #expect(descriptor.stringOrder?.rawValue == selector)
    }

    @Test("A comparator decides the order, and is reversed with its descriptor")
    func comparator() {
        let byLength = NSSortDescriptor(key: "title", ascending: true) { left, right in
            let (left, right) = ((left as? String)?.count ?? 0, (right as? String)?.count ?? 0)
            return left == right ? .orderedSame : left < right ? .orderedAscending : .orderedDescending
        }
        #expect(
            titles([Book("ccc"), Book("a"), Book(nil), Book("bb")], byLength) == [nil, "a", "bb", "ccc"])
        #expect(byLength.selector == nil)
        #expect(byLength.key == "title")
        #expect(byLength.compare(Book("a"), to: Book("bb")) == .orderedAscending)
        let reversed = byLength.reversedSortDescriptor as? NSSortDescriptor
        #expect(reversed?.compare(Book("a"), to: Book("bb")) == .orderedDescending)
        #expect(byLength.comparator("a", "bb") == .orderedAscending)
    }

    @Test("A descriptor without a key compares the objects themselves")
    func wholeObjects() {
        let descriptor = NSSortDescriptor(key: nil, ascending: false)
        #expect(sorted([1, 3, 2], by: [descriptor]) == [3, 2, 1])
        #expect(descriptor.key == nil)
    }

    @Test("A sort descriptor made from a Swift key path has its name as key")
    func swiftKeyPaths() {
        let pages = NSSortDescriptor(keyPath: \Book.pages, ascending: false)
        let title: NSSortDescriptor = NSSortDescriptor(keyPath: \Book.title, ascending: true)
        #expect(pages.key == "pages")
        #expect(title.key == "title")
        #expect(title.keyPath == \Book.title)
        #expect(pages.stringOrder == .compare)
        #expect(title.selector == "compare:")
        let books = [Book("b", 1), Book("a", 2), Book(nil, 2)]
        #expect(titles(books, pages, title) == [nil, "a", "b"])
        let unknown = NSSortDescriptor(keyPath: \Book.title?.count, ascending: true)
        #expect(unknown.key == nil)
        #expect(titles([Book("bb"), Book("a")], unknown) == ["a", "bb"])
    }

    /// Foundation's own initialisers, as a file uses them that does not import this module.
    private func foundations<Root, Value: Comparable>(
        _ keyPath: KeyPath<Root, Value>, _ comparator: Comparator? = nil
    ) -> NSSortDescriptor {
        comparator.map { NSSortDescriptor(keyPath: keyPath, ascending: true, comparator: $0) }
            ?? NSSortDescriptor(keyPath: keyPath, ascending: true)
    }

    final class Label: NSObject, KeyPathNaming {
        let text: String
        init(_ text: String) { self.text = text }
        static var keyPathNames: [(key: String, keyPath: AnyKeyPath)] { [("text", \Label.text)] }
    }

    /// Swift's `<` takes the accented letter for one; a store has its code points.
    @Test("Strings sorted by a key path are in code point order")
    func stringsOfKeyPathsAreInCodePointOrder() {
        let labels = ["f", "e\u{301}"].map(Label.init)
        let text = NSSortDescriptor(keyPath: \Label.text, ascending: true)
        #expect(sorted(labels, by: [text]).map(\.text) == ["e\u{301}", "f"])
        #expect(text == NSSortDescriptor(keyPath: \Label.text, ascending: true))
        #expect(text != NSSortDescriptor(keyPath: \Label.text, ascending: false))
        let foreign = foundations(\Label.text)
        #expect(sorted(labels, by: [foreign]).map(\.text) == ["f", "e\u{301}"])
        #expect(sorted(labels, by: [foreign.ofStore]).map(\.text) == ["e\u{301}", "f"])
        #expect(foreign.named.key == "text" && !foreign.named.isUnnamed && foreign.isUnnamed)
        #expect(sorted(labels.reversed(), by: [foreign.named]).map(\.text) == ["e\u{301}", "f"])
        #expect(foundations(\Label.text.count).named.isUnnamed)
    }

    @Test("A comparator of a key path decides the order")
    func comparatorsOfKeyPaths() {
        let backwards = NSSortDescriptor(keyPath: \Label.text, ascending: true) { left, right in
            (right as? String ?? "").compare(left as? String ?? "")
        }
        #expect(sorted(["a", "b"].map(Label.init), by: [backwards]).map(\.text) == ["b", "a"])
        #expect(backwards.stringOrder == nil && backwards.ofStore.stringOrder == nil)
        #expect(backwards.key == "text")
        // Descriptors whose order cannot be distinguished count as in natural order.
        #expect(foundations(\Label.text) { _, _ in .orderedSame }.stringOrder == .compare)
    }

    /// A subclass compares in its own way.
    @Test("A descriptor of a subclass is left as it is")
    func subclassesOfClients() {
        final class Backwards: NSSortDescriptor {
            override func compare(_ object1: Any, to object2: Any) -> ComparisonResult { .orderedDescending }
        }
        let descriptor = Backwards(keyPath: \Int.self, ascending: true) { _, _ in .orderedSame }
        #expect(descriptor.stringOrder == nil && descriptor.selector == nil)
        #expect(descriptor.ofStore === descriptor && descriptor.named === descriptor && descriptor.isUnnamed)
    }

    @Test("A Swift sort descriptor becomes one with the key and order")
    func sortDescriptorsOfSwift() {
        let title = NSSortDescriptor(SortDescriptor(\Book.title, order: .reverse))
        #expect(title.key == "title")
        #expect(!title.ascending)
        #expect(titles([Book("a"), Book("b")], title) == ["b", "a"])
    }

    @Test("Foundation sorts arrays by our descriptors")
    func foundationSorts() {
        let array = [Book("b"), Book("a")] as NSArray
        let found = array.sortedArray(using: [NSSortDescriptor(key: "title", ascending: true)])
        #expect((found as? [Book])?.map(\.title) == ["a", "b"])
    }

    @Test("Sort descriptors are equal by key, direction and selector")
    func equalityAndDescription() {
        let descriptor = NSSortDescriptor(key: "a", ascending: true)
        #expect(descriptor.isEqual(NSSortDescriptor(key: "a", ascending: true)))
        #expect(descriptor.hash == NSSortDescriptor(key: "a", ascending: true).hash)
        #expect(!descriptor.isEqual(NSSortDescriptor(key: "a", ascending: false)))
        #expect(!descriptor.isEqual(NSSortDescriptor(key: "b", ascending: true)))
        #expect(
            !descriptor.isEqual(NSSortDescriptor(key: "a", ascending: true, selector: "localizedCompare:")))
        #expect(descriptor.description == "(a, ascending, compare:)")
        #expect((descriptor.copy() as? NSSortDescriptor)?.isEqual(descriptor) == true)
        descriptor.allowEvaluation()
    }

    @Test("An unsupported selector ends the process and is named")
    func unknownSelectorStopsTheProcess() async throws {
        let result = try #require(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = NSSortDescriptor(key: "a", ascending: true, selector: Selector("myCompare:"))
            })
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(text.contains("Unsupported sort descriptor selector: myCompare:"))
    }
}

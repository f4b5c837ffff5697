import CocoaFoundation
import Testing

/// Reading and writing by key path.
@Suite struct KeyPathCodingTests {
    /// An object that refers to itself by a collection.
    private final class Knot: KeyValueCoding {
        func value(forKey key: String) -> Any? { [self] }
        func setValue(_ value: Any?, forKey key: String) {}
    }

    @Test(
        "A key path over more than 100 collections is refused",
        arguments: [".a", ".@unionOfObjects.a", ".@distinctUnionOfObjects.a"])
    func pathsOverManyCollectionsAreRefused(_ piece: String) throws {
        let path = { "a" + String(repeating: piece, count: $0) }
        #expect(try KeyPathSteps(path(20)).value(of: Knot()) != nil)
        let error = #expect(throws: PredicateEvaluationError.self) {
            try KeyPathSteps(path(40_000)).value(of: Knot())
        }
        #expect(error?.reason == "The key path crosses more than 100 collections.")
    }

    private let library: Item = {
        let emma = Item([
            "title": "Emma", "pages": 474, "price": Decimal(string: "9.99") ?? 0,
            "tags": ["classic", "novel"],
        ])
        let persuasion = Item([
            "title": "Persuasion", "pages": 249, "price": Decimal(string: "7.5") ?? 0, "tags": ["classic"],
        ])
        let draft = Item(["title": "Draft"])
        return Item([
            "name": "City", "address": ["street": ["name": "Main"]], "books": [emma, persuasion, draft],
            "shelf": Set([emma, persuasion]), "numbers": [3, 1, 2, 3], "mixed": [1, 2.5],
            "nested": [[1, 2], [2, 3]],
            "sets": [Set([1, 2]), Set([2])], "empty": [Int](),
            "ordered": NSOrderedSet(array: [emma, persuasion]),
        ])
    }()

    @Test(
        "A key path reads a value, a property of a value, or a collection operator",
        arguments: [
            ("name", "City"), ("address.street.name", "Main"), ("self.name", "City"), ("books.@count", "3"),
            ("numbers.@sum.self", "9"), ("numbers.@sum", "9"), ("numbers.@avg", "2.25"),
            ("numbers.@min", "1"),
            ("numbers.@max", "3"), ("mixed.@sum", "3.5"), ("books.@sum.pages", "723"),
            ("books.pages.@sum", "723"),
            ("books.@avg.pages", "361.5"), ("books.@max.pages", "474"), ("books.@min.title", "Draft"),
            ("books.@sum.price", "17.49"), ("empty.@sum", "0"), ("empty.@avg", "0"), ("empty.@count", "0"),
            ("nested.@count", "2"), ("nested.@sum", "8"), ("nested.@max", "3"), ("name.length", "4"),
            ("name.uppercaseString", "CITY"), ("name.lowercaseString", "city"), ("name.self.length", "4"),
            ("shelf.@sum.pages", "723"), ("shelf.@count", "2"),
        ])
    func scalar(_ path: String, _ expected: String) throws {
        let value = try #require(library.value(forKeyPath: path))
        #expect("\(value)" == expected)
    }

    @Test(
        "A key path over an array gives an array",
        arguments: [
            ("numbers.@distinctUnionOfObjects.self", "[3, 1, 2]"),
            ("numbers.@unionOfObjects.self", "[3, 1, 2, 3]"),
            ("books.@unionOfObjects.title", "[\"Emma\", \"Persuasion\", \"Draft\"]"),
            ("books.@unionOfObjects.pages", "[474, 249]"), ("nested.@unionOfArrays.self", "[1, 2, 2, 3]"),
            ("nested.@distinctUnionOfArrays.self", "[1, 2, 3]"),
            ("books.title", "[\"Emma\", \"Persuasion\", \"Draft\"]"),
        ])
    func array(_ path: String, _ expected: String) throws {
        let value = try #require(library.value(forKeyPath: path) as? [Any])
        #expect("\(value)" == expected)
    }

    @Test("A key path over an array gives NSNull for missing values")
    func arraysKeepPlacesOfMissingValues() throws {
        let pages = try #require(library.value(forKeyPath: "books.pages") as? [Any])
        #expect(pages.count == 3)
        #expect(pages.last is NSNull)
    }

    @Test("A key path over a set gives a set, and over an ordered set an ordered one")
    func setsStaySets() throws {
        let titles = try #require(library.value(forKeyPath: "shelf.title") as? NSSet)
        #expect(titles.isEqual(NSSet(array: ["Emma", "Persuasion"])))
        let distinct = try #require(library.value(forKeyPath: "sets.@distinctUnionOfSets.self") as? NSSet)
        #expect(distinct.isEqual(NSSet(array: [1, 2])))
        #expect((library.value(forKeyPath: "sets.@unionOfSets.self") as? [Any])?.count == 3)
        let unique = try #require(library.value(forKeyPath: "shelf.@distinctUnionOfObjects.title") as? NSSet)
        #expect(unique.count == 2)
        let ordered = try #require(library.value(forKeyPath: "ordered.title") as? NSOrderedSet)
        #expect(ordered.array as? [String] == ["Emma", "Persuasion"])
    }

    @Test("A missing key and the maximum of an empty collection are nil")
    func missingIsNil() {
        #expect(library.value(forKeyPath: "nothing") == nil)
        #expect(library.value(forKeyPath: "nothing.further.@count") == nil)
        #expect(library.value(forKeyPath: "empty.@max") == nil)
        #expect(library.value(forKeyPath: "empty.@min") == nil)
        #expect(library.value(forKeyPath: "address.none") == nil)
    }

    @Test("A sum over a set adds equal values of its members")
    func equalValuesOfSetsAreAddedUp() {
        let shop = Item(["items": Set([Item(["price": 2]), Item(["price": 2])])])
        #expect(shop.value(forKeyPath: "items.price.@sum") as? Int == 4)
        #expect((shop.value(forKeyPath: "items.price") as? NSSet)?.count == 1)
    }

    @Test("A key path reads properties of dates, URLs, data, strings, UUIDs and numbers")
    func propertiesOfFoundationsValues() throws {
        let date = Date(timeIntervalSinceReferenceDate: 5)
        let object: [String: Any] = [
            "date": date, "url": URL(string: "https://swift.org/blog/a.html?q=1") as Any,
            "data": Data([1, 2]), "text": "12.5x",
            "uuid": ComparisonPredicateTests.uuid(1), "number": 3.75,
        ]
        for (path, expected) in [
            ("date.timeIntervalSinceReferenceDate", "5.0"), ("date.timeIntervalSince1970", "978307205.0"),
            ("url.host", "swift.org"), ("url.path", "/blog/a.html"), ("url.scheme", "https"),
            ("url.query", "q=1"),
            ("url.lastPathComponent", "a.html"), ("url.pathExtension", "html"),
            ("url.absoluteString", "https://swift.org/blog/a.html?q=1"), ("data.length", "2"),
            ("text.doubleValue", "12.5"),
            ("text.integerValue", "12"), ("text.boolValue", "true"), ("text.capitalizedString", "12.5X"),
            ("uuid.UUIDString", "01000000-0000-0000-0000-000000000000"), ("number.integerValue", "3"),
            ("number.stringValue", "3.75"), ("number.boolValue", "true"), ("number.doubleValue", "3.75"),
        ] {
            let value = try #require(try KeyPathSteps(path).value(of: object), "\(path)")
            #expect("\(value)" == expected)
        }
        #expect(try KeyPathSteps("url.fragment").value(of: object) == nil)
        #expect(throws: PredicateEvaluationError.self) { try KeyPathSteps("text.foo").value(of: object) }
        #expect(throws: PredicateEvaluationError.self) { try KeyPathSteps("text.@count").value(of: object) }
    }

    @Test("A key path writes to objects, dictionaries and elements of arrays")
    func writing() {
        let author = Item(["name": "Jane"])
        let book = Item(["author": author, "info": NSMutableDictionary(), "others": [Item(), Item()]])
        book.setValue("Emma", forKeyPath: "title")
        book.setValue("Austen", forKeyPath: "author.name")
        book.setValue(3, forKeyPath: "info.count")
        book.setValue(1, forKeyPath: "others.rank")
        book.setValue(1, forKeyPath: "missing.rank")
        #expect(book.value(forKey: "title") as? String == "Emma")
        #expect(author.value(forKey: "name") as? String == "Austen")
        #expect(book.value(forKeyPath: "info.count") as? Int == 3)
        #expect(book.value(forKeyPath: "others.rank") as? [Int] == [1, 1])
        book.setValue(NSNull(), forKeyPath: "info.note")
        let info = book.value(forKey: "info") as? NSMutableDictionary
        #expect(info?["note"] is NSNull)
        book.setValue(nil, forKeyPath: "info.note")
        #expect(info?.count == 1)
        book.setValue(nil, forKeyPath: "author.name")
        #expect(author.value(forKey: "name") == nil)
    }

    @Test("Several keys are read with NSNull for missing values, and written")
    func severalKeys() {
        let item = Item(["a": 1])
        let values = item.dictionaryWithValues(forKeys: ["a", "b"])
        #expect(values["a"] as? Int == 1)
        #expect(values["b"] is NSNull)
        item.setValuesForKeys(["a": NSNull(), "b": 2])
        #expect(item.value(forKey: "a") == nil)
        #expect(item.value(forKey: "b") as? Int == 2)
    }

    @Test("An unknown key ends the process when read or written")
    func unknownKeyStopsTheProcess() async {
        await #expect(processExitsWith: .failure) { _ = Item(["a": 1]).value(forKeyPath: "a.b") }
        await #expect(processExitsWith: .failure) { Item(["a": 1]).setValue(1, forKeyPath: "a.b") }
    }
}

/// The names of Swift key paths.
@Suite struct KeyPathNamesTests {
    class Person: KeyPathNaming {
        var name = ""
        var home = Address()
        class var keyPathNames: [(key: String, keyPath: AnyKeyPath)] {
            [("name", \Person.name), ("home", \Person.home)]
        }
    }

    final class Address: KeyPathNaming {
        var street = "Main"
        static var keyPathNames: [(key: String, keyPath: AnyKeyPath)] { [("street", \Address.street)] }
    }

    final class Unknown { var name = "" }

    @Test("A class names its own key paths and those of its subobjects")
    func listsOfClasses() {
        #expect(KeyPathNames.name(of: \Person.name) == "name")
        #expect(KeyPathNames.name(of: \Person.home.street) == "home.street")
        #expect(KeyPathNames.name(of: \Address.street) == "street")
        #expect(KeyPathNames.name(of: \Unknown.name) == nil)
    }

    @Test("A key path is named by registration or by a resolver")
    func registrationAndResolvers() {
        #expect(KeyPathNames.name(of: \Unknown.name.count) == nil)
        KeyPathNames.register("name.length", for: \Unknown.name.count)
        #expect(KeyPathNames.name(of: \Unknown.name.count) == "name.length")
        KeyPathNames.addResolver { $0 == \Unknown.name.isEmpty ? "vacant" : nil }
        #expect(KeyPathNames.name(of: \Unknown.name.isEmpty) == "vacant")
    }

    @Test("A predicate reads an object through its named key paths")
    func objectsAreReadThroughTheirKeyPaths() throws {
        #expect(try holds("home.street == 'Main'", Person()))
        #expect(throws: PredicateEvaluationError.self) { try holds("age == 3", Person()) }
        #expect(NSExpression(forKeyPath: \Person.home.street).keyPath == "home.street")
        #expect(try NSPredicate(parsing: "%K == 1", arguments: [\Person.name]).formatString == "name == 1")
    }

    @Test("A key path without a name ends the process")
    func unknownKeyPathStopsTheProcess() async {
        await #expect(processExitsWith: .failure) { _ = NSExpression(forKeyPath: \Unknown.name) }
    }

    @Test("Many tasks may look up key path names at once")
    func threadsMayAskAtOnce() async {
        await withTaskGroup(of: String?.self) { group in
            for _ in 0..<50 { group.addTask { KeyPathNames.name(of: \Person.name) } }
            for await name in group { #expect(name == "name") }
        }
    }
}

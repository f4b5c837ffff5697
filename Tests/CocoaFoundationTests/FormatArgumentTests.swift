import CocoaFoundation
import Testing

/// What stands for `%` in a format string.
@Suite struct FormatArgumentTests {
    @Test("Values of all types become constants and equal themselves")
    func objectsOfAllKinds() throws {
        let uuid = UUID()
        let date = Date(timeIntervalSinceReferenceDate: 12)
        let url = try #require(URL(string: "https://swift.org"))
        let item = Item()
        let values: [any CVarArg] = [
            "text", 1, Int64(2), UInt8(3), 1.5, Float(2.5), true, uuid, date, url, Data([1]), Decimal(3),
            item,
            NSNumber(value: 4), "text" as NSString, [1, 2], Set([1]), ["a": 1], NSNull(),
        ]
        for value in values {
            let predicate = try #require(NSPredicate(format: "a == %@", value) as? NSComparisonPredicate)
            #expect(predicate.rightExpression.expressionType == .constantValue)
            #expect(predicate.evaluate(with: ["a": value]), "\(value)")
        }
    }

    @Test("The usual spellings of arguments compile and evaluate")
    func usualSpellingsCompile() {
        let (id, start, name) = (UUID(), Date(), "x")
        let object: [String: Any] = ["id": id, "start": start, "name": name, "count": 3, "price": 2.5]
        #expect(NSPredicate(format: "id == %@", id as any CVarArg).evaluate(with: object))
        #expect(
            NSPredicate(format: "start <= %@ AND name = %@", start as NSDate, name).evaluate(with: object))
        #expect(NSPredicate(format: "count == %d AND price > %f", 3, 2.0).evaluate(with: object))
        #expect(NSPredicate(format: "%K == %@", #"name"#, name).evaluate(with: object))
        #expect(NSPredicate(format: "name IN %@", ["x", "y"]).evaluate(with: object))
        #expect(NSPredicate(format: "count == %@", NSNumber(value: 3)).evaluate(with: object))
        #expect(NSPredicate(format: "count BETWEEN %@", [1, 5]).evaluate(with: object))
    }

    @Test("An argument array gives its arguments in order")
    func argumentArray() {
        let predicate = NSPredicate(
            format: "a == %@ AND b == %d AND c == %@", argumentArray: ["x", 2, NSNull()])
        #expect(predicate.formatString == "a == \"x\" AND b == 2 AND c == nil")
        #expect(NSPredicate(format: "a == 1", argumentArray: nil).formatString == "a == 1")
        #expect(NSExpression(format: "%@ + %d", argumentArray: [1, 2]).description == "1 + 2")
    }

    @Test(
        "Every integer specifier takes an integer",
        arguments: [
            "d", "D", "i", "u", "U", "x", "X", "o", "O", "c", "C", "ld", "lld", "lu", "llu", "hd", "hhd",
            "qi",
            "zd", "td", "jd", "5d", "-3d",
        ])
    func integers(_ letters: String) throws {
        #expect(try NSExpression(parsing: "%\(letters)", arguments: [65]).constantValue as? Int == 65)
        #expect(
            try NSExpression(parsing: "%\(letters)", arguments: [NSNumber(value: 65.7)]).constantValue as? Int
                == 65)
    }

    @Test(
        "Every floating-point specifier takes a number",
        arguments: ["f", "F", "e", "E", "g", "G", "a", "A", "lf", "Lf", ".2f", "5.1f"])
    func doubles(_ letters: String) throws {
        #expect(try NSExpression(parsing: "%\(letters)", arguments: [1.5]).constantValue as? Double == 1.5)
        #expect(try NSExpression(parsing: "%\(letters)", arguments: [2]).constantValue as? Double == 2)
    }

    @Test("The specifier for C strings takes a C string")
    func cString() {
        let text = "abc"
        text.withCString { pointer in
            #expect(NSExpression(format: "%s", pointer).constantValue as? String == "abc")
        }
    }

    @Test("Nil and NSNull become nil, and an optional its value")
    func nilAndNull() throws {
        #expect(try NSPredicate(parsing: "a == %@", arguments: [nil]).formatString == "a == nil")
        #expect(try NSPredicate(parsing: "a == %@", arguments: [NSNull()]).formatString == "a == nil")
        let none: Int? = nil
        #expect(try NSPredicate(parsing: "a == %@", arguments: [none as Any]).formatString == "a == nil")
        #expect(try NSPredicate(parsing: "a == %@", arguments: [Optional(3) as Any]).formatString == "a == 3")
    }

    @Test("An expression as an argument becomes part of the predicate")
    func expressionsTakeTheirPlace() throws {
        let sum = NSExpression(forFunction: "sum:", arguments: [NSExpression(forKeyPath: "sizes")])
        #expect(NSPredicate(format: "%@ > 3", sum).formatString == "sum:(sizes) > 3")
        let list = NSPredicate(format: "a IN %@", argumentArray: [[1, NSExpression(forKeyPath: "b")]])
        #expect(list.formatString == "a IN {1, b}")
        #expect(list.evaluate(with: ["a": 7, "b": 7]))
    }

    @Test("A key path argument becomes a key path, quoted where necessary")
    func keyPaths() throws {
        #expect(NSPredicate(format: "%K == 1", "a.b").formatString == "a.b == 1")
        #expect(NSPredicate(format: "ANY %K.%K == 1", "a", "b.c").formatString == "ANY a.b.c == 1")
        #expect(
            NSExpression(format: "SUBQUERY(%K, $x, $x.%K == %@)", "a", "b", 1).description
                == "SUBQUERY(a, $x, $x.b == 1)")
        #expect(NSExpression(format: "%K[0]", "a").description == "a[0]")
        #expect(NSPredicate(format: "%K == 1", "in").formatString == "#in == 1")
        #expect(NSPredicate(format: "a.%K > 1", "@count").formatString == "a.@count > 1")
    }

    @Test(
        "A key path argument injects nothing into the predicate",
        arguments: ["a == 1 OR 1", "a) OR (1", "TRUEPREDICATE", "$x", "a b", "'", "%@", "a.b c.d", "nil"])
    func keyPathsInjectNothing(_ text: String) throws {
        let predicate = try #require(NSPredicate(format: "%K == 7", text) as? NSComparisonPredicate)
        #expect(predicate.leftExpression.expressionType == .keyPath)
        #expect(predicate.leftExpression.keyPath == text)
        let printed = try NSPredicate(parsing: predicate.formatString)
        #expect(printed.isEquivalent(to: predicate), "\(predicate.formatString)")
    }

    @Test("A string argument injects nothing into the predicate")
    func stringsInjectNothing() {
        let evil = "x\" OR TRUEPREDICATE OR \"\\"
        #expect(!NSPredicate(format: "a == %@", evil).evaluate(with: ["a": "y"]))
        #expect(NSPredicate(format: "a == %@", evil).evaluate(with: ["a": evil]))
    }

    @Test("A specifier between quotation marks stays a string")
    func quotedSpecifiersAreText() {
        #expect(NSPredicate(format: "a == '%@' AND b == %@", 1).formatString == "a == \"%@\" AND b == 1")
    }

    @Test("Missing, superfluous and unsuitable arguments are errors that say what is wrong")
    func wrongArguments() throws {
        #expect(formatError("a == %@")?.reason == "There are too few arguments: 0 are given.")
        #expect(formatError("a == %@ AND b == %@", 1)?.reason == "There are too few arguments: 1 is given.")
        #expect(formatError("a == %@ AND b == %@", 1)?.column == 18)
        #expect(formatError("a == 1", 1)?.reason == "There are too many arguments: 1, of which 0 are used.")
        #expect(formatError("%d == 1", "x")?.reason == "%d takes a number, but got a value of type String.")
        #expect(formatError("%f == 1", nil)?.reason == "%f takes a number, but got nil.")
        #expect(
            formatError("%K == 1", 1)?.reason
                == "%K takes a key path as a string, but got a value of type Int.")
        #expect(formatError("%K == 1", "a..b")?.reason == "The key path \"a..b\" has an empty key.")
        #expect(formatError("%K == 1", "")?.reason == "The key path \"\" has an empty key.")
        #expect(formatError("%s == 1", 5)?.reason == "%s takes a C string, but got a value of type Int.")
        #expect(
            formatError("a == %@", NSPredicate(value: true))?.reason.contains("NSCompoundPredicate") == true)
        #expect(formatError("a == %y", 1)?.reason.hasPrefix("There is no such argument") == true)
        #expect(formatError("a == %", 1)?.reason == "A letter is missing after \"%\".")
        #expect(formatError("a == %1$@", 1) != nil)
    }
}

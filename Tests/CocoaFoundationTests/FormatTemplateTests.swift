import CocoaFoundation
import Testing

/// Format strings that are used more than once, with other arguments each time.
@Suite struct FormatTemplateTests {
    @Test("A format string means the same each time")
    func sameMeaning() throws {
        let format = "count == %lld AND (name BEGINSWITH[c] %@ OR NOT %K > %f)"
        for number in 0..<3 {
            let arguments: [Any?] = [Int64(number), "a\(number)", "price", Double(number)]
            let predicate = NSPredicate(
                format: format, Int64(number), "a\(number)", "price", Double(number))
            #expect(predicate == (try NSPredicate(parsing: format, arguments: arguments)))
            #expect(predicate.evaluate(with: ["count": number, "name": "A\(number)", "price": 9]))
            #expect(!predicate.evaluate(with: ["count": number, "name": "b", "price": 9]))
            #expect(!predicate.evaluate(with: ["count": number + 1, "name": "A\(number)", "price": 9]))
        }
    }

    @Test("An argument inside of an expression is that of its own call")
    func insideOfExpressions() {
        for number in 0..<3 {
            let sum = NSPredicate(format: "count + %d == %d", number, number + 4)
            #expect(sum.evaluate(with: ["count": 4]) && !sum.evaluate(with: ["count": 5]))
            let list = NSPredicate(format: "count IN {%d, %d}", number, number + 10)
            #expect(list.evaluate(with: ["count": number]) && !list.evaluate(with: ["count": number + 1]))
        }
    }

    @Test("An expression as an argument stands where the format string has it")
    func expressionsAsArguments() {
        for _ in 0..<2 {
            let itself = NSPredicate(format: "SELF == %@", NSExpression.expressionForEvaluatedObject())
            #expect(itself.evaluate(with: 3) && itself.evaluate(with: 4))
            let three = NSPredicate(format: "SELF == %@", 3)
            #expect(three.evaluate(with: 3) && !three.evaluate(with: 4))
        }
    }

    @Test("Format strings that are equal by Unicode's rules keep their own literals")
    func canonicallyEqualStrings() {
        for literal in ["caf\u{e9}", "cafe\u{301}", "caf\u{e9}"] {
            let predicate = NSPredicate(format: "SELF == '\(literal)'")
            #expect(predicate.description.utf8.elementsEqual("SELF == \"\(literal)\"".utf8))
        }
    }
}

import CocoaFoundation
import Testing

/// Expressions made in code: their parts and their values.
@Suite struct ExpressionTests {
    private let one = NSExpression(forConstantValue: 1)
    private let two = NSExpression(forConstantValue: 2)
    private let name = NSExpression(forKeyPath: "author.name")

    @Test("A constant expression has its value, and NSNull is nil")
    func constant() {
        #expect(one.expressionType == .constantValue)
        #expect(one.constantValue as? Int == 1)
        #expect(NSExpression(forConstantValue: nil).constantValue == nil)
        #expect(NSExpression(forConstantValue: NSNull()).constantValue == nil)
        #expect(one.expressionValue(with: nil, context: nil) as? Int == 1)
    }

    @Test("The evaluated object is the value of SELF")
    func evaluatedObject() {
        let itself = NSExpression.expressionForEvaluatedObject()
        #expect(itself.expressionType == .evaluatedObject)
        #expect(itself.expressionValue(with: 5, context: nil) as? Int == 5)
        #expect(itself.description == "SELF")
    }

    @Test("A variable takes its value from the context")
    func variable() {
        let variable = NSExpression(forVariable: "x")
        #expect(variable.expressionType == .variable)
        #expect(variable.variable == "x")
        #expect(variable.expressionValue(with: nil, context: ["x": 3]) as? Int == 3)
        #expect(variable.expressionValue(with: nil, context: ["x": NSNull()]) == nil)
    }

    @Test("A key path expression has its path, operand and value")
    func keyPath() {
        #expect(name.expressionType == .keyPath)
        #expect(name.keyPath == "author.name")
        #expect(name.operand.expressionType == .evaluatedObject)
        #expect(name.function == "valueForKeyPath:")
        #expect(NSExpression(forKeyPath: "name").function == "valueForKey:")
        #expect(name.arguments?.first?.constantValue as? String == "author.name")
        #expect(name.expressionValue(with: ["author": ["name": "Jane"]], context: nil) as? String == "Jane")
    }

    @Test("A function expression has its name, arguments, operand and value")
    func function() {
        let sum = NSExpression(forFunction: "add:to:", arguments: [one, 2])
        #expect(sum.expressionType == .function)
        #expect(sum.function == "add:to:")
        #expect(sum.arguments?.count == 2)
        #expect(sum.operand.constantValue as? String == "_NSPredicateUtilities")
        #expect(sum.expressionValue(with: nil, context: nil) as? Int == 3)
        let prefix = NSExpression(forFunction: name, selectorName: "hasPrefix:", arguments: ["J"])
        #expect(prefix.operand == name)
        #expect(prefix.expressionValue(with: ["author": ["name": "Jane"]], context: nil) as? Bool == true)
        #expect(
            NSExpression(forFunction: name, selectorName: "length", arguments: nil).arguments?.isEmpty == true
        )
    }

    @Test("Aggregate and set expressions have their parts and values")
    func aggregateAndSets() throws {
        let list = NSExpression(forAggregate: [one, two])
        #expect(list.expressionType == .aggregate)
        #expect((list.collection as? [NSExpression])?.count == 2)
        #expect(list.expressionValue(with: nil, context: nil) as? [Int] == [1, 2])
        let union = NSExpression(forUnionSet: list, with: NSExpression(forAggregate: [two]))
        #expect(union.expressionType == .unionSet)
        #expect(union.left == list)
        #expect(union.right == NSExpression(forAggregate: [two]))
        #expect(NSExpression(forIntersectSet: list, with: list).expressionType == .intersectSet)
        #expect(NSExpression(forMinusSet: list, with: list).expressionType == .minusSet)
        let sets = NSExpression(
            forMinusSet: NSExpression(forConstantValue: Set([1, 2])),
            with: NSExpression(forConstantValue: [2]))
        #expect((sets.expressionValue(with: nil, context: nil) as? NSSet)?.isEqual(NSSet(array: [1])) == true)
    }

    @Test("A subquery has its parts and finds the matching elements")
    func subquery() throws {
        let subquery = NSExpression(
            forSubquery: NSExpression(forKeyPath: "pages"), usingIteratorVariable: "p",
            predicate: NSPredicate(format: "$p.weight > limit AND $p.weight < $most"))
        #expect(subquery.expressionType == .subquery)
        #expect(subquery.variable == "p")
        #expect((subquery.collection as? NSExpression)?.keyPath == "pages")
        #expect(subquery.predicate.formatString == "$p.weight > limit AND $p.weight < $most")
        let object: [String: Any] = ["pages": [["weight": 1], ["weight": 5], ["weight": 9]], "limit": 3]
        let found = subquery.expressionValue(with: object, context: ["most": 7]) as? [[String: Int]]
        #expect(found == [["weight": 5]])
        #expect(subquery.expressionValue(with: ["limit": 3], context: ["most": 7]) as? [Int] == [])
    }

    @Test("A nested subquery sees the outer iterator and may shadow it")
    func nestedSubqueriesSeeOuterIterators() throws {
        let text = "SUBQUERY(a, $x, SUBQUERY(b, $y, $y == $x).@count > 0)"
        #expect(try value(text, ["a": [1, 2, 3], "b": [2, 3, 4]]) as? [Int] == [2, 3])
        let shadowed = "SUBQUERY(a, $x, SUBQUERY(b, $x, $x == 4).@count > 0)"
        #expect(try value(shadowed, ["a": [1], "b": [4]]) as? [Int] == [1])
    }

    @Test("A conditional expression has its parts and evaluates the matching branch")
    func conditional() {
        let conditional = NSExpression(
            forConditional: NSPredicate(format: "a > 1"), trueExpression: one, falseExpression: two)
        #expect(conditional.expressionType == .conditional)
        #expect(conditional.predicate.formatString == "a > 1")
        #expect(conditional.true == one)
        #expect(conditional.false == two)
        #expect(conditional.expressionValue(with: ["a": 2], context: nil) as? Int == 1)
        #expect(conditional.expressionValue(with: ["a": 0], context: nil) as? Int == 2)
    }

    @Test("A block expression is called with the object, arguments and context")
    func block() {
        let block = NSExpression(
            block: { object, arguments, context in
                let factor = arguments.first?.expressionValue(with: object, context: context) as? Int ?? 0
                return (object as? Int ?? 0) * factor + (context?["x"] as? Int ?? 0)
            }, arguments: [two])
        #expect(block.expressionType == .block)
        #expect(block.arguments?.count == 1)
        #expect(block.expressionValue(with: 5, context: ["x": 1]) as? Int == 11)
        #expect(block.expressionBlock(5, [two], nil) as? Int == 10)
        #expect(block == block)
        #expect(block != NSExpression(block: { _, _, _ in 1 }, arguments: nil))
    }

    @Test("An assignment writes its value to the context")
    func assignmentWritesToTheContext() throws {
        let context = NSMutableDictionary()
        let expression = try NSExpression(parsing: "$total := a * 2")
        #expect(expression.expressionType == .variableAssignment)
        #expect(expression.variable == "total")
        #expect(expression.expressionValue(with: ["a": 4], context: context) as? Int == 8)
        #expect(context["total"] as? Int == 8)
    }

    @Test("The any-key expression prints as ANYKEY")
    func anyKey() {
        #expect(NSExpression.expressionForAnyKey().expressionType == .anyKey)
        #expect(NSExpression.expressionForAnyKey().description == "ANYKEY")
    }

    /// An expression of another module's, such as Core Data's for a fetch.
    final class Answer: NSExpression {
        init() { super.init(expressionType: .fetchRequest) }
        required init?(coder: NSCoder) { super.init(coder: coder) }

        override func expressionValue(with object: Any?, context: NSMutableDictionary?) -> Any? {
            context?["x"] ?? [1, 42]
        }

        override var description: String { "ANSWER()" }
    }

    @Test("A predicate uses an expression of a subclass")
    func subclasses() throws {
        let answer = Answer()
        #expect(answer.expressionType == .fetchRequest)
        #expect(answer.expressionType.rawValue == 50)
        #expect(NSPredicate(format: "a IN %@", answer).formatString == "a IN ANSWER()")
        #expect(NSPredicate(format: "a IN %@", answer).evaluate(with: ["a": 42]))
        #expect(
            try NSPredicate(format: "a IN %@", answer).matches(["a": 42], substitutionVariables: ["x": [42]]))
        #expect(answer != Answer())
        #expect(
            NSExpression(expressionType: .evaluatedObject).expressionValue(with: 1, context: nil) as? Int == 1
        )
    }

    @Test("The installed function makes fetch expressions, and its error names the column")
    func fetchExpressionsAreMadeByCoreData() async {
        // In a process of its own, because what is installed stays.
        await #expect(processExitsWith: .success) {
            FetchExpressions.install { request, context, countOnly in
                guard request.description == "a", context.description == "b",
                    countOnly.constantValue as? Bool == false
                else { throw PredicateEvaluationErrorForTests() }
                return Answer()
            }
            let expression = try NSExpression(parsing: "FETCH(a, b, NO)")
            precondition(expression is Answer)
            precondition(formatError("x IN FETCH(a, c, NO)")?.column == 6)
        }
    }

    struct PredicateEvaluationErrorForTests: Error {}

    @Test("An expression with unsuitable values is nil, or throws where errors are reported")
    func unsuitableValuesAreNil() throws {
        let expression = NSExpression(format: "a + 1")
        #expect(expression.expressionValue(with: ["a": "x"], context: nil) == nil)
        #expect(throws: PredicateEvaluationError.self) { try expression.value(with: ["a": "x"]) }
    }

    @Test("Reading a part that an expression lacks ends the process")
    func partsThatAreNotThereStopTheProcess() async {
        await #expect(processExitsWith: .failure) { _ = NSExpression(forConstantValue: 1).keyPath }
        await #expect(processExitsWith: .failure) { _ = NSExpression(forKeyPath: "a").constantValue }
        await #expect(processExitsWith: .failure) {
            _ = NSExpression(forVariable: "x").expressionValue(with: nil, context: nil)
        }
    }

    @Test("Expression types have Apple's raw values")
    func rawValuesAreApples() {
        typealias Kind = NSExpression.ExpressionType
        let types: [(Kind, UInt)] = [
            (.constantValue, 0), (.evaluatedObject, 1), (.variable, 2), (.keyPath, 3), (.function, 4),
            (.unionSet, 5),
            (.intersectSet, 6), (.minusSet, 7), (.subquery, 13), (.aggregate, 14), (.anyKey, 15),
            (.block, 19), (.conditional, 20),
        ]
        for (type, raw) in types { #expect(type.rawValue == raw) }
    }
}

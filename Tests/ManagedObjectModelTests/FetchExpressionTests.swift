import CocoaFoundation
import Testing

@testable import ManagedObjectModel

/// Expressions for the result of a fetch.
struct FetchExpressionTests {
    /// A context that returns the requests that it gets.
    private final class Echo: FetchExpressionContext {
        func result(of request: NSPersistentStoreRequest, countOnly: Bool) throws -> Any? {
            let name = (request as? NSFetchRequest<any NSFetchRequestResult>)?.entityName ?? "?"
            return "\(name) \(countOnly)"
        }
    }

    private let variables = NSMutableDictionary(dictionary: [
        "r": NSFetchRequest<any NSFetchRequestResult>(entityName: "Book"), "c": Echo(),
    ])

    @Test("A fetch expression takes its result from the context")
    func theContextGivesTheValue() throws {
        _ = NSManagedObjectModel()
        let fetch = try NSExpression(parsing: "FETCH($r, $c, NO)")
        #expect(try fetch.value(with: nil, context: variables) as? String == "Book false")
        let count = try NSExpression(parsing: "FETCH($r, $c, YES)")
        #expect(try count.value(with: nil, context: variables) as? String == "Book true")
        let inside = try NSExpression(parsing: "uppercase:(FETCH($r, $c, YES))")
        #expect(try inside.value(with: nil, context: variables) as? String == "BOOK TRUE")
    }

    @Test("A fetch expression is parsed from its own description")
    func theTextIsReadAgain() throws {
        _ = NSManagedObjectModel()
        let fetch = try NSExpression(
            parsing: MappingExpression.sourceInstances(ofEntityNamed: "B").description)
        #expect(fetch == MappingExpression.sourceInstances(ofEntityNamed: "B"))
        #expect(fetch != MappingExpression.sourceInstances(ofEntityNamed: "C"))
        #expect(fetch.expressionType == NSFetchRequestExpressionType)
        #expect(fetch.expressionType.rawValue == 50)
    }

    @Test("A fetch expression survives secure archiving")
    func archivesComeBack() throws {
        _ = NSManagedObjectModel()
        for format in ["FETCH($r, $c, NO)", "FETCH($r, $c, YES)", "FETCH(a.b, $c, NO)"] {
            let predicate = NSPredicate(format: "SELF IN \(format) AND x == 1")
            let data = try NSKeyedArchiver.archivedData(
                withRootObject: predicate, requiringSecureCoding: true)
            let again = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPredicate.self, from: data)
            #expect(again == predicate)
            #expect(again?.formatString == predicate.formatString)
        }
        let fetch = try NSExpression(parsing: "FETCH($r, $c, YES)")
        let data = try NSKeyedArchiver.archivedData(withRootObject: fetch, requiringSecureCoding: true)
        let again = try #require(
            try NSKeyedUnarchiver.unarchivedObject(ofClass: NSExpression.self, from: data)
                as? NSFetchRequestExpression)
        #expect(again.isCountOnlyRequest && again.requestExpression.variable == "r")
        #expect(try again.value(with: nil, context: variables) as? String == "Book true")
    }

    @Test("A fetch expression that holds a request as a constant cannot be archived")
    func aRequestItselfCannotBeArchived() async {
        await #expect(processExitsWith: .failure) {
            let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
            let fetch = NSFetchRequestExpression.expression(
                forFetch: NSExpression(forConstantValue: request), context: NSExpression(forVariable: "c"),
                countOnly: false)
            _ = try NSKeyedArchiver.archivedData(withRootObject: fetch, requiringSecureCoding: true)
        }
    }

    @Test("A fetch expression without a request or a context throws")
    func missingRequestOrContextIsAnError() throws {
        _ = NSManagedObjectModel()
        for format in ["FETCH($c, $c, NO)", "FETCH($r, $r, NO)", "FETCH($r, $none, NO)"] {
            let fetch = try NSExpression(parsing: format)
            #expect(throws: PredicateEvaluationError.self) { try fetch.value(with: nil, context: variables) }
        }
        #expect(throws: PredicateFormatError.self) { try NSExpression(parsing: "FETCH($r, $c, $x)") }
    }
}

import CocoaFoundation
import Testing

@testable import ManagedObjectModel

/// Expressions for the result of a fetch.
struct FetchExpressionTests {
    /// A context that answers with what it was asked.
    private final class Echo: FetchExpressionContext {
        func result(of request: NSPersistentStoreRequest, countOnly: Bool) throws -> Any? {
            let name = (request as? NSFetchRequest<any NSFetchRequestResult>)?.entityName ?? "?"
            return "\(name) \(countOnly)"
        }
    }

    private let variables = NSMutableDictionary(dictionary: [
        "r": NSFetchRequest<any NSFetchRequestResult>(entityName: "Book"), "c": Echo(),
    ])

    @Test func theContextGivesTheValue() throws {
        _ = NSManagedObjectModel()
        let fetch = try NSExpression(parsing: "FETCH($r, $c, NO)")
        #expect(try fetch.value(with: nil, context: variables) as? String == "Book false")
        let count = try NSExpression(parsing: "FETCH($r, $c, YES)")
        #expect(try count.value(with: nil, context: variables) as? String == "Book true")
        let inside = try NSExpression(parsing: "uppercase:(FETCH($r, $c, YES))")
        #expect(try inside.value(with: nil, context: variables) as? String == "BOOK TRUE")
    }

    @Test func theTextIsReadAgain() throws {
        _ = NSManagedObjectModel()
        let fetch = try NSExpression(
            parsing: MappingExpression.sourceInstances(ofEntityNamed: "B").description)
        #expect(fetch == MappingExpression.sourceInstances(ofEntityNamed: "B"))
        #expect(fetch != MappingExpression.sourceInstances(ofEntityNamed: "C"))
        #expect(fetch.expressionType == NSFetchRequestExpressionType)
        #expect(fetch.expressionType.rawValue == 50)
    }

    @Test func whatIsNoRequestOrContextIsAnError() throws {
        _ = NSManagedObjectModel()
        for format in ["FETCH($c, $c, NO)", "FETCH($r, $r, NO)", "FETCH($r, $none, NO)"] {
            let fetch = try NSExpression(parsing: format)
            #expect(throws: PredicateEvaluationError.self) { try fetch.value(with: nil, context: variables) }
        }
        #expect(throws: PredicateFormatError.self) { try NSExpression(parsing: "FETCH($r, $c, $x)") }
    }
}

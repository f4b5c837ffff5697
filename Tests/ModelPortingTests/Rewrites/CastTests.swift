import ModelPorting
import Testing

/// Casts between types of requests, which always succeed on Apple's platforms.
@Suite struct CastTests {
    @Test(
        "A cast between types of requests becomes a call",
        arguments: [
            ("a as! NSFetchRequest<B>", "NSFetchRequest<B>.cast(a)!"),
            ("a as? NSFetchRequest<B>", "NSFetchRequest<B>.cast(a)"),
            ("a is NSFetchRequest<B>", "(NSFetchRequest<B>.cast(a) != nil)"),
            ("a as! NSFetchRequest<B>?", "NSFetchRequest<B>?.cast(a)"),
            ("try c.d() as! NSFetchRequest<B>", "try NSFetchRequest<B>.cast(c.d())!"),
            ("(a as? CoreData.NSFetchRequest<B>)?.c", "(CoreData.NSFetchRequest<B>.cast(a))?.c"),
            ("a as Any as? NSFetchRequest<B>", "NSFetchRequest<B>.cast(a as Any)"),
            ("a ?? b as? NSFetchRequest<B>", "a ?? NSFetchRequest<B>.cast(b)"),
            ("a as? NSFetchedResultsController<B>", "NSFetchedResultsController<B>.cast(a)"),
            (
                "NSBatchDeleteRequest(fetchRequest: a as! NSFetchRequest<NSFetchRequestResult>)",
                "NSBatchDeleteRequest(fetchRequest: NSFetchRequest<NSFetchRequestResult>.cast(a)!)"
            ),
            (
                "(a as! NSFetchRequest<B>) as! NSFetchRequest<C>",
                "NSFetchRequest<C>.cast((NSFetchRequest<B>.cast(a)!))!"
            ),
            ("a as! [NSExpression]", "a as! [CoreData.NSExpression]"),
            ("a as NSFetchRequest<B>", "a as NSFetchRequest<B>"),
        ])
    func castsBecomeCalls(_ source: String, _ ported: String) {
        let expected = ported.replacing("NSFetchRequest<B>?.cast", with: "NSFetchRequest<B>.cast")
        #expect(Ported("let z = \(source) // y").lines == ["let z = \(expected) // y"])
    }

    @Test("A cast to an alias of a request type becomes a call")
    func aliasesAreCastTo() {
        let ported = Ported("typealias R = NSFetchRequest<B>\nlet a = b as! R")
        #expect(ported.lines.last == "let a = R.cast(b)!")
    }

    @Test("A cast over several lines keeps the number of lines")
    func linesStay() {
        #expect(Ported("let a = b\n    as! NSFetchRequest<C>\nlet d = 1").lines.count == 3)
    }

    @Test("A cast to a class of the module with the same name stays")
    func ownClassesAreLeft() {
        let source = "class NSFetchRequest<A> {}; let a = b as! NSFetchRequest<C>"
        #expect(Ported(source).lines == [source])
    }

    @Test(
        "A cast that cannot be rewritten is an error at its column",
        arguments: [
            (
                "let a = b as! [NSFetchRequest<C>]",
                "1:11: error: a cast to a type made of 'NSFetchRequest' always fails"
            ),
            (
                "switch a { case let b as NSFetchRequest<C>: d(b) default: break }",
                "1:23: error: a pattern cannot match a generic request or controller here"
            ),
            (
                "switch a { case is NSFetchRequest<C>: d() default: break }",
                "1:17: error: a pattern cannot match a generic request or controller here"
            ),
        ])
    func theRestIsAnError(_ source: String, _ error: String) {
        let ported = Ported(source)
        #expect(ported.errors.count == 1)
        #expect(ported.errors.first?.hasPrefix("Book.swift:\(error)") == true)
    }
}

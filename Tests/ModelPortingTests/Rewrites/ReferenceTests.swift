import ModelPorting
import Testing

@Suite struct ReferenceTests {
    @Test("Names that Foundation has too are qualified by Core Data")
    func namesThatFoundationHasTooAreQualified() {
        #expect(
            Ported("let a: [NSExpression]?; let b = NSComparisonPredicate.Operator.like").lines == [
                "let a: [CoreData.NSExpression]?; let b = CoreData.NSComparisonPredicate.Operator.like"
            ])
        #expect(
            Ported("let c: Foundation.NSExpression.D; let e: Foundation.NSPredicate").lines == [
                "let c: CoreData.NSExpression.D; let e: Foundation.NSPredicate"
            ])
        #expect(
            Ported(
                "func a(_ b: NSExpression?) -> [NSComparisonPredicate] { [NSExpression(c: NSExpression.d)] }"
            ).lines == [
                "func a(_ b: CoreData.NSExpression?) -> [CoreData.NSComparisonPredicate] "
                    + "{ [CoreData.NSExpression(c: CoreData.NSExpression.d)] }"
            ])
        #expect(Ported("let a = b.NSExpression").lines == ["let a = b.NSExpression"])
        #expect(Ported("let a = Foundation.NSExpression()").lines == ["let a = CoreData.NSExpression()"])
    }

    @Test("A type of the module with such a name keeps it")
    func aTypeOfTheModuleKeepsItsName() {
        let source = "class NSExpression {}; let a: NSExpression? = nil"
        #expect(Ported(source).lines == [source])
    }

    @Test(
        "A call that needs the Objective-C runtime is an error",
        arguments: [
            (
                "objc_getAssociatedObject(self, &key)",
                "1:1: error: 'objc_getAssociatedObject' is a function of the Objective-C runtime"
            ),
            (
                "objc_sync_enter(self)",
                "1:1: error: 'objc_sync_enter' is a function of the Objective-C runtime"
            ),
            (
                "method_exchangeImplementations(a, b)",
                "1:1: error: 'method_exchangeImplementations' is a function of"
            ),
            ("a.perform(#selector(b))", "1:3: error: a method cannot be called by its selector here"),
            (
                "a.perform(Selector(\"b\"), with: c)",
                "1:3: error: a method cannot be called by its selector here"
            ),
            (
                "perform(b, with: nil, afterDelay: 1)",
                "1:1: error: a method cannot be called by its selector here"
            ),
            (
                "let s = Selector(\"b\"); perform(s)",
                "1:24: error: a method cannot be called by its selector here"
            ),
            (
                "func a(_ s: Selector) { b.perform(s, with: c) }",
                "1:27: error: a method cannot be called by its selector here"
            ),
            (
                "a.performSelector(onMainThread: b, with: nil, waitUntilDone: true)",
                "1:3: error: a method cannot be called by its selector here"
            ),
            ("a.responds(to: b)", "1:3: error: nothing here knows an object's methods by their selectors"),
            ("unsafeBitCast(a.method(for: b), to: C.self)", "1:17: error: there is no Objective-C runtime"),
            (
                "unsafeBitCast(a, to: (@convention(c) (Selector) -> Void).self)",
                "1:1: error: a selector or an implementation"
            ),
        ])
    func runtimeCallsAreErrors(_ statement: String, _ message: String) {
        let ported = Ported(statement)
        #expect(ported.errors.count == 1)
        #expect(ported.errors.first?.hasPrefix("Book.swift:\(message)") == true)
        #expect(ported.text == nil)
    }

    @Test(
        "A call that only resembles one of the runtime stays",
        arguments: [
            "context.perform { a() }", "a.perform(b)", "try await a.perform(b)",
            "unsafeBitCast(a, to: Int.self)",
            "a.value(forKeyPath: b)",
        ])
    func similarCallsStay(_ statement: String) { #expect(Ported(statement).lines == [statement]) }

    @Test("A class that observes by a method conforms to the observer protocol")
    func observersByMethodConformToTheProtocol() {
        let method =
            "func observeValue(forKeyPath a: String?, of b: Any?, change c: [NSKeyValueChangeKey: Any]?, context d: UnsafeMutableRawPointer?)"
        let ported = Ported(
            "class A: NSObject { override \(method) { super.observeValue(forKeyPath: a, of: b, change: c, context: d) } }\nclass B: A { override \(method) { super.observeValue(forKeyPath: a, of: b, change: c, context: d) } }"
        )
        #expect(
            ported.lines.first
                == "class A: NSObject, CoreData.KeyValueObserver { \(method) { fatalError(\"An observeValue(forKeyPath:of:change:context:) message was received but not handled.\") } }"
        )
        #expect(
            ported.lines.last
                == "class B: A { override \(method) { super.observeValue(forKeyPath: a, of: b, change: c, context: d) } }"
        )
    }
}

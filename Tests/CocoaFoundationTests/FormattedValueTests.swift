import CocoaFoundation
import Testing

/// Values in format strings: temporary objects are released after the formatting.
@Suite struct FormattedValueTests {
    /// An object that counts how often it is described.
    private final class Described: NSObject {
        var count = 0
        override var description: String {
            count += 1
            return "described"
        }
    }

    private static var values: [(any CVarArg & _CVarArgObject, String)] {
        let uuid = UUID()
        let date = Date(timeIntervalSinceReferenceDate: 12)
        return [
            (uuid, uuid.description), (date, date.description), (Data([1, 2]), Data([1, 2]).description),
            (URL(fileURLWithPath: "/a"), URL(fileURLWithPath: "/a").description), (Decimal(3), "3"),
            ([1, 2], "[1, 2]"), (Set([1]), "[1]"), (["a": 1], "[\"a\": 1]"), (Described(), "described"),
        ]
    }

    @Test("Each value is formatted as it prints") func texts() {
        for (value, text) in Self.values {
            #expect(String(format: "<%@|%d|%@>", value, 7, value) == "<\(text)|7|\(text)>")
        }
    }

    @Test("The description of a value is released with the list of arguments")
    func released() {
        for (value, text) in Self.values {
            weak var kept: AnyObject?
            do {
                let object = value._cVarArgObject
                kept = object as AnyObject
                // A list of arguments encodes this object, and holds it until its end.
                let formatted = withVaList([object]) { NSString(format: "%@", arguments: $0) }
                #expect(String(describing: formatted) == text)
                #expect(kept != nil)
            }
            #expect(kept == nil, "\(text)")
        }
    }

    /// A value that notes what a list of arguments does with it.
    private final class Probe: CVarArg, _CVarArgObject {
        final class Inner: CVarArg {
            let number: Int
            init(_ number: Int) { self.number = number }
            var _cVarArgEncoding: [Int] { [number] }
        }

        weak var inner: Inner?
        var isEncodedItself = false

        var _cVarArgObject: any CVarArg {
            let made = Inner(7)
            inner = made
            return made
        }

        var _cVarArgEncoding: [Int] {
            isEncodedItself = true
            return [8]
        }
    }

    @Test("A list of arguments keeps the object that it encodes only while it exists")
    func lists() {
        let probe = Probe()
        let text = withVaList([probe]) { arguments in
            #expect(probe.inner != nil)
            return String(describing: NSString(format: "%ld", arguments: arguments))
        }
        #expect(text == "7")
        #expect(probe.inner == nil && !probe.isEncodedItself)
    }

    @Test("A predicate takes a value without formatting it")
    func predicates() {
        let object = Described()
        let predicate = NSPredicate(format: "a == %@", object)
        #expect(object.count == 0)
        #expect(predicate.evaluate(with: ["a": object]))
    }
}

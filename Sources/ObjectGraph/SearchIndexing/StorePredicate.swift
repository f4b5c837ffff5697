import CocoaFoundation
import Foundation

/// A condition that is put into a predicate for one store and one fetch: it is printed as a text, and equal to itself alone.
package class StorePredicate: NSPredicate, DescribedPredicate {
    package let text: String

    init(_ text: String) {
        self.text = text
        super.init(block: { _, _ in false })
    }

    package override func evaluate(with object: Any?) -> Bool {
        evaluate(with: object, substitutionVariables: nil)
    }

    package override var predicateFormat: String { text }
    package override var description: String { text }
    package override func isEqual(_ object: Any?) -> Bool { self === object as AnyObject? }
    package override var hash: Int { ObjectIdentifier(self).hashValue }
    package override func copy() -> Any { self }
    package override func copy(with zone: NSZone? = nil) -> Any { self }
    package required init?(coder: NSCoder) { nil }
}

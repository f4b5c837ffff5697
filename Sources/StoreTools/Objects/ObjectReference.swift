import CoreData

/// An object of a store, as its entity and primary key: `Book/12`.
package struct ObjectReference: Hashable, Sendable, CustomStringConvertible {
    package let entity: String
    package let key: Int64

    package init(entity: String, key: Int64) {
        self.entity = entity
        self.key = key
    }

    /// Reads `Book/12`; nil for any other string. Keys below one, which no object should have, are in damaged stores.
    package init?(_ text: String) {
        guard let slash = text.lastIndex(of: "/"), let key = Int64(text[text.index(after: slash)...]),
            slash > text.startIndex
        else { return nil }
        entity = String(text[..<slash])
        self.key = key
    }

    package var description: String { "\(entity)/\(key)" }
}

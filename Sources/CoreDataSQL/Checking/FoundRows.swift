/// The rows that a check found: how many there are, and the keys of some.
package struct FoundRows: Sendable {
    /// The most keys that are kept.
    package static let exampleLimit = 5

    package private(set) var count = 0
    /// The first keys, each once.
    package private(set) var keys: [Int64] = []

    package init() {}

    package var isEmpty: Bool { count == 0 }

    /// - Parameter key: that of the object; nil for a row that has none.
    package mutating func add(_ key: Int64?) {
        count += 1
        guard keys.count < Self.exampleLimit, let key, !keys.contains(key) else { return }
        keys.append(key)
    }
}

import Foundation

/// The table of a property list while it grows. The same strings and numbers are written once.
package struct PropertyListTable {
    /// The objects.
    package private(set) var nodes: [BinaryPropertyList.Node] = []
    /// How often objects refer to others.
    private(set) var referenceCount = 0
    private var shared: [SharedValue: Int] = [:]

    private enum SharedValue: Hashable {
        /// The bytes of the string: two spellings of an accented letter are equal as `String`, but are written as two.
        case string([UInt8])
        case integer(Int64)
        case identifier(UInt64)
        case boolean(Bool)
    }

    package init() {}

    /// The index of an object, new or an equal one.
    package mutating func add(_ node: BinaryPropertyList.Node) -> Int {
        let key: SharedValue
        switch node {
        case .string(let value): key = .string(Array(value.utf8))
        case .integer(let value): key = .integer(value)
        case .identifier(let value): key = .identifier(value)
        case .boolean(let value): key = .boolean(value)
        default:
            referenceCount += node.references.count
            nodes.append(node)
            return nodes.count - 1
        }
        if let known = shared[key] { return known }
        nodes.append(node)
        shared[key] = nodes.count - 1
        return nodes.count - 1
    }

    /// The index of a new dictionary.
    package mutating func addDictionary(_ entries: [(key: String, value: Int)]) -> Int {
        let keys = entries.map { add(.string($0.key)) }
        return add(.dictionary(keys: keys, values: entries.map(\.value)))
    }
}

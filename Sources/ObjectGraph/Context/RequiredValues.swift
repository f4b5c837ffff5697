import Foundation

/// The values of one property that listeners require, with the listeners' numbers.
struct RequiredValues {
    private var singles: [RequiredValue.Single: Set<Int>] = [:]
    private var ranges: [Int: (lower: Double, upper: Double)] = [:]
    /// The ranges by their lower ends, as a search tree: the middle of each part is its root. Made on demand.
    private var tree: [Node]?

    private struct Node {
        let number: Int
        let lower: Double
        let upper: Double
        /// The highest upper end in the node's part of the tree.
        var highest: Double
    }

    var isEmpty: Bool { singles.isEmpty && ranges.isEmpty }

    mutating func add(_ number: Int, _ values: RequiredValue.Values) {
        switch values {
        case .one(let single): singles[single, default: []].insert(number)
        case .range(let lower, let upper):
            ranges[number] = (lower, upper)
            tree = nil
        }
    }

    mutating func remove(_ number: Int, _ values: RequiredValue.Values) {
        switch values {
        case .one(let single):
            singles[single]?.remove(number)
            if singles[single]?.isEmpty ?? false { singles[single] = nil }
        case .range:
            ranges[number] = nil
            tree = nil
        }
    }

    /// Calls `body` with the numbers of those whose required value this may be. O(log n + found).
    mutating func forEach(_ value: SlotValue, _ body: (Int) -> Void) {
        switch value {
        case .string(let text): singles[.text(text)]?.forEach(body)
        case .object(let object): singles[.object(object.key)]?.forEach(body)
        case .integer(let number): forEachRange(around: Double(number), body)
        case .double(let number) where !number.isNaN: forEachRange(around: number, body)
        // A missing value is left to the whole condition.
        default:
            for numbers in singles.values { numbers.forEach(body) }
            ranges.keys.forEach(body)
        }
    }

    private mutating func forEachRange(around value: Double, _ body: (Int) -> Void) {
        guard !ranges.isEmpty else { return }
        let tree = self.tree ?? inheritanceNodes
        self.tree = tree
        func visit(_ part: Range<Int>) {
            guard !part.isEmpty else { return }
            let middle = part.lowerBound + part.count / 2
            let node = tree[middle]
            guard value <= node.highest else { return }
            visit(part.lowerBound..<middle)
            guard value >= node.lower else { return }
            if value <= node.upper { body(node.number) }
            visit(middle + 1..<part.upperBound)
        }
        visit(tree.indices)
    }

    private var inheritanceNodes: [Node] {
        var tree = ranges.map { Node(number: $0, lower: $1.lower, upper: $1.upper, highest: $1.upper) }
            .sorted { $0.lower < $1.lower }
        @discardableResult func raise(_ part: Range<Int>) -> Double {
            guard !part.isEmpty else { return -.infinity }
            let middle = part.lowerBound + part.count / 2
            let below = max(raise(part.lowerBound..<middle), raise(middle + 1..<part.upperBound))
            tree[middle].highest = max(tree[middle].upper, below)
            return tree[middle].highest
        }
        raise(tree.indices)
        return tree
    }
}

import ObjectGraph

extension FetchQuery {
    /// Whether rows come as the database finds them. They are sorted by their keys afterwards: `ORDER BY` could make
    /// the database go through all rows in that order where an index finds the few that are wanted.
    package var isUnordered: Bool { sortDescriptors.isEmpty && !isWindow }
}

extension Array {
    /// Sorts by keys; O(n) where they ascend already, as they do unless an index was used.
    @inlinable
    package mutating func sortUnlessAscending(by key: (Element) -> Int64) {
        for index in indices.dropFirst() where key(self[index]) < key(self[index - 1]) {
            return sort { key($0) < key($1) }
        }
    }
}

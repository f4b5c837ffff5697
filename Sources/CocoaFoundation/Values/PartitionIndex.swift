extension Array {
    /// The index of the first element that meets a condition, which all later ones meet too. O(log n).
    @inlinable
    package func partitionIndex(_ isInSecondPart: (Element) -> Bool) -> Int {
        var (lower, upper) = (0, count)
        while lower < upper {
            let middle = (lower + upper) / 2
            if isInSecondPart(self[middle]) { upper = middle } else { lower = middle + 1 }
        }
        return lower
    }
}

extension Range<Int> {
    /// Calls a block with each run of indexes, in order: those that belong to the first one of the run. O(n).
    ///
    /// By index: elements of a list would be copied for a comparison, and their references counted.
    @inlinable @inline(__always)
    package func forEachRun(
        where belongs: (_ index: Int, _ first: Int) -> Bool, _ body: (Range<Int>) throws -> Void
    ) rethrows {
        var start = lowerBound
        while start < upperBound {
            var end = start + 1
            while end < upperBound, belongs(end, start) { end += 1 }
            try body(start..<end)
            start = end
        }
    }
}

import CocoaFoundation

/// The numbers that keep the order of an ordered relationship in the rows of its links.
///
/// Multiples of 1024, as Apple's stores have them, leave room: an insertion or a move writes the rows of what moves. Where the
/// room between two neighbours is used up, all get new numbers.
package enum OrderColumn {
    private static let step: Int64 = 1024
    /// Numbers that others have written may be any; these leave room after them.
    private static let usable: ClosedRange<Int64> = 1...(1 << 62)

    /// The numbers to write so that the destinations ascend: as few as can be. O(n log n).
    ///
    /// - Parameter present: the numbers that the destinations have, in the order that they are to have; nil for one without.
    package static func changes(_ present: [Int64?]) -> [(index: Int, number: Int64)] {
        var changes: [(index: Int, number: Int64)] = []
        var last: (index: Int, number: Int64) = (-1, 0)
        for index in ascending(present) {
            guard let number = present[index] else { continue }
            let count = index - last.index - 1
            if count > 0 {
                let room = (number - last.number) / Int64(count + 1)
                guard room > 0 else { return renumbered(present) }
                for position in 1...count {
                    changes.append((last.index + position, last.number + Int64(position) * room))
                }
            }
            last = (index, number)
        }
        var next = (last.number / step + 1) * step
        for index in (last.index + 1)..<max(present.count, last.index + 1) {
            changes.append((index, next))
            next += step
        }
        return changes
    }

    private static func renumbered(_ present: [Int64?]) -> [(index: Int, number: Int64)] {
        present.enumerated().compactMap { index, number in
            let wanted = Int64(index + 1) * step
            return number == wanted ? nil : (index, wanted)
        }
    }

    /// The indexes of the longest ascending selection of usable numbers.
    private static func ascending(_ numbers: [Int64?]) -> [Int] {
        // The ends of the best selections of each length, and what comes before each index in its own.
        var ends: [(index: Int, number: Int64)] = []
        var earlier = [Int](repeating: -1, count: numbers.count)
        for (index, number) in numbers.enumerated() {
            guard let number, usable.contains(number) else { continue }
            let position = ends.partitionIndex { $0.number >= number }
            if position > 0 { earlier[index] = ends[position - 1].index }
            if position == ends.count {
                ends.append((index, number))
            } else {
                ends[position] = (index, number)
            }
        }
        var selection: [Int] = []
        var index = ends.last?.index ?? -1
        while index >= 0 {
            selection.append(index)
            index = earlier[index]
        }
        return selection.reversed()
    }
}

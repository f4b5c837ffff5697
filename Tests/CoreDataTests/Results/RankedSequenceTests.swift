import CoreData
import TestSupport
import Testing

/// The balanced tree behind results, compared with an array.
@Suite struct RankedSequenceTests {
    private typealias Sequence = RankedSequence<Int>

    private func elements(_ sequence: Sequence) -> [Int] {
        sequence.positions(0..<sequence.count).map { sequence[$0] }
    }

    @Test("A sequence made of elements has them at their ranks", arguments: [0, 1, 2, 7, 1000])
    func made(count: Int) {
        let sequence = Sequence(0..<count)
        #expect(elements(sequence) == Array(0..<count))
        #expect(sequence.count == count && sequence.markCount == 0)
        #expect(sequence.position(at: count) == nil && sequence.position(at: -1) == nil)
        let ranks = sequence.positions(0..<count).map(sequence.rank)
        #expect(ranks == Array(0..<count))
    }

    @Test("Random insertions, removals and marks match an array", arguments: [1, 2, 3])
    func editsMatchAnArray(seed: UInt64) throws {
        var numbers = SeededNumbers(seed: seed)
        var sequence = Sequence([])
        var array: [(value: Int, isMarked: Bool, position: Sequence.Position)] = []
        for step in 0..<4000 {
            let isGrowing = step % 1500 < 1000
            if array.isEmpty || Int.random(in: 0..<3, using: &numbers) < (isGrowing ? 2 : 1) {
                let rank = Int.random(in: 0...array.count, using: &numbers)
                array.insert((step, false, sequence.insert(step, at: rank)), at: rank)
            } else {
                let rank = Int.random(in: 0..<array.count, using: &numbers)
                sequence.remove(array.remove(at: rank).position)
            }
            if let rank = array.indices.randomElement(using: &numbers) {
                array[rank].isMarked.toggle()
                sequence.setMark(array[rank].isMarked, at: array[rank].position)
                #expect(sequence.rank(of: array[rank].position) == rank)
                #expect(sequence.position(at: rank) == array[rank].position)
                #expect(
                    sequence.marks(through: array[rank].position)
                        == array[...rank].count { $0.isMarked })
                #expect(
                    sequence.position(after: array[rank].position)
                        == (rank + 1 < array.count ? array[rank + 1].position : nil))
                #expect(
                    sequence.position(before: array[rank].position)
                        == (rank > 0 ? array[rank - 1].position : nil))
            }
            let marked = array.filter(\.isMarked)
            #expect(sequence.markCount == marked.count)
            if let number = marked.indices.randomElement(using: &numbers) {
                #expect(sequence.markedPosition(at: number) == marked[number].position)
            }
            #expect(sequence.markedPosition(at: marked.count) == nil)
            guard step % 100 == 0 else { continue }
            #expect(elements(sequence) == array.map(\.value))
            // The depth of a tree balanced by these weights is at most log(n + 1) to the base 4/3.
            #expect(Double(sequence.depth) <= log(Double(array.count + 1)) / log(4.0 / 3) + 1)
        }
    }

    @Test("Ascending and descending insertions keep the tree balanced")
    func insertionsStayBalanced() {
        var up = Sequence([])
        var down = Sequence([])
        for value in 0..<4096 {
            _ = up.insert(value, at: value)
            _ = down.insert(value, at: 0)
        }
        #expect(elements(up) == Array(0..<4096))
        #expect(elements(down) == Array((0..<4096).reversed()))
        #expect(up.depth <= 24 && down.depth <= 24)
    }

    @Test("The first element that meets a condition is found in logarithmic time")
    func firstThatMeetsACondition() {
        let sequence = Sequence((0..<100).map { 2 * $0 })
        for bound in [-1, 0, 1, 98, 99, 198, 199] {
            var calls = 0
            let rank = sequence.rank { element in
                calls += 1
                return element > bound
            }
            #expect(rank == (0..<100).count { 2 * $0 <= bound })
            #expect(calls <= 8)
        }
    }
}

/// Keys of rows, in order and packed: no bytes for consecutive ones, four bytes for other close ones, else eight.
///
/// Kept in pieces of one size, so that the list grows without ever being copied.
package struct ReferenceList: Sendable {
    static let pieceSize = 8192

    private enum Piece {
        /// Each is one more than the one before, or one less: temporary references count down.
        case run(first: Int64, step: Int64)
        case near(lowest: Int64, offsets: ContiguousArray<UInt32>)
        case far(ContiguousArray<Int64>)
    }

    private var full: [Piece] = []
    private var open: ContiguousArray<Int64> = []

    package init() {}

    package var count: Int { full.count * Self.pieceSize + open.count }

    /// Adds a key at the end. O(1).
    package mutating func append(_ reference: Int64) {
        // A piece that was packed may have kept the memory of this one.
        if open.isEmpty, !full.isEmpty { open.reserveCapacity(Self.pieceSize) }
        open.append(reference)
        if open.count == Self.pieceSize { closePiece() }
    }

    /// Adds keys at the end. O(n).
    mutating func append(contentsOf references: UnsafeBufferPointer<Int64>) {
        var rest = references[...]
        while !rest.isEmpty {
            if open.isEmpty, !full.isEmpty { open.reserveCapacity(Self.pieceSize) }
            let part = rest.prefix(Self.pieceSize - open.count)
            open.append(contentsOf: UnsafeBufferPointer(rebasing: part))
            rest = rest.dropFirst(part.count)
            if open.count == Self.pieceSize { closePiece() }
        }
    }

    private mutating func closePiece() {
        full.append(Self.packed(open))
        open.removeAll(keepingCapacity: true)
    }

    /// O(1).
    package subscript(index: Int) -> Int64 {
        let (piece, position) = index.quotientAndRemainder(dividingBy: Self.pieceSize)
        guard piece < full.count else { return open[position] }
        return switch full[piece] {
        case .run(let first, let step): first + Int64(position) * step
        case .near(let lowest, let offsets): lowest + Int64(offsets[position])
        case .far(let references): references[position]
        }
    }

    private static func packed(_ references: ContiguousArray<Int64>) -> Piece {
        let first = references[0]
        let step: Int64 = references[1] < first ? -1 : 1
        var (lowest, highest) = (first, first)
        var isRun = true
        references.withUnsafeBufferPointer { references in
            for position in references.indices {
                let reference = references[position]
                isRun = isRun && reference &- first == Int64(position) * step
                lowest = min(lowest, reference)
                highest = max(highest, reference)
            }
        }
        // Behind the highest number of all comes the lowest, and before the lowest the highest.
        if isRun, (step > 0 ? lowest : highest) == first { return .run(first: first, step: step) }
        let (span, overflow) = highest.subtractingReportingOverflow(lowest)
        guard !overflow, span <= UInt32.max else { return .far(references) }
        return .near(lowest: lowest, offsets: ContiguousArray(references.lazy.map { UInt32($0 - lowest) }))
    }
}

/// Reads the texts of objects a piece at a time, since those of a few objects may be as long as those of thousands.
enum TextPieces {
    /// So many objects are read first: how long their texts are is not known yet.
    private static let firstCount = 16
    private static let mostCount = 1_000
    /// About as many bytes of text are in memory at once.
    private static let size = 4_000_000

    /// Runs a block with the objects of each piece, in order, and the texts of those that are in the store.
    ///
    /// - Parameters:
    ///   - maxBytes: after as many bytes of texts, no more pieces are read.
    ///   - isEnded: whether to stop; asked after each piece.
    /// - Returns: how many objects were read.
    @discardableResult
    static func forEach(
        of references: [Int64], _ storedEntity: StoredEntity, in store: any ObjectStore,
        _ contents: any IndexedContents, upTo maxBytes: Int = .max,
        until isEnded: () -> Bool = { false },
        _ body: ([Int64], [(key: Int64, texts: [(field: Int, text: String)])]) throws -> Void
    ) throws -> Int {
        var count = firstCount
        var start = 0
        var bytes = 0
        while start < references.count, bytes < maxBytes, start == 0 || !isEnded() {
            let piece = Array(references[start..<min(start + count, references.count)])
            let documents = try contents.texts(of: piece, storedEntity, in: store)
            try body(piece, documents)
            start += piece.count
            let size = size(of: documents)
            bytes += size
            count = nextCount(after: piece.count, bytes: size)
        }
        return start
    }

    /// Twice as many, while as long texts would have room.
    static func nextCount(after count: Int, bytes: Int) -> Int {
        let fitting = Double(size) / (Double(max(bytes, 1)) / Double(max(count, 1)))
        return max(1, min(count * 2, mostCount, Int(min(fitting, Double(mostCount)))))
    }

    private static func size(of documents: [(key: Int64, texts: [(field: Int, text: String)])]) -> Int {
        documents.reduce(0) { size, document in
            size + document.texts.reduce(0) { $0 + $1.text.utf8.count }
        }
    }
}

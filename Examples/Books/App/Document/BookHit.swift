import CoreData

/// A book that the search of words has found, and why.
struct BookHit: Sendable {
    /// Where the words are.
    enum Reason: Sendable, CaseIterable { case title, abstract, author }

    var book: BookSnapshot
    /// How well the title and the abstract meet the search, higher is better; nil for a book that is found by its author alone, and
    /// among more books than are ranked.
    var rank: Double?
    var title: MarkedText
    /// The author's name, with marks if it has the words; nil for a book without an author.
    var author: MarkedText?
    /// The part of the abstract that shows most of the words.
    var abstract: MarkedText?
    var reasons: [Reason]

    /// A book whose title or abstract have the words.
    ///
    /// - Parameter searched: the title that was searched. If the title is another one now, its marks are unknown.
    init(_ hit: SearchHit<Book>, searched: String?, author: MarkedText?) {
        let marks = hit.highlights["title"] ?? []
        self.init(
            hit.object, rank: hit.rank,
            titleMarks: Self.isSame(hit.object.title, searched) ? marks : [], author: author)
        if let snippet = hit.snippet, snippet.attribute == Book.Name.abstractText {
            abstract = MarkedText(snippet)
        }
        var found: [Reason] = []
        if !marks.isEmpty { found.append(.title) }
        if hit.highlights[Book.Name.abstractText] != nil { found.append(.abstract) }
        reasons = found + reasons
    }

    /// Whether positions in one text are those in the other: texts that are equal by Unicode's rules may have other bytes.
    private static func isSame(_ title: String?, _ searched: String?) -> Bool {
        title.map { Array($0.utf8) } == searched.map { Array($0.utf8) }
    }

    /// A book whose author's name has the words.
    init(_ book: Book, author: MarkedText?) {
        self.init(book, rank: nil, titleMarks: [], author: author)
    }

    private init(
        _ book: Book, rank: Double?, titleMarks: [Range<String.Index>], author: MarkedText?
    ) {
        let snapshot = BookSnapshot(book)
        self.book = snapshot
        self.rank = rank
        title = MarkedText(snapshot.title, titleMarks)
        self.author = author ?? snapshot.author.map { MarkedText($0) }
        reasons = author == nil ? [] : [.author]
    }
}

import Foundation

/// The list of books.
struct BookListPage {
    /// A piece of a text: one of the two is nil.
    struct Piece {
        let plain: String?
        let marked: String?
    }

    /// Why the index has found a book.
    struct Reason {
        let words: String
        let rank: String?
        /// The part of the abstract that has the words.
        let pieces: [Piece]
        let hasPieces: Bool
    }

    struct Row {
        let id: String
        let href: String?
        let title: String
        let titlePieces: [Piece]
        let author: String?
        let authorPieces: [Piece]
        let authorHref: String?
        let reason: Reason?
        let day: String?
        let dayCode: String?
        let price: String?
        let fill: String
        let isUnsaved: Bool
        let badge: String
        let state: String
    }

    struct Section {
        let id: String
        let month: String
        let monthCode: String?
        let count: String
        let rows: [Row]
    }

    struct Timing {
        let code: String
        /// The list of what this search finds.
        let href: String
        let found: String
        let time: String
        /// The length of the bar, of 100.
        let share: Int
        let isShown: Bool
    }

    let frame: Frame
    let language: String
    let direction: String
    let text: String
    let isWords: Bool
    let isCanonical: Bool
    let isPlain: Bool
    let isAll: Bool
    let author: String?
    let withoutAuthor: String
    let isSearch: Bool
    let foundWords: String
    let timings: [Timing]
    let hasTimings: Bool
    let canonicalForm: String
    let shelf: Shelf?
    let sections: [Section]
    let hits: [Row]
    let hasHits: Bool
    let isEmpty: Bool
    let emptyWords: String
    let previous: String?
    let next: String?
    let hasPages: Bool
    let timeline: TimelineView

    init(_ list: BookList, _ query: BookListQuery, timeline: Timeline, frame: Frame, visitor: Visitor) {
        self.frame = frame
        language = visitor.languageTag
        direction = visitor.direction
        text = query.text
        isWords = query.method == .words
        isCanonical = query.method == .canonical
        isPlain = query.method == .plain
        isAll = query.method == .all
        author = query.author
        var withoutAuthor = BookListQuery()
        withoutAuthor.text = query.text
        withoutAuthor.method = query.method
        self.withoutAuthor = withoutAuthor.address().text
        isSearch = query.isSearch
        foundWords = Self.words(found: list.found, query, visitor)
        timings = Self.timings(list.timings, query, visitor)
        hasTimings = !list.timings.isEmpty
        canonicalForm = query.text.isEmpty ? "" : BookListQuery.canonicalForm(query.text)
        let books = list.books
        shelf = books.isEmpty ? nil : Shelf(books)
        sections = list.sections.map { Self.section($0, visitor) }
        hits = list.hits.map { Row($0, visitor) }
        hasHits = !hits.isEmpty
        isEmpty = books.isEmpty
        emptyWords = Self.emptyWords(query)
        previous = list.previous.map { query.address($0).text }
        next = list.next.map { query.address($0).text }
        hasPages = list.previous != nil || list.next != nil
        let current = list.sections.lazy.compactMap(\.month).first
        self.timeline = TimelineView(timeline, current: query.isSearch ? nil : current, visitor: visitor)
    }

    private static func emptyWords(_ query: BookListQuery) -> String {
        guard query.isSearch else { return "There are no books here yet." }
        if query.showsHits {
            return
                "No title, abstract or author’s name has these words. A part of a word other than its beginning is found by CONTAINS."
        }
        return
            "No book has this in its title. Unsaved titles are found by their canonical form after the next save."
    }

    private static func words(found: Int, _ query: BookListQuery, _ visitor: Visitor) -> String {
        let number = visitor.number(found)
        if query.isSearch { return found == 1 ? "1 book found" : "\(number) books found" }
        return found == 1 ? "1 book" : "\(number) books"
    }

    private static func timings(
        _ timings: [BookList.Timing], _ query: BookListQuery, _ visitor: Visitor
    ) -> [Timing] {
        let longest = timings.map(\.duration).max() ?? .zero
        return timings.enumerated().map { index, timing in
            var list = query
            list.method = timing.method
            list.position = BookListQuery.Position()
            return Timing(
                code: timing.method.code, href: list.address().text,
                found: "\(visitor.number(timing.found)) found", time: visitor.milliseconds(timing.duration),
                share: longest > .zero ? max(1, Int(timing.duration / longest * 100)) : 1, isShown: index == 0
            )
        }
    }

    private static func section(_ section: BookList.Section, _ visitor: Visitor) -> Section {
        let code = section.month?.text
        return Section(
            id: "month-\(code ?? "undated")", month: section.month.map(visitor.month) ?? "Without a date",
            monthCode: code, count: visitor.number(section.books.count),
            rows: section.books.map { Row($0, visitor) })
    }
}

extension SearchMethod {
    /// What the program calls.
    fileprivate var code: String {
        switch self {
        case .words, .all: "context.search"
        case .canonical: "canonicalTitle CONTAINS"
        case .plain: "title CONTAINS[cd]"
        }
    }
}

extension BookListPage.Piece {
    /// The pieces of a text in which words may be marked.
    static func pieces(_ text: MarkedText) -> [Self] {
        text.pieces.map { piece in
            piece.isMarked ? Self(plain: nil, marked: piece.text) : Self(plain: piece.text, marked: nil)
        }
    }
}

extension BookListPage.Reason {
    init(_ hit: BookHit, _ visitor: Visitor) {
        let names = hit.reasons.map { reason in
            switch reason {
            case .title: "title"
            case .abstract: "abstract"
            case .author: "author’s name"
            }
        }
        words = names.isEmpty ? "Found" : "In the " + names.joined(separator: ", ")
        rank = hit.rank.map(visitor.rank)
        pieces = hit.abstract.map(BookListPage.Piece.pieces) ?? []
        hasPieces = !pieces.isEmpty
    }
}

extension BookListPage.Row {
    init(_ book: BookSnapshot, _ visitor: Visitor) {
        self.init(
            book, title: MarkedText(book.title), author: book.author.map { MarkedText($0) }, reason: nil,
            visitor)
    }

    init(_ hit: BookHit, _ visitor: Visitor) {
        self.init(
            hit.book, title: hit.title, author: hit.author, reason: BookListPage.Reason(hit, visitor),
            visitor)
    }

    private init(
        _ book: BookSnapshot, title: MarkedText, author: MarkedText?, reason: BookListPage.Reason?,
        _ visitor: Visitor
    ) {
        let uuid = book.uuid?.uuidString.lowercased()
        id = "book-\(uuid ?? "none")"
        href = uuid.map { "/books/\($0)" }
        self.title = book.title
        titlePieces = BookListPage.Piece.pieces(title)
        self.author = book.author
        authorPieces = author.map(BookListPage.Piece.pieces) ?? []
        self.reason = reason
        var list = BookListQuery()
        list.author = book.author
        authorHref = book.author == nil ? nil : list.address().text
        day = book.publishDate.map(visitor.day)
        dayCode = book.publishDate.map(visitor.dates.text)
        price = book.price.map(visitor.price)
        fill = book.tint ?? Spine.plain
        isUnsaved = book.state != .saved
        state = book.state.rawValue
        badge = book.state == .new ? "New" : "Changed"
    }
}

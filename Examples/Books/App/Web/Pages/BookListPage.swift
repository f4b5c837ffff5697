import Foundation

/// The list of books.
struct BookListPage {
    struct Row {
        let id: String
        let href: String?
        let title: String
        let author: String?
        let authorHref: String?
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
    let isCanonical: Bool
    let isPlain: Bool
    let isBoth: Bool
    let author: String?
    let withoutAuthor: String
    let isSearch: Bool
    let foundWords: String
    let timings: [Timing]
    let hasTimings: Bool
    let canonicalForm: String
    let shelf: Shelf?
    let sections: [Section]
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
        isCanonical = query.method == .canonical
        isPlain = query.method == .plain
        isBoth = query.method == .both
        author = query.author
        var withoutAuthor = BookListQuery()
        withoutAuthor.text = query.text
        withoutAuthor.method = query.method
        self.withoutAuthor = withoutAuthor.address().text
        isSearch = query.isSearch
        foundWords = Self.words(found: list.found, query, visitor)
        timings = Self.timings(list.timings, visitor)
        hasTimings = !list.timings.isEmpty
        canonicalForm = query.text.isEmpty ? "" : BookListQuery.canonicalForm(query.text)
        let books = list.sections.flatMap(\.books)
        shelf = books.isEmpty ? nil : Shelf(books)
        sections = list.sections.map { Self.section($0, visitor) }
        isEmpty = books.isEmpty
        emptyWords =
            query.isSearch
            ? "No book has this in its title. Unsaved titles are found by their canonical form after the next save."
            : "There are no books here yet."
        previous = list.previous.map { query.address($0).text }
        next = list.next.map { query.address($0).text }
        hasPages = list.previous != nil || list.next != nil
        let current = list.sections.lazy.compactMap(\.month).first
        self.timeline = TimelineView(timeline, current: query.isSearch ? nil : current, visitor: visitor)
    }

    private static func words(found: Int, _ query: BookListQuery, _ visitor: Visitor) -> String {
        let number = visitor.number(found)
        if query.isSearch { return found == 1 ? "1 book found" : "\(number) books found" }
        return found == 1 ? "1 book" : "\(number) books"
    }

    private static func timings(_ timings: [BookList.Timing], _ visitor: Visitor) -> [Timing] {
        let longest = timings.map(\.duration).max() ?? .zero
        return timings.enumerated().map { index, timing in
            Timing(
                code: timing.method == .plain ? "title CONTAINS[cd]" : "canonicalTitle CONTAINS",
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

extension BookListPage.Row {
    init(_ book: BookSnapshot, _ visitor: Visitor) {
        let uuid = book.uuid?.uuidString.lowercased()
        id = "book-\(uuid ?? "none")"
        href = uuid.map { "/books/\($0)" }
        title = book.title
        author = book.author
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

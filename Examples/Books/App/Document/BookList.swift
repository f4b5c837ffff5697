/// One page of the list of books.
struct BookList: Sendable {
    /// The books of one published month.
    struct Section: Sendable {
        /// The month; nil for books without a date.
        var month: PublishMonth?
        var books: [BookSnapshot]
    }

    /// How long one of the searches took.
    struct Timing: Sendable {
        var method: SearchMethod
        var found: Int
        var duration: Duration
    }

    /// The months of a list by date; empty in what the index has found.
    var sections: [Section] = []
    /// What the index has found, the best first; empty in a list by date.
    var hits: [BookHit] = []
    /// How many books there are on all pages.
    var found: Int
    /// The searches that were made, the one whose results are shown first.
    var timings: [Timing]
    /// Where the pages before and after this one begin.
    var previous: BookListQuery.Position?
    var next: BookListQuery.Position?

    /// The books of this page, in order.
    var books: [BookSnapshot] { sections.flatMap(\.books) + hits.map(\.book) }

    var count: Int { sections.reduce(hits.count) { $0 + $1.books.count } }
}

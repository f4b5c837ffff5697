/// One page of the list of books.
struct BookList: Sendable {
    /// The books of one published month.
    struct Section: Sendable {
        /// The month; nil for books without a date.
        var month: PublishMonth?
        var books: [BookSnapshot]
    }

    /// How long one of the two searches took.
    struct Timing: Sendable {
        var method: SearchMethod
        var found: Int
        var duration: Duration
    }

    var sections: [Section]
    /// How many books there are on all pages.
    var found: Int
    /// The searches that were made, the one whose results are shown first.
    var timings: [Timing]
    /// Where the pages before and after this one begin.
    var previous: BookListQuery.Position?
    var next: BookListQuery.Position?

    var count: Int { sections.reduce(0) { $0 + $1.books.count } }
}

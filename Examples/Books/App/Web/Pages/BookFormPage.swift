/// The form of a book.
struct BookFormPage {
    struct Problem {
        let field: String
        let label: String
        let sentence: String
    }

    let frame: Frame
    let heading: String
    let action: String
    let cancel: String
    let button: String
    let mark: String
    let title: String
    let author: String
    let publishDate: String
    let price: String
    let url: String
    let abstract: String
    let tintColor: String
    let titleProblem: String?
    let authorProblem: String?
    let publishDateProblem: String?
    let priceProblem: String?
    let urlProblem: String?
    let abstractProblem: String?
    let tintColorProblem: String?
    let problems: [Problem]
    let hasProblems: Bool
    let isOutdated: Bool
    let timeZone: String

    static let labels: [BookForm.Field: String] = [
        .title: "Title", .author: "Author", .publishDate: "Published", .price: "Price", .url: "Web address",
        .abstract: "Abstract", .tintColor: "Colour of the spine",
    ]

    /// - Parameter book: the path and the mark of the book that is changed; nil for a new one.
    init(
        _ form: BookForm, book: (path: String, mark: String)?, problems: [BookForm.Field: String] = [:],
        isOutdated: Bool = false, frame: Frame, visitor: Visitor
    ) {
        self.frame = frame
        heading = book == nil ? "New book" : "Change a book"
        action = book?.path ?? "/books"
        cancel = book?.path ?? "/"
        button = book == nil ? "Add the book" : "Keep the changes"
        mark = book?.mark ?? ""
        title = form[.title]
        author = form[.author]
        publishDate = form[.publishDate]
        price = form[.price]
        url = form[.url]
        abstract = form[.abstract]
        // A colour field shows black when it has no value.
        tintColor = form[.tintColor].isEmpty ? BookForm.untouchedColor : form[.tintColor]
        titleProblem = problems[.title]
        authorProblem = problems[.author]
        publishDateProblem = problems[.publishDate]
        priceProblem = problems[.price]
        urlProblem = problems[.url]
        abstractProblem = problems[.abstract]
        tintColorProblem = problems[.tintColor]
        self.problems = BookForm.Field.allCases.compactMap { field in
            problems[field].map {
                Problem(field: field.rawValue, label: Self.labels[field] ?? field.rawValue, sentence: $0)
            }
        }
        hasProblems = !problems.isEmpty
        self.isOutdated = isOutdated
        timeZone = visitor.timeZone.identifier
    }
}

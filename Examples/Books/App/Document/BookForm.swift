import CoreData

/// The fields of a book as the user typed them. Nothing is lost when one of them is wrong.
struct BookForm: Sendable, Equatable {
    /// The fields, named as the model names the properties.
    enum Field: String, CaseIterable, Sendable {
        case title, author, publishDate, price, url, abstract, tintColor
    }

    /// The colour that the form of a new book shows. Left as it is, the book gets the colour of its title.
    static let untouchedColor = TintColor(title: "").hex

    private var texts: [Field: String] = [:]

    init() {}

    /// The form of a book as it is.
    init(_ book: BookSnapshot, dates: DateText) {
        self[.title] = book.title
        self[.author] = book.author ?? ""
        self[.publishDate] = book.publishDate.map(dates.text) ?? ""
        self[.price] = book.price.map { NSDecimalNumber(decimal: $0).stringValue } ?? ""
        self[.url] = book.url?.absoluteString ?? ""
        self[.abstract] = book.abstract ?? ""
        self[.tintColor] = book.tint ?? ""
    }

    subscript(field: Field) -> String {
        get { texts[field] ?? "" }
        set { texts[field] = newValue }
    }
}

/// The values that a form stands for.
struct BookValues {
    private(set) var title: String?
    private(set) var author: String?
    private(set) var publishDate: Date?
    private(set) var price: NSDecimalNumber?
    private(set) var url: URL?
    private(set) var abstract: Data?
    private(set) var tintColor: TintColor?
    /// The fields whose text is not a valid value, each with the reason in words.
    private(set) var problems: [BookForm.Field: String] = [:]

    init(_ form: BookForm, dates: DateText) {
        title = read(.title, form, BookText.name)
        author = read(.author, form, BookText.name)
        publishDate = read(.publishDate, form, dates.date)
        price = read(.price, form, BookText.price)
        url = read(.url, form, BookText.url)
        abstract = form[.abstract].isEmpty ? nil : Data(form[.abstract].utf8)
        if !form[.tintColor].isEmpty {
            tintColor = TintColor(hex: form[.tintColor])
            if tintColor == nil { problems[.tintColor] = "Write a colour as # and six hexadecimal digits." }
        }
    }

    private mutating func read<Value>(
        _ field: BookForm.Field, _ form: BookForm, _ read: (String) throws(TextProblem) -> Value?
    ) -> Value? {
        do {
            return try read(form[field])
        } catch {
            problems[field] = error.sentence
            return nil
        }
    }

    /// Lets the model and the class check the values, as a save would.
    ///
    /// - Parameter book: the book to be changed, or one that is in no context.
    mutating func validate(for book: Book) {
        let values: [(BookForm.Field, Any?)] = [
            (.title, title), (.publishDate, publishDate), (.price, price), (.url, url), (.abstract, abstract),
            (.tintColor, tintColor),
        ]
        for (field, value) in values where problems[field] == nil {
            var value = value
            do {
                try book.validateValue(&value, forKey: field.rawValue)
            } catch {
                problems[field] = ValidationWords.sentence(error as NSError, field.rawValue)
            }
        }
    }

    /// Sets the properties whose values differ from the book's.
    func apply(to book: Book, dates: DateText, author: (String) throws -> Author) throws {
        let author = try self.author.map(author)
        if book.title != title { book.title = title }
        // A form knows the day only: the moment remains when the day does.
        if book.publishDate.map(dates.text) != publishDate.map(dates.text) { book.publishDate = publishDate }
        if book.price != price { book.price = price }
        if book.url != url { book.url = url }
        if book.abstract != abstract { book.abstract = abstract }
        if book.tintColor?.hex != tintColor?.hex { book.tintColor = tintColor }
        if book.author !== author { book.author = author }
    }
}

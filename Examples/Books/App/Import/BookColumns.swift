import CoreData

/// What one line of a file says of a book.
struct BookLine {
    var title: String
    var author: String?
    var date: Date?
    var price: NSDecimalNumber?
    var url: URL?
}

/// Where the columns of books are in a file, as its first line names them.
struct BookColumns {
    /// The columns that are understood; others are passed over.
    static let names = ["title", "author", "date", "price", "url"]

    private let count: Int
    private let positions: [String: Int]
    private let dates = DateText()

    /// - Throws: a sentence when there is no title column, or a column twice.
    init(header: [String]) throws(TextProblem) {
        count = header.count
        var positions: [String: Int] = [:]
        for (index, text) in header.enumerated() {
            let name = text.trimmingCharacters(in: .whitespaces).lowercased()
            guard Self.names.contains(name) else { continue }
            guard positions.updateValue(index, forKey: name) == nil else {
                throw TextProblem("The first line names the column “\(name)” twice.")
            }
        }
        guard positions["title"] != nil else {
            throw TextProblem(
                "The first line must name the columns: title, and any of author, date, price and url.")
        }
        self.positions = positions
    }

    /// - Throws: a sentence that names the column whose text is not a valid value.
    func line(_ fields: [String]) throws(TextProblem) -> BookLine {
        guard fields.count == count else {
            throw TextProblem("\(fields.count) fields instead of \(count)")
        }
        guard let title = try value("title", fields, BookText.name) else { throw TextProblem("no title") }
        return BookLine(
            title: title, author: try value("author", fields, BookText.name),
            date: try value("date", fields, dates.date), price: try value("price", fields, price),
            url: try value("url", fields, BookText.url))
    }

    private func price(_ text: String) throws(TextProblem) -> NSDecimalNumber? {
        let price = try BookText.price(text)
        if let price, price.compare(NSDecimalNumber.zero) == .orderedAscending {
            throw TextProblem("It is below zero.")
        }
        return price
    }

    private func value<Value>(
        _ name: String, _ fields: [String], _ read: (String) throws(TextProblem) -> Value?
    ) throws(TextProblem) -> Value? {
        guard let position = positions[name] else { return nil }
        do {
            return try read(fields[position])
        } catch {
            throw TextProblem("\(name) “\(fields[position].prefix(40))”: \(error.sentence)")
        }
    }
}

/// The list of authors.
struct AuthorListPage {
    struct Row {
        let name: String
        let booksHref: String
        let editHref: String
        let bookCount: String
        let totalPrice: String?
        let isUnsaved: Bool
        let state: String
        let badge: String
    }

    let frame: Frame
    let foundWords: String
    let rows: [Row]
    let isEmpty: Bool
    let byName: String
    let byBooks: String
    let byPrice: String
    let isByName: Bool
    let isByBooks: Bool
    let isByPrice: Bool
    let previous: String?
    let next: String?
    let hasPages: Bool
    let isStale: Bool

    init(_ list: AuthorList, _ query: AuthorListQuery, frame: Frame, visitor: Visitor) {
        self.frame = frame
        foundWords = list.total == 1 ? "1 author" : "\(visitor.number(list.total)) authors"
        rows = list.authors.map { Row($0, visitor) }
        isEmpty = rows.isEmpty
        func address(_ order: AuthorListQuery.Order, _ skip: Int = 0) -> String {
            AuthorListQuery(order: order, skip: skip).address().text
        }
        byName = address(.name)
        byBooks = address(.books)
        byPrice = address(.price)
        isByName = query.order == .name
        isByBooks = query.order == .books
        isByPrice = query.order == .price
        previous =
            query.skip > 0 ? address(query.order, max(0, query.skip - AuthorListQuery.pageSize)) : nil
        next = list.hasMore ? address(query.order, query.skip + AuthorListQuery.pageSize) : nil
        hasPages = previous != nil || next != nil
        isStale = frame.unsaved.hasChanges
    }
}

extension AuthorListPage.Row {
    init(_ author: AuthorSnapshot, _ visitor: Visitor) {
        name = author.name
        var list = BookListQuery()
        list.author = author.name
        booksHref = list.address().text
        editHref = PageAddress("/authors/edit").with("name", author.name).text
        bookCount = visitor.number(Int(author.bookCount))
        totalPrice = author.totalPrice.map(visitor.price)
        isUnsaved = author.state != .saved
        state = author.state.rawValue
        badge = author.state == .new ? "New" : "Changed"
    }
}

/// The form of an author: another name, or none at all.
struct AuthorFormPage {
    let frame: Frame
    let name: String
    let newName: String
    let problem: String?
    let bookCount: String

    init(_ author: AuthorSnapshot, newName: String, problem: String? = nil, frame: Frame, visitor: Visitor) {
        self.frame = frame
        name = author.name
        self.newName = newName
        self.problem = problem
        bookCount = visitor.number(Int(author.bookCount))
    }
}

import CoreData

extension Book {
    /// Makes a book of what a line says, with a colour and a sentence of its own.
    convenience init(_ line: BookLine, author: Author?, context: NSManagedObjectContext) {
        self.init(context: context)
        title = line.title
        publishDate = line.date
        price = line.price
        url = line.url
        tintColor = TintColor(title: line.title)
        abstract = Data(Self.sentence(title: line.title, author: line.author).utf8)
        self.author = author
    }

    private static func sentence(title: String, author: String?) -> String {
        guard let author else { return "“\(title)” is by an unknown author." }
        return "“\(title)” is a book by \(author)."
    }
}

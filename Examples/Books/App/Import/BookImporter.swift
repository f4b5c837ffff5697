import CoreData

/// Adds the books of a CSV file to a store, batch by batch.
///
/// Each batch is inserted in a background context, saved, and let go of, so that memory does not grow with the file.
struct BookImporter {
    /// How many lines are saved together.
    static let batchSize = 2000

    /// A line that is not a book.
    struct Refusal: Equatable, Sendable {
        let line: Int
        let reason: String
    }

    /// How far an import is.
    struct Progress: Sendable {
        var imported = 0
        var refused = 0
        var bytesRead = 0
    }

    let container: NSPersistentContainer

    /// Imports everything that a reader reads.
    ///
    /// - Parameters:
    ///   - refuse: told of each line that is left out.
    ///   - report: told after each batch.
    /// - Returns: what was done; nil when the input is empty.
    /// - Throws: a `TextProblem` when the first line does not name the columns; an error of the input or the store.
    ///   What was saved before remains.
    func run(
        _ reader: consuming CSVReader, refuse: (Refusal) throws -> Void = { _ in },
        report: (Progress) -> Void = { _ in }
    ) throws -> Progress? {
        guard let columns = try Self.columns(&reader) else { return nil }
        let context = container.newBackgroundContext()
        context.undoManager = nil
        var progress = Progress()
        var batch: [BookLine] = []
        batch.reserveCapacity(Self.batchSize)
        func save() throws {
            try insert(batch, into: context)
            progress.imported += batch.count
            batch.removeAll(keepingCapacity: true)
        }
        while let line = try reader.next() {
            do throws(Refusal.Failure) {
                batch.append(try Self.book(line, columns))
            } catch {
                progress.refused += 1
                try refuse(error.refusal)
            }
            if batch.count == Self.batchSize {
                try save()
                progress.bytesRead = reader.bytesRead
                report(progress)
            }
        }
        try save()
        progress.bytesRead = reader.bytesRead
        report(progress)
        return progress
    }

    private static func columns(_ reader: inout CSVReader) throws -> BookColumns? {
        switch try reader.next() {
        case nil: return nil
        case .record(_, let fields): return try BookColumns(header: fields)
        case .refused(let line, let reason): throw TextProblem("Line \(line): \(reason.rawValue).")
        }
    }

    private static func book(_ line: CSVLine, _ columns: BookColumns) throws(Refusal.Failure) -> BookLine {
        switch line {
        case .refused(let number, let reason):
            throw Refusal.Failure(refusal: Refusal(line: number, reason: reason.rawValue))
        case .record(let number, let fields):
            do {
                return try columns.line(fields)
            } catch {
                throw Refusal.Failure(refusal: Refusal(line: number, reason: error.sentence))
            }
        }
    }

    private func insert(_ lines: [BookLine], into context: NSManagedObjectContext) throws {
        guard !lines.isEmpty else { return }
        try context.performAndWait { () throws in
            var authors = try self.authors(named: Set(lines.compactMap(\.author)), in: context)
            for line in lines {
                let author = line.author.map { name in
                    if let known = authors[name] { return known }
                    let new = Author(context: context)
                    new.name = name
                    authors[name] = new
                    return new
                }
                _ = Book(line, author: author, context: context)
            }
            try context.save()
            context.reset()
        }
    }

    private func authors(named names: Set<String>, in context: NSManagedObjectContext) throws -> [String:
        Author]
    {
        guard !names.isEmpty else { return [:] }
        let request: NSFetchRequest<Author> = Author.fetchRequest()
        request.predicate = NSPredicate(format: "name IN %@", Array(names))
        return Dictionary(
            try context.fetch(request).compactMap { author in author.name.map { ($0, author) } },
            uniquingKeysWith: { first, _ in first })
    }
}

extension BookImporter.Refusal {
    /// A refusal that is passed to the caller that counts them.
    fileprivate struct Failure: Error {
        let refusal: BookImporter.Refusal
    }
}

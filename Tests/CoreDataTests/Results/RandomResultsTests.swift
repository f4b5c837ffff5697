import CoreData
import TestSupport
import Testing

/// Random edits: a list kept by reports, the controller and a fresh fetch are the same after each.
@Suite struct RandomResultsTests {
    private final class Followed {
        let controller: NSFetchedResultsController<Book>
        let mirror = ResultsMirror()
        let name: String

        init(
            _ name: String, _ request: NSFetchRequest<Book>, sections: String? = nil,
            _ context: NSManagedObjectContext
        ) {
            self.name = name
            controller = NSFetchedResultsController(
                fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: sections,
                cacheName: nil)
            controller.delegate = mirror
        }

        func begin() throws {
            try controller.performFetch()
            mirror.begin(controller)
        }

        /// The objects that a fetch finds now, in sections.
        func fetched(_ context: NSManagedObjectContext) throws -> [ResultsMirror.Section] {
            let objects = try context.fetch(controller.fetchRequest)
            guard let keyPath = controller.sectionNameKeyPath else {
                return [.init(name: "", objects: objects)]
            }
            var sections: [ResultsMirror.Section] = []
            for object in objects {
                let name = object.value(forKeyPath: keyPath).map { "\($0)" } ?? ""
                if sections.last?.name != name { sections.append(.init(name: name, objects: [])) }
                sections[sections.count - 1].objects.append(object)
            }
            return sections
        }
    }

    private final class Walk {
        let stack: TestStack
        let context: NSManagedObjectContext
        let undo = UndoManager()
        var numbers: SeededNumbers
        var titles = 0
        private let merges: Bool
        /// Whether a change was made that what was registered before does not fit.
        private var cannotUndo = false
        var log: [String] = []
        /// Whether the last step reset the context, which is not reported to delegates.
        var isReset = false

        init(seed: UInt64, merges: Bool) throws {
            self.merges = merges
            stack = try TestStack()
            context = stack.context()
            numbers = SeededNumbers(seed: seed)
            undo.groupsByEvent = false
            context.performAndWait {
                context.retainsRegisteredObjects = true
                context.undoManager = undo
                context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            }
        }

        func title() -> String {
            titles += 1
            return "\("abcdefgh".randomElement(using: &numbers) ?? "a")\(titles)"
        }

        func name() -> String? {
            [nil, "a", "b", "c", "d", "e"].randomElement(using: &numbers) ?? nil
        }

        func book(_ context: NSManagedObjectContext) throws -> Book? {
            try context.fetch(.books(by: "title")).randomElement(using: &numbers)
        }

        func author(_ context: NSManagedObjectContext) throws -> Author? {
            let request = NSFetchRequest<Author>(entityName: "Author")
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            return try context.fetch(request).randomElement(using: &numbers)
        }

        /// One edit of a context's objects.
        func edit(_ context: NSManagedObjectContext) throws {
            let kind = Int.random(in: 0..<20, using: &numbers)
            log.append("edit \(kind)")
            switch kind {
            case 0..<5:
                let author = try author(context)
                SampleBooks.book(
                    title(), .random(in: 0..<6, using: &numbers), nil, kind < 3 ? author : nil, context)
            case 5, 6: try book(context).map(context.delete)
            case 7..<11: try book(context)?.pages = .random(in: 0..<6, using: &numbers)
            case 11: try book(context)?.title = title()
            case 12, 13: try book(context)?.author = try author(context)
            case 14: try book(context)?.setValue(Double(titles), forKey: "rating")
            case 15, 16: try author(context)?.name = name()
            case 17: Author(context: context).name = name()
            case 18:
                // All of a section get another name.
                let pages = Int32.random(in: 0..<6, using: &numbers)
                let other = Int32.random(in: 0..<9, using: &numbers)
                for book in try context.fetch(.books("pages == %@", [pages], by: "title")) {
                    book.pages = other
                }
            default:
                if Bool.random(using: &numbers) { try author(context).map(context.delete) }
            }
        }

        func step() throws {
            let kind = Int.random(in: 0..<30, using: &numbers)
            log.append("step \(kind)")
            switch kind {
            case 17, 18: if undo.canUndo { context.undo() }
            case 19: if undo.canRedo { context.redo() }
            default: try grouped { try change(kind) }
            }
            context.processPendingChanges()
        }

        /// Makes a group of what can be undone of some changes.
        func grouped(_ body: () throws -> Void) throws {
            undo.beginUndoGrouping()
            try body()
            context.processPendingChanges()
            undo.endUndoGrouping()
            if cannotUndo { undo.removeAllActions() }
            cannotUndo = false
        }

        private func change(_ kind: Int) throws {
            switch kind {
            case 0..<17:
                for _ in 0..<Int.random(in: 1...4, using: &numbers) { try edit(context) }
            case 20, 21: try context.save()
            case 22:
                context.rollback()
                cannotUndo = true
            case 23:
                let isMerging = Bool.random(using: &numbers)
                try book(context).map { context.refresh($0, mergeChanges: isMerging) }
                try author(context).map { context.refresh($0, mergeChanges: isMerging) }
                cannotUndo = true
            case 24: if !context.hasChanges { context.refreshAllObjects() }
            case 25..<28: if merges { try mergeOthers() }
            case 28:
                try context.save()
                cannotUndo = true
            default:
                if Int.random(in: 0..<8, using: &numbers) == 0 {
                    context.reset()
                    isReset = true
                    _ = try (context.fetch(.books(by: "title")), author(context))
                    _ = try context.fetch(NSFetchRequest<Author>(entityName: "Author"))
                    cannotUndo = true
                }
            }
        }

        /// Merges the save of another context.
        private func mergeOthers() throws {
            let other = stack.context()
            let saved = NotificationLog(.NSManagedObjectContextDidSave, from: other)
            try other.performAndWait {
                for _ in 0..<Int.random(in: 1...5, using: &numbers) { try edit(other) }
                try other.save()
            }
            for save in saved.all { context.mergeChanges(fromContextDidSave: save) }
            cannotUndo = true
        }
    }

    /// Every second walk merges what other contexts save.
    @Test(
        "After random edits a controller and its reports match a fetch",
        arguments: 1...Fuzzing.rounds(2, long: 4))
    func listsMatchAFetch(seed: Int) throws {
        let walk = try Walk(seed: UInt64(seed), merges: seed.isMultiple(of: 2))
        let context = walk.context
        try context.performAndWait {
            try walk.grouped {
                for _ in 0..<12 { try walk.edit(context) }
                try context.save()
            }
            _ = try context.fetch(NSFetchRequest<Author>(entityName: "Author"))
            walk.undo.removeAllActions()
            let batches = NSFetchRequest<Book>.books("rating == nil", by: "pages", "title")
            batches.fetchBatchSize = 3
            let wide = [
                Followed("all", .books(by: "title"), context),
                Followed("pages", .books(by: "pages", "title"), sections: "pages", context),
                Followed("some", .books("pages > 2", by: "-pages", "-title"), sections: "pages", context),
                Followed("authors", .books(by: "author.name", "title"), sections: "author.name", context),
                Followed("ofAuthors", .books("author.name BEGINSWITH 'b'", by: "title"), context),
                Followed("limit", .books(by: "pages", "title", limit: 5), sections: "pages", context),
                Followed("limitOfAuthors", .books(by: "author.name", "title", limit: 4), context),
                Followed(
                    "window", .books("pages < 5", by: "title", limit: 4, offset: 3), sections: nil, context),
                Followed("offset", .books(by: "-pages", "title", offset: 2), sections: "pages", context),
                Followed("batches", batches, sections: "pages", context),
                // Whenever a book changes its place, so does its section.
                Followed("titles", .books(by: "pages", "title"), sections: "title", context),
                Followed("counts", .books("author.books.@count > 1", by: "title"), context),
            ]
            // So many controllers that an object's values determine which of them a change may affect.
            let some = try context.fetch(.books(by: "title", limit: 3))
            let authors = some.compactMap(\.author)
            let narrow =
                (0..<7).map { Followed("pages \($0)", .books("pages == %@", [$0], by: "title"), context) }
                + (0..<5).map {
                    let request = NSFetchRequest<Book>.books(
                        "pages > %@ AND %@ >= pages AND rating == nil", [$0 - 1, $0 + 1], by: "pages",
                        "title",
                        limit: $0)
                    return Followed("pages near \($0)", request, sections: "pages", context)
                }
                + some.map {
                    let title = $0.title ?? "-"
                    return Followed("titled \(title)", .books("title == %@", [title], by: "title"), context)
                }
                + authors.map { Followed("of an author", .books("author == %@", [$0], by: "title"), context) }
                + [0.5, 5, 40].map {
                    Followed("rating < \($0)", .books("rating < %@", [$0], by: "title"), context)
                }
            let followed = wide + narrow
            for each in followed { try each.begin() }
            let differences = DifferenceMirror()
            let flat = NSFetchedResultsController(
                fetchRequest: .books(by: "pages", "title"), managedObjectContext: context,
                sectionNameKeyPath: nil, cacheName: nil)
            flat.delegate = differences
            try flat.performFetch()
            differences.objects = flat.fetchedObjects ?? []

            for number in 0..<250 {
                walk.log = []
                walk.isReset = false
                try walk.step()
                if walk.isReset {
                    for each in followed { each.mirror.begin(each.controller) }
                    differences.objects = flat.fetchedObjects ?? []
                }
                for each in followed {
                    let fetched = try each.fetched(context)
                    let isRight = fetched == ResultsMirror.content(each.controller)
                    try #require(isRight, "\(each.name) at \(number) after \(walk.log)")
                    try #require(
                        each.mirror.sections == fetched || each.controller.delegate == nil,
                        "\(each.name) reported at \(number) after \(walk.log)")
                    let paths = fetched.enumerated().flatMap { section, info in
                        info.objects.indices.map { IndexPath(item: $0, section: section) }
                    }
                    let objects = fetched.flatMap(\.objects).compactMap { $0 as? Book }
                    #expect(objects.map(each.controller.indexPath) == paths)
                    #expect(paths.map(each.controller.object) == objects)
                }
                let found = try context.fetch(flat.fetchRequest)
                #expect(flat.fetchedObjects == found && differences.objects == found)
            }
            #expect(followed.prefix(12).allSatisfy { $0.mirror.reports > 10 })
            #expect(narrow.reduce(0) { $0 + $1.mirror.reports } > 50)
        }
    }
}

// swift-format-ignore-file
import Combine
import Foundation
import SwiftUI

import class CoreData.NSManagedObjectContext

/// What a list of books shows.
@objc protocol LibraryDelegate {
    func library(_ name: String, didShow count: Int)
}

final class LibraryStack {
    let container: NSPersistentContainer
    weak var delegate: LibraryDelegate?

    init() throws {
        container = NSPersistentContainer(name: "Library")
        container.persistentStoreDescriptions.first!.url = URL(fileURLWithPath: "/dev/null")
        var failure: Error?
        container.loadPersistentStores { _, error in failure = error }
        if let failure = failure { throw failure }
    }

    /// Any class of managed objects.
    func all<T: NSManagedObject>(
        _ type: T.Type, where predicate: NSPredicate? = nil, by key: String? = nil
    ) throws -> [T] {
        let request = NSFetchRequest<T>(entityName: String(describing: T.entity().name!))
        request.predicate = predicate
        var found = try container.viewContext.fetch(request)
        if let key {
            let order = NSSortDescriptor(
                key: key, ascending: true,
                selector: #selector(NSString.localizedStandardCompare(_:)))
            found = (found as NSArray).sortedArray(using: [order]) as! [T]
        }
        delegate?.library("Library", didShow: found.count)
        return found
    }

    func make<T>(_ type: T.Type) -> T where T: NSManagedObject { T(context: container.viewContext) }

    func byCity(_ city: String) -> NSFetchRequest<NSFetchRequestResult> {
        let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Person")
        request.predicate = NSPredicate(format: "%K == %@", #keyPath(PersonObject.address.city), city)
        request.sortDescriptors = [
            NSSortDescriptor(
                key: #keyPath(PersonObject.lastName), ascending: false,
                selector: #selector(NSString.compare(_:)))
        ]
        return request
    }

    /// The sum of all pages, computed by the store.
    func pages() throws -> Int {
        let sum: NSExpression = NSExpression(
            forFunction: "sum:", arguments: [NSExpression(forKeyPath: #keyPath(Book.pageCount))])
        let description = NSExpressionDescription()
        description.name = "sum"
        description.expression = sum
        description.expressionResultType = .integer64AttributeType
        let request = NSFetchRequest<NSDictionary>(entityName: "Book")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = [description]
        let operation = NSComparisonPredicate.Operator.greaterThan
        request.predicate = NSComparisonPredicate(
            leftExpression: NSExpression(forKeyPath: \Book.pageCount),
            rightExpression: NSExpression(forConstantValue: 0), modifier: .direct, type: operation)
        return try container.viewContext.fetch(request).first?["sum"] as? Int ?? 0
    }

    /// The name of a getter.
    static let titleGetter = NSStringFromSelector(#selector(getter: Book.title))
    static let titleSetter = NSStringFromSelector(#selector(setter: Book.title))
}

/// Watches one book by the method of NSObject.
final class TitleWatcher: NSObject {
    private let book: Book
    private(set) var titles: [String] = []

    init(_ book: Book) {
        self.book = book
        super.init()
        book.addObserver(self, forKeyPath: #keyPath(Book.title), options: [.new], context: nil)
    }

    deinit { book.removeObserver(self, forKeyPath: #keyPath(Book.title)) }

    override func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        switch keyPath {
        case #keyPath(Book.title):
            titles.append(change?[.newKey] as? String ?? "nil")
        default:
            super.observeValue(forKeyPath: keyPath, of: object, change: change, context: context)
        }
    }
}

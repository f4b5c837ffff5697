// swift-format-ignore-file
import CoreData
import UIKit

// Protocols and generic code over managed objects, as many apps have them.

protocol Managed: AnyObject, NSFetchRequestResult {
    static var entityName: String { get }
    static var defaultSortDescriptors: [NSSortDescriptor] { get }
}

extension Managed where Self: NSManagedObject {
    static var entityName: String { return entity().name! }

    static var sortedFetchRequest: NSFetchRequest<Self> {
        let request = NSFetchRequest<Self>(entityName: entityName)
        request.sortDescriptors = defaultSortDescriptors
        return request
    }

    static func fetch(
        in context: NSManagedObjectContext, configure: (NSFetchRequest<Self>) -> Void = { _ in }
    ) -> [Self] {
        let request = NSFetchRequest<Self>(entityName: Self.entityName)
        configure(request)
        return try! context.fetch(request)
    }

    static func findOrCreate(
        in context: NSManagedObjectContext, matching predicate: NSPredicate,
        configure: (Self) -> Void
    ) -> Self {
        for object in context.registeredObjects where !object.isFault {
            guard let result = object as? Self, predicate.evaluate(with: result) else { continue }
            return result
        }
        let object: Self = context.insertObject()
        configure(object)
        return object
    }
}

extension NSManagedObjectContext {
    func insertObject<A: NSManagedObject>() -> A where A: Managed {
        guard let object = NSEntityDescription.insertNewObject(forEntityName: A.entityName, into: self) as? A
        else { fatalError("Wrong object type") }
        return object
    }

    func saveOrRollback() -> Bool {
        do {
            try save()
            return true
        } catch {
            rollback()
            return false
        }
    }
}

extension Page: Managed {
    static var defaultSortDescriptors: [NSSortDescriptor] {
        return [NSSortDescriptor(key: #keyPath(number), ascending: false)]
    }
}

extension CodingUserInfoKey {
    static let context = CodingUserInfoKey(rawValue: "context")!
}

/// Decodes addresses straight into a context.
struct AddressList: Decodable {
    let addresses: [Address]
}

extension Address {
    fileprivate enum CodingKeys: String, CodingKey { case city }

    fileprivate static func make(from decoder: Decoder) throws -> Address {
        guard let context = decoder.userInfo[.context] as? NSManagedObjectContext else {
            throw CocoaError(.coderInvalidValue)
        }
        let address = Address(context: context)
        address.city = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .city)
        return address
    }
}

extension AddressList {
    enum CodingKeys: String, CodingKey { case addresses }

    init(from decoder: Decoder) throws {
        var list = try decoder.container(keyedBy: CodingKeys.self).nestedUnkeyedContainer(forKey: .addresses)
        var found: [Address] = []
        while !list.isAtEnd { found.append(try Address.make(from: list.superDecoder())) }
        addresses = found
    }
}

/// Shows the pages of a context.
class PageListController: NSObject, NSFetchedResultsControllerDelegate {
    private let context: NSManagedObjectContext
    private(set) var changes: [String] = []

    lazy var fetchedResultsController: NSFetchedResultsController<Page> = {
        let controller = NSFetchedResultsController(
            fetchRequest: Page.sortedFetchRequest, managedObjectContext: context, sectionNameKeyPath: nil,
            cacheName: nil)
        controller.delegate = self
        return controller
    }()

    @objc init(context: NSManagedObjectContext) {
        self.context = context
        super.init()
    }

    func controllerWillChangeContent(_ controller: NSFetchedResultsController<NSFetchRequestResult>) {
        changes.append("will")
    }

    func controller(
        _ controller: NSFetchedResultsController<NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
        switch type {
        case .insert: changes.append("insert \(newIndexPath!.item)")
        case .delete: changes.append("delete \(indexPath!.item)")
        case .move: changes.append("move")
        case .update: changes.append("update")
        @unknown default: fatalError()
        }
    }

    func controllerDidChangeContent(_ controller: NSFetchedResultsController<NSFetchRequestResult>) {
        changes.append("did")
    }
}

#if canImport(UIKit)
extension PageListController: UITableViewDataSource {
    @objc func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { 0 }
}
#endif

import CoreData
import Synchronization

/// A book that notes which of its hooks are called, and gives itself a title before it is saved in a child.
final class HookedBook: NSManagedObject {
    static let log = Mutex<[String]>([])

    static func model() -> NSManagedObjectModel {
        .of(.make("HookedBook", class: HookedBook.self, [Library.attribute("title", .string)]))
    }

    private func note(_ hook: String) { Self.log.withLock { $0.append(hook) } }

    override func awakeFromInsert() {
        super.awakeFromInsert()
        note("awake")
    }

    override func willSave() {
        super.willSave()
        if value(forKey: "title") as? String == "new" { setValue("willSave", forKey: "title") }
    }

    override func validateForInsert() throws {
        try super.validateForInsert()
        note("validate")
    }

    override func didSave() {
        super.didSave()
        note("didSave")
    }
}

import CoreData
import StoreTools

/// What the check of stores finds in one that is not to have anything.
enum StoreFindings {
    static func of(_ file: URL, _ model: NSManagedObjectModel) throws -> [String] {
        try StoreCheck(file, model: model).findings()
            // The functions of derived attributes are this framework's.
            .filter { $0.code != .foreignTrigger }.map { "store check: \($0)" }
    }
}

import Foundation
import ManagedObjectModel

extension NSFetchRequest {
    /// Fetches in the context whose block is running: call it inside a block passed to
    /// `perform(_:)` or `performAndWait(_:)`.
    ///
    /// - Throws: 134060 outside of such a block; else as `NSManagedObjectContext.fetch(_:)`.
    public func execute() throws -> [ResultType] {
        guard let context = CurrentContext.value else {
            throw NSError.coreData(
                .coreData,
                "execute() needs a context whose block is running: call it inside perform(_:) or performAndWait(_:), or use the context's fetch(_:)."
            )
        }
        return try context.fetchTyped(self, as: ResultType.self)
    }
}

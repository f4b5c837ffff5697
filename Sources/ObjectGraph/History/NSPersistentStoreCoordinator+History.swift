import Foundation

extension NSPersistentStoreCoordinator {
    /// The current end of the history of stores.
    ///
    /// - Parameter stores: `[NSPersistentStore]`; nil for all.
    /// - Returns: nil when none of the stores has history, or it cannot be read.
    public func currentPersistentHistoryToken(fromStores stores: [Any]?) -> NSPersistentHistoryToken? {
        var numbers: [String: Int64] = [:]
        for case let store as any HistoryStore in stores ?? persistentStores where store.hasHistory {
            do {
                numbers[store.identifier ?? ""] = try store.readHistory { try $0.lastNumber() }
            } catch {
                Log.store.error("Could not read the history token: \(error.localizedDescription)")
                return nil
            }
        }
        return numbers.isEmpty ? nil : NSPersistentHistoryToken(numbers)
    }

    /// Executes a request for the history of this coordinator's stores.
    func execute(_ request: NSPersistentHistoryChangeRequest) throws -> NSPersistentHistoryResult {
        try HistoryExecution(request, self).run()
    }
}

import ObjectGraph

extension SQLiteStore: FollowedStore {
    package func historyChanges(after number: Int64, but own: Set<Int64>) throws -> HistoryChanges {
        guard history != nil else { throw Self.removed }
        return try readOwnHistory { reader in
            var changes = HistoryChanges(last: try reader.lastNumber())
            try reader.checkHasAll(after: number)
            guard number < .max else { return changes }
            try reader.forEachChange(of: (number + 1)...Int64.max) { row in
                guard !own.contains(row.transactionNumber) else { return true }
                let id = row.objectID
                // What was inserted and then updated is new; what was deleted at last is gone.
                if row.type != .update || changes.types[id] == nil { changes.types[id] = row.type }
                return true
            }
            return changes
        }
    }

    package func forgetRows() { rowCache.removeAll() }
}

import CoreData

// Histories, batch requests and metadata.

extension Scenario {
    private static let tracked = [StoreFile(name: Stage.mainName, type: .sqlite, hasHistory: true)]
    private static var tracking: [String: Any] { [NSPersistentHistoryTrackingKey: true] }

    static let histories = [
        Scenario("history-create", files: tracked) { stage in
            try stage.step(isDurable: true) { try stage.open(options: stage.options(tracking)) }
            try stage.step { try stage.context().change { $0.make("Author", "First") } }
        },
        // A store that has no history yet gets one.
        Scenario("history-add", files: tracked, prepare: { try Contents.make($0) }) { stage in
            try stage.open(options: stage.options(tracking))
            try stage.step { try stage.context().change { $0.make("Author", "First") } }
        },
        Scenario(
            "history", files: tracked, repeats: true,
            prepare: { try Contents.make($0, options: $0.options(tracking)) }
        ) { stage in
            try stage.open(options: stage.options(tracking))
            let context = stage.context()
            try stage.step {
                try context.change { context in
                    let author = context.make("Author", "Cid", ["note": "kept"])
                    context.make("Book", "Cid1", ["author": author])
                    try context.get("Book", "Ann1").setValue(77, forKey: "pages")
                }
            }
            try stage.step { try context.change { $0.delete(try $0.get("Author", "Ann")) } }
            try stage.step {
                try context.change { try $0.get("Author", "Ben").setValue("b", forKey: "note") }
            }
        },
        Scenario(
            "history-delete", files: tracked,
            prepare: { stage in
                try Contents.make(stage, options: stage.options(tracking))
                try stage.open(options: stage.options(tracking))
                for number in 1...3 {
                    try stage.context().change { $0.make("Tag", "t\(number)") }
                }
                try stage.close()
            }
        ) { stage in
            try stage.open(options: stage.options(tracking))
            let context = stage.context()
            try stage.step {
                try context.performAndWait {
                    let all = NSPersistentHistoryChangeRequest.fetchHistory(
                        after: nil as NSPersistentHistoryToken?)
                    let result = try context.execute(all) as? NSPersistentHistoryResult
                    let transactions = result?.result as? [NSPersistentHistoryTransaction] ?? []
                    guard transactions.count > 2 else { throw TortureError("There is too little history.") }
                    _ = try context.execute(
                        NSPersistentHistoryChangeRequest.deleteHistory(before: transactions[2]))
                }
            }
            try stage.step { try context.change { $0.make("Tag", "later") } }
        },
    ]

    static let batches = [
        Scenario("batch-insert", prepare: { try Contents.make($0) }) { stage in
            try stage.open()
            let context = stage.context()
            try stage.step {
                let rows: [[String: Any]] = (1...30).map { ["name": "Batch \($0)", "pages": $0] }
                try context.performAndWait {
                    _ = try context.execute(NSBatchInsertRequest(entityName: "Book", objects: rows))
                }
            }
            try stage.step {
                let rows: [[String: Any]] = [
                    ["name": "Covered", "cover": Contents.large(3)], ["name": "Plain"],
                ]
                try context.performAndWait {
                    _ = try context.execute(NSBatchInsertRequest(entityName: "Book", objects: rows))
                }
            }
        },
        Scenario("batch-update", prepare: { try Contents.make($0, withCovers: true) }) { stage in
            try stage.open()
            let context = stage.context()
            try stage.step {
                let request = NSBatchUpdateRequest(entityName: "Book")
                request.propertiesToUpdate = ["pages": 9]
                request.predicate = NSPredicate(format: "author.name == 'Ann'")
                try context.performAndWait { _ = try context.execute(request) }
            }
            try stage.step {
                let request = NSBatchUpdateRequest(entityName: "Author")
                request.propertiesToUpdate = ["note": "all"]
                try context.performAndWait { _ = try context.execute(request) }
            }
        },
        Scenario("batch-delete", prepare: { try Contents.make($0, withCovers: true) }) { stage in
            try stage.open()
            let context = stage.context()
            try stage.step {
                let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
                fetch.predicate = NSPredicate(format: "pages == 10")
                try context.performAndWait {
                    _ = try context.execute(NSBatchDeleteRequest(fetchRequest: fetch))
                }
            }
            try stage.step {
                let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "Author")
                try context.performAndWait {
                    _ = try context.execute(NSBatchDeleteRequest(fetchRequest: fetch))
                }
            }
        },
        Scenario(
            "batch-history", files: tracked,
            prepare: { try Contents.make($0, options: $0.options(tracking), withCovers: true) }
        ) { stage in
            try stage.open(options: stage.options(tracking))
            let context = stage.context()
            try stage.step {
                let request = NSBatchUpdateRequest(entityName: "Book")
                request.propertiesToUpdate = ["pages": 9]
                try context.performAndWait { _ = try context.execute(request) }
            }
            try stage.step {
                let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "Author")
                fetch.predicate = NSPredicate(format: "name == 'Ben'")
                try context.performAndWait {
                    _ = try context.execute(NSBatchDeleteRequest(fetchRequest: fetch))
                }
            }
        },
    ]

    static let metadata = [
        Scenario("metadata", prepare: { try Contents.make($0) }) { stage in
            let store = try stage.open()
            let context = stage.context()
            for number in 1...2 {
                try stage.step {
                    store.metadata["TortureNumber"] = number
                    try context.change { $0.make("Tag", "m\(number)") }
                }
            }
            try stage.step {
                store.metadata["TortureText"] = "alone"
                try context.change { _ in }
            }
        },
        Scenario("metadata-set", prepare: { try Contents.make($0) }) { stage in
            for number in 1...2 {
                try stage.step {
                    try NSPersistentStoreCoordinator.setMetadata(
                        ["TortureNumber": number], type: .sqlite, at: stage.main)
                }
            }
        },
    ]

    static let journals = [
        // The log goes into the file in the middle of a save.
        Scenario("checkpoints", repeats: true, prepare: { try Contents.make($0) }) { stage in
            try stage.open(options: stage.options(pragmas: ["wal_autocheckpoint": "4"]))
            let context = stage.context()
            for number in 1...4 {
                try stage.step {
                    try context.change { context in
                        try context.get("Book", "Ann1").setValue(number, forKey: "pages")
                        context.make("Author", "A\(number)")
                    }
                }
            }
        },
        // Without a write-ahead log.
        Scenario("rollback-journal", repeats: true, prepare: { try Contents.make($0, withCovers: true) }) {
            stage in
            try stage.open(options: stage.options(pragmas: ["journal_mode": "DELETE"]))
            let context = stage.context()
            for number in 1...2 {
                try stage.step {
                    try context.change { context in
                        try context.get("Book", "Ann1").setValue(number, forKey: "pages")
                        context.make("Author", "A\(number)")
                        try context.get("Book", "Ben\(number)").setValue(Contents.large(77), forKey: "cover")
                    }
                }
            }
        },
        // More than fits into the cache, which spills into the log before the commit.
        Scenario("spilling", repeats: true, prepare: { try Contents.make($0) }) { stage in
            try stage.open(options: stage.options(pragmas: ["cache_size": "10"]))
            try stage.step {
                try stage.context().change { context in
                    for number in 1...40 {
                        context.make(
                            "Book", "Large \(number)", ["cover": Data(repeating: UInt8(number), count: 5000)])
                    }
                }
            }
        },
        Scenario("vacuum", prepare: { try Contents.make($0) }) { stage in
            try stage.open(
                options: stage.options([NSSQLiteManualVacuumOption: true, NSSQLiteAnalyzeOption: true]))
            try stage.step { try stage.context().change { $0.make("Tag", "after") } }
        },
    ]
}

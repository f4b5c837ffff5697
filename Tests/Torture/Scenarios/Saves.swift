import CoreData

// Saves of contexts.

extension Scenario {
    static let saves = [
        Scenario("create") { stage in
            try stage.step(isDurable: true) { try stage.open() }
            try stage.step { try stage.context().change { $0.make("Author", "First") } }
        },
        Scenario("insert", repeats: true, prepare: { try Contents.make($0) }) { stage in
            try stage.open()
            for number in 1...3 {
                try stage.step {
                    try stage.context().change { context in
                        let author = context.make("Author", "New \(number)")
                        for book in 1...3 {
                            context.make("Book", "Book \(number).\(book)", ["author": author, "pages": book])
                        }
                    }
                }
            }
        },
        Scenario("update", repeats: true, prepare: { try Contents.make($0) }) { stage in
            try stage.open()
            let context = stage.context()
            for number in 1...3 {
                try stage.step {
                    try context.change { context in
                        try context.get("Author", "Ann").setValue("note \(number)", forKey: "note")
                        try context.get("Book", "Ann1").setValue(number * 100, forKey: "pages")
                        try context.get("Book", "Ben2").setValue(number * 1000, forKey: "pages")
                    }
                }
            }
        },
        Scenario("delete", repeats: true, prepare: { try Contents.make($0) }) { stage in
            try stage.open()
            let context = stage.context()
            try stage.step { try context.change { $0.delete(try $0.get("Book", "Ann1")) } }
            try stage.step { try context.change { $0.delete(try $0.get("Author", "Ben")) } }
            try stage.step { try context.change { $0.delete(try $0.get("Tag", "dark")) } }
        },
        Scenario("links", repeats: true, prepare: { try Contents.make($0) }) { stage in
            try stage.open()
            let context = stage.context()
            try stage.step {
                try context.change { context in
                    let light = try context.get("Tag", "light")
                    for name in ["Ann1", "Ben1"] {
                        try context.get("Book", name).setValue(NSSet(object: light), forKey: "tags")
                    }
                }
            }
            try stage.step {
                try context.change { context in
                    try context.get("Book", "Ann1").setValue(context.get("Author", "Ben"), forKey: "author")
                    try context.get("Book", "Ben1").setValue(nil, forKey: "author")
                }
            }
            try stage.step {
                try context.change { context in
                    let all = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))
                    try context.get("Tag", "dark").setValue(NSSet(array: all), forKey: "books")
                }
            }
        },
        Scenario("orders", repeats: true, prepare: { try Contents.make($0) }) { stage in
            try stage.open()
            let context = stage.context()
            for number in 1...3 {
                try stage.step {
                    try context.change { context in
                        let book = try context.get("Book", "Ann\(number % 2 + 1)")
                        var chapters = (book.value(forKey: "chapters") as? NSOrderedSet)?.array ?? []
                        // They cannot always be read.
                        guard !chapters.isEmpty else { throw TortureError("The book has no chapters.") }
                        chapters.append(chapters.removeFirst())
                        chapters.insert(context.make("Chapter", "new \(number)"), at: 1)
                        book.setValue(NSOrderedSet(array: chapters), forKey: "chapters")
                    }
                }
            }
        },
        Scenario("permanent-ids", prepare: { try Contents.make($0) }) { stage in
            try stage.open()
            let context = stage.context()
            try stage.step {
                try context.change { context in
                    let author = context.make("Author", "Early")
                    try context.obtainPermanentIDs(for: [author])
                    context.make("Book", "Early 1", ["author": author])
                }
            }
            try stage.step { try context.change { $0.make("Author", "Late") } }
        },
        // A context that saves to its parent, and the parent to the store.
        Scenario("family", prepare: { try Contents.make($0) }) { stage in
            try stage.open()
            let parent = stage.context()
            for number in 1...2 {
                try stage.step {
                    let child = NSManagedObjectContext(.privateQueue)
                    child.parent = parent
                    try child.change { context in
                        let author = try context.get("Author", "Ann")
                        context.make("Book", "Child \(number)", ["author": author])
                        try context.get("Book", "Ben1").setValue(number, forKey: "pages")
                    }
                    try parent.change { _ in }
                }
            }
        },
    ]

    static let externalData = [
        Scenario("external-insert", repeats: true, prepare: { try Contents.make($0) }) { stage in
            try stage.open()
            for number in 1...2 {
                try stage.step {
                    try stage.context().change { context in
                        for part in 1...2 {
                            let name = "Covered \(number).\(part)"
                            context.make("Book", name, ["cover": Contents.large(UInt8(number * 10 + part))])
                        }
                    }
                }
            }
        },
        Scenario("external-replace", repeats: true, prepare: { try Contents.make($0, withCovers: true) }) {
            stage in
            try stage.open()
            let context = stage.context()
            for number in 1...2 {
                try stage.step {
                    try context.change { context in
                        try context.get("Book", "Ann1").setValue(
                            Contents.large(UInt8(40 + number)), forKey: "cover")
                        try context.get("Book", "Ben\(number)").setValue(Data([1, 2]), forKey: "cover")
                    }
                }
            }
        },
        Scenario("external-delete", repeats: true, prepare: { try Contents.make($0, withCovers: true) }) {
            stage in
            try stage.open()
            let context = stage.context()
            try stage.step { try context.change { $0.delete(try $0.get("Book", "Ann1")) } }
            try stage.step {
                try context.change { try $0.get("Book", "Ann2").setValue(nil, forKey: "cover") }
            }
            try stage.step { try context.change { $0.delete(try $0.get("Author", "Ben")) } }
        },
    ]

    static let constraints = [
        Scenario("constraints", prepare: { try Contents.make($0) }) { stage in
            try stage.open()
            try stage.step {
                try stage.context(policy: .mergeByPropertyObjectTrump).change {
                    $0.make("Book", "Ann1", ["pages": 500])
                }
            }
            try stage.step {
                try stage.context(policy: .mergeByPropertyStoreTrump).change {
                    $0.make("Book", "Ann2", ["pages": 501])
                    $0.make("Book", "Free", ["pages": 502])
                }
            }
            // Names that change places.
            try stage.step {
                try stage.context().change { context in
                    let (one, two) = (try context.get("Book", "Ben1"), try context.get("Book", "Ben2"))
                    one.setValue("Ben2", forKey: "name")
                    two.setValue("Ben1", forKey: "name")
                }
            }
        },
        Scenario("conflicts", prepare: { try Contents.make($0) }) { stage in
            try stage.open()
            let first = stage.context(policy: .mergeByPropertyObjectTrump)
            let second = stage.context(policy: .mergeByPropertyObjectTrump)
            for number in 1...2 {
                try second.performAndWait {
                    let book = try second.get("Book", "Ann1")
                    second.refresh(book, mergeChanges: false)
                    book.setValue(number, forKey: "pages")
                }
                try stage.step {
                    try first.change { try $0.get("Book", "Ann1").setValue("N\(number)", forKey: "name") }
                }
                try stage.step { try second.change { _ in } }
                try stage.step {
                    try first.change { context in
                        let book = try context.get("Book", "N\(number)")
                        context.refresh(book, mergeChanges: false)
                        book.setValue("Ann1", forKey: "name")
                    }
                }
            }
        },
    ]
}

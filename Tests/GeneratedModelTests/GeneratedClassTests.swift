import CoreData
import Testing

/// Classes that the plugin made of `Awkward.xcdatamodeld`, used.
@Suite struct GeneratedClassTests {
    @Test("Generated properties of every type are read from the store")
    func everyTypeComesBackFromTheStore() throws {
        let stack = try Awkward.container()
        let writing = stack.newBackgroundContext()
        let id = try writing.performAndWait {
            let object = Everything(context: writing)
            object.binary = Data([1, 2, 3])
            object.bool = true
            object.boolNumber = true
            object.colors = ["red", "blue"]
            object.date = Foundation.Date(timeIntervalSinceReferenceDate: 12.5)
            object.dateInterval = 99.25
            object.decimal = NSDecimalNumber(string: "1.10")
            object.double = 2.5
            object.doubleNumber = 3.5
            object.float = 4.5
            object.int16 = -16
            object.int32 = 32
            object.int64 = .max
            object.int64Number = NSNumber(value: Int64.min)
            object.loose = "kept as it is"
            object.transformable = NSArray(array: ["a", "b"])
            object.uri = URL(string: "https://swift.org")
            object.uuid = UUID(uuidString: "6E1F6BD5-0A4B-4F4C-8F2A-1D5B8E1E2F30")
            #expect(object.string == "none")
            #expect(object.loose as? String == "kept as it is")
            try writing.save()
            return object.objectID
        }
        let reading = stack.newBackgroundContext()
        try reading.performAndWait {
            let object = try #require(try reading.existingObject(with: id) as? Everything)
            #expect(object.binary == Data([1, 2, 3]))
            #expect(object.bool)
            #expect(object.boolNumber == true)
            #expect(object.colors == ["red", "blue"])
            #expect(object.date == Foundation.Date(timeIntervalSinceReferenceDate: 12.5))
            #expect(object.dateInterval == 99.25)
            #expect(object.decimal == NSDecimalNumber(string: "1.10"))
            #expect(object.double == 2.5)
            #expect(object.doubleNumber == 3.5)
            #expect(object.float == 4.5)
            #expect(object.int16 == -16)
            #expect(object.int32 == 32)
            #expect(object.int64 == .max)
            #expect(object.int64Number?.int64Value == .min)
            #expect(object.loose == nil)
            #expect(object.transformable == NSArray(array: ["a", "b"]))
            #expect(object.uri == URL(string: "https://swift.org"))
            #expect(object.uuid?.uuidString == "6E1F6BD5-0A4B-4F4C-8F2A-1D5B8E1E2F30")
        }
    }

    @Test("A new object has the default values of the model")
    func aNewObjectHasNoValuesButTheModelsDefaults() throws {
        try Awkward.inContext { context in
            let object = Everything(context: context)
            #expect(object.int16 == 0)
            #expect(object.boolNumber == nil)
            #expect(object.date == nil)
            #expect(object.dateInterval == 0)
            #expect(object.decimal == 0)
            #expect(Novel(context: context).genre == ##"fiction "#"""# \(raw) & <x>"##)
        }
    }

    @Test("A generated fetch request finds objects of its entity and subentities")
    func requestsFindSubentities() throws {
        try Awkward.inContext { context in
            let novel = Novel(context: context)
            novel.title = "The Dispossessed"
            novel.length = 341
            try context.save()
            let works: NSFetchRequest<Work> = Work.fetchRequest()
            let novels: NSFetchRequest<Novel> = Novel.fetchRequest()
            #expect(works.entityName == "Work")
            #expect(try context.fetch(works) == [novel])
            #expect(try context.fetch(novels).map(\.length) == [341])
            let subentity: AnyClass = Novel.self
            #expect(subentity is Work.Type)
        }
    }

    @Test("A class and its properties may have keywords as names, and another name than the entity")
    func aClassMayBeCalledOtherwiseThanItsEntity() throws {
        try Awkward.inContext { context in
            let object = `Protocol`(context: context)
            #expect(object.entity.name == "Keywords")
            object.case = "a"
            object.func = "b"
            object.default = "c"
            object.`init` = "d"
            object.URL = Foundation.URL(string: "file:///tmp")
            let date = Date(context: context)
            date.day = Foundation.Date(timeIntervalSinceReferenceDate: 0)
            date.addToFor(object)
            #expect(object.in === date)
            #expect(object.value(forKey: "default") as? String == "c")
            #expect(object.value(forKey: "init") as? String == "d")
        }
    }

    @Test("Classes written by hand are found and may be superclasses")
    func classesWrittenByHandAreFoundAndInheritedFrom() throws {
        try Awkward.inContext { context in
            let subentity = HeirOfManual(context: context)
            subentity.text = "by hand"
            subentity.more = "generated"
            #expect(subentity.value(forKey: "text") as? String == "by hand")
            let chapter = BookChapter(context: context)
            #expect(chapter.wakes == 1)
            let plain = NSEntityDescription.insertNewObject(forEntityName: "Plain", into: context)
            #expect(type(of: plain) == NSManagedObject.self)
            let manual = NSEntityDescription.insertNewObject(forEntityName: "Manual", into: context)
            #expect(type(of: manual) == HandWritten.self)
        }
    }

    @Test("A generated class is identifiable by its attribute id or by the object")
    func objectsAreIdentifiedByTheirAttributeOrByThemselves() throws {
        try Awkward.inContext { context in
            let author = Author(context: context)
            let id = UUID()
            author.id = id
            #expect(Self.identity(of: author) == AnyHashable(UUID?.some(id)))
            let novel = Novel(context: context)
            #expect(Self.identity(of: novel) == AnyHashable(ObjectIdentifier(novel)))
        }
    }

    private static func identity(of value: some Identifiable) -> AnyHashable { AnyHashable(value.id) }

    @Test("A fetched property is an array of its class")
    func fetchedPropertiesAreArraysOfTheirClass() throws {
        try Awkward.inContext { context in
            let author = Author(context: context)
            author.id = UUID()
            for length: Int32 in [50, 150] {
                let novel = Novel(context: context)
                novel.length = length
                novel.author = author
            }
            try context.save()
            context.refreshAllObjects()
            #expect(author.longWorks?.map(\.length) == [150])
        }
    }
}

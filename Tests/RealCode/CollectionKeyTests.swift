import CoreData
import Testing

/// Notes the keys that its entity does not have.
private final class Notebook: NSManagedObject {
    nonisolated(unsafe) private(set) var unknownKeys: [String] = []

    override func value(forUndefinedKey key: String) -> Any? {
        unknownKeys.append(key)
        return nil
    }
}

/// Key-value coding of collections of managed objects.
@MainActor @Suite struct CollectionKeyTests {
    private let stack: CarStack
    private let owner: NSManagedObject
    private let cars: [NSManagedObject]

    init() throws {
        stack = try CarStack()
        owner = stack.insert("Owner", ["name": "Ada"])
        var made: [NSManagedObject] = []
        for (maker, number) in [("Fiat", 1), ("Seat", 2), ("Fiat", 3)] {
            made.append(stack.insert("Car", ["maker": maker, "number": number, "owner": owner]))
        }
        made.append(stack.insert("Car", ["maker": "Opel"]))
        cars = made
    }

    @Test("A collection gives the values of a key of its elements")
    func collectionsHaveTheKeysOfTheirElements() {
        let array = NSArray(array: cars)
        let makers = array.value(forKey: "maker") as? NSArray
        #expect(makers?.map { $0 as? String } == ["Fiat", "Seat", "Fiat", "Opel"])
        let numbers = array.value(forKey: "number") as? NSArray
        #expect(numbers?.map { $0 as? Int } == [1, 2, 3, nil])
        let names = array.value(forKeyPath: "owner.name") as? NSArray
        #expect(names?.lastObject is NSNull)
        let set = NSSet(array: cars).value(forKey: "maker") as? NSSet
        #expect(set == NSSet(array: ["Fiat", "Seat", "Opel"]))
        let ordered = NSOrderedSet(array: cars).value(forKey: "maker") as? NSOrderedSet
        #expect(ordered?.array as? [String] == ["Fiat", "Seat", "Opel"])
    }

    @Test("Objects answer for the properties that all of them have, by both names")
    func ownPropertiesHaveKeys() throws {
        #expect(cars[0].value(forKey: "hasChanges") as? Bool == true)
        #expect(cars[0].value(forKey: "isInserted") as? Bool == true)
        #expect(cars[0].value(forKey: "inserted") as? Bool == true)
        #expect(cars[0].value(forKey: "deleted") as? Bool == false)
        #expect(cars[0].value(forKey: "managedObjectContext") as? NSManagedObjectContext === stack.context)
        #expect(cars[0].value(forKey: "self") as? NSManagedObject === cars[0])
        try stack.context.save()
        cars[1].setValue(5, forKey: "number")
        let changed = NSArray(array: cars).filtered(using: NSPredicate(format: "hasChanges == YES"))
        #expect(changed as? [NSManagedObject] == [cars[1]])
    }

    @Test("The path of a URL is that of NSURL: without percent escapes")
    func pathsOfURLs() throws {
        let url = try #require(URL(string: "http://example.org/a%20b/"))
        #expect(NSPredicate(format: "path == '/a b'").evaluate(with: url))
        #expect(NSPredicate(format: "host == 'example.org' AND query == nil").evaluate(with: url))
    }

    @Test("Operators work on collections, and numbers convert")
    func operatorsWork() {
        let set = owner.mutableSetValue(forKey: "cars")
        #expect(set.value(forKeyPath: "@sum.number") as? Double == 6)
        #expect(set.value(forKeyPath: "@avg.number") as? Int == 2)
        #expect(set.value(forKeyPath: "@max.number") as? Int16 == 3)
        #expect(set.value(forKeyPath: "@min.number") as? Bool == true)
        #expect(set.value(forKey: "@count") as? Int == 3)
        cars[0].mutableSetValue(forKeyPath: "owner.cars").remove(cars[1])
        #expect(set.count == 2)
        let array = NSArray(array: cars)
        #expect((array.value(forKeyPath: "@distinctUnionOfObjects.maker") as? NSArray)?.count == 3)
        #expect((array.value(forKeyPath: "@unionOfObjects.maker") as? NSArray)?.count == 4)
        let sum = NSKeyValueOperator.sumKeyValueOperator
        #expect(array.value(forKeyPath: "@\(sum.rawValue).number") as? Int == 6)
        #expect(owner.value(forKeyPath: "cars.@sum.number") as? Double == 4)
    }

    @Test("What is set on a collection is set on its elements")
    func collectionsSetKeysOfTheirElements() {
        NSArray(array: cars).setValue("Audi", forKey: "maker")
        #expect(cars.allSatisfy { $0.value(forKey: "maker") as? String == "Audi" })
        NSSet(array: cars).setValue("Eva", forKeyPath: "owner.name")
        #expect(owner.value(forKey: "name") as? String == "Eva")
        NSOrderedSet(array: cars).setValue(nil, forKey: "maker")
        #expect(cars.allSatisfy { $0.value(forKey: "maker") == nil })
    }

    @Test("Dictionaries have key paths")
    func dictionariesHaveKeyPaths() {
        let dictionary = NSMutableDictionary(dictionary: ["owner": owner, "cars": NSArray(array: cars)])
        #expect(dictionary.value(forKeyPath: "owner.name") as? String == "Ada")
        #expect(dictionary.value(forKeyPath: "cars.@count") as? Int == 4)
        dictionary.setValue("Eva", forKeyPath: "owner.name")
        #expect(owner.value(forKey: "name") as? String == "Eva")
        dictionary.setValuesForKeys(["a": 1, "owner": NSNull()])
        #expect(dictionary["owner"] == nil)
        let values = dictionary.dictionaryWithValues(forKeys: ["a", "b"])
        #expect(values["a"] as? Int == 1)
        #expect(values["b"] is NSNull)
    }

    @Test("A mutable dictionary stores NSNull for a key, and removes the key for nil")
    func dictionariesStoreNSNull() {
        let dictionary = NSMutableDictionary(dictionary: ["a": 1, "b": 2, "c": 3, "owner": owner])
        dictionary.setValue(NSNull(), forKey: "a")
        #expect(dictionary["a"] is NSNull)
        dictionary.setValue(nil, forKey: "b")
        #expect(dictionary["b"] == nil)
        dictionary.setValue(NSNull(), forKeyPath: "c")
        #expect(dictionary["c"] is NSNull)
        dictionary.setValue(nil, forKeyPath: "owner.name")
        #expect(owner.value(forKey: "name") == nil)
        dictionary.setValue(Optional<Any>.some(Optional<Int>.none as Any), forKey: "a")
        #expect(dictionary["a"] == nil)
        #expect(dictionary.count == 2)
    }

    @Test("Several keys are read literally: dots and \"self\" have no meaning in them")
    func severalKeysAreNoPaths() {
        let dictionary = NSDictionary(dictionary: ["a.b": 1, "a": "text", "self": 2, "n": NSNull()])
        let values = dictionary.dictionaryWithValues(forKeys: ["a.b", "a.c", "self", "n", "@count"])
        #expect(values["a.b"] as? Int == 1)
        #expect(values["a.c"] is NSNull)
        #expect(values["self"] as? Int == 2)
        #expect(values["n"] is NSNull)
        #expect(values["@count"] as? Int == 4)
    }

    @Test("Several keys of a managed object are read as keys, and written with NSNull for nil")
    func severalKeysOfObjects() throws {
        let values = cars[0].dictionaryWithValues(forKeys: ["maker", "number", "owner"])
        #expect(values["maker"] as? String == "Fiat")
        #expect(values["owner"] as? NSManagedObject === owner)
        #expect(cars[3].dictionaryWithValues(forKeys: ["number"])["number"] is NSNull)
        cars[0].setValuesForKeys(["maker": NSNull(), "number": 7])
        #expect(cars[0].value(forKey: "maker") == nil)
        #expect(cars[0].value(forKey: "number") as? Int == 7)
        let entity = NSEntityDescription()
        entity.name = "Notebook"
        entity.managedObjectClassName = NSStringFromClass(Notebook.self)
        let notebook = Notebook(entity: entity, insertInto: nil)
        #expect(notebook.dictionaryWithValues(forKeys: ["owner.name"])["owner.name"] is NSNull)
        #expect(notebook.unknownKeys == ["owner.name"])
    }

    @Test("Objects of an array are observed together")
    func objectsOfArraysAreObserved() {
        final class Watcher: KeyValueObserver {
            var count = 0
            func observeValue(
                forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
                context: UnsafeMutableRawPointer?
            ) { count += 1 }
        }
        let watcher = Watcher()
        let array = NSArray(array: cars)
        let indexes = IndexSet([0, 2])
        array.addObserver(watcher, toObjectsAt: indexes, forKeyPath: "maker", context: nil)
        for car in cars { car.setValue("Audi", forKey: "maker") }
        #expect(watcher.count == 2)
        array.removeObserver(watcher, fromObjectsAt: indexes, forKeyPath: "maker")
        cars[0].setValue("Fiat", forKey: "maker")
        #expect(watcher.count == 2)
    }
}

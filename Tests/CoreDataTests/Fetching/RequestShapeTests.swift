import CoreData
import Foundation
import Testing

/// Requests whose statements are written once for all that differ in constants alone.
@Suite struct RequestShapeTests {
    let folder: StoreFolder
    let coordinator: NSPersistentStoreCoordinator

    init() throws {
        folder = try StoreFolder()
        let thing = NSEntityDescription("Thing", attribute("code", .integer64), attribute("name", .string))
        let other = NSEntityDescription("Other", attribute("code", .integer64))
        coordinator = try folder.open(NSManagedObjectModel(of: thing, other))
        try coordinator.inContext { context in
            for code in 0..<40 {
                try context.insert("Thing", ["code": code, "name": "name \(code % 4)"])
                if code % 2 == 0 { try context.insert("Other", ["code": code]) }
            }
            try context.save()
        }
    }

    private func codes(_ request: NSFetchRequest<NSManagedObject>, _ context: NSManagedObjectContext) throws
        -> [Int]
    {
        try context.fetch(request).compactMap { $0.value(forKey: "code") as? Int }
    }

    @Test("Requests of one shape, and of others between them, find their own objects")
    func alternatingShapes() throws {
        try coordinator.inContext { context throws in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
            let others = NSFetchRequest<NSManagedObject>(entityName: "Other")
            let condition = NSPredicate(format: "code == $code")
            for code in 0..<40 {
                request.predicate = condition.withSubstitutionVariables(["code": code])
                #expect(try codes(request, context) == [code])
                others.predicate = request.predicate
                #expect(try codes(others, context) == (code % 2 == 0 ? [code] : []))
                #expect(try context.count(for: request) == 1)
                request.predicate = NSPredicate(format: "code < %d AND name == %@", code, "name 1")
                #expect(try codes(request, context) == (0..<code).filter { $0 % 4 == 1 })
                request.predicate = NSPredicate(format: "code < %d OR name == %@", code, "name 1")
                #expect(try codes(request, context) == (0..<40).filter { $0 < code || $0 % 4 == 1 })
                request.predicate = NSPredicate(format: "code >= %d", code)
                request.fetchLimit = 3
                #expect(try codes(request, context) == Array((code..<40).prefix(3)))
                request.fetchLimit = 0
                request.sortDescriptors = [NSSortDescriptor(key: "code", ascending: false)]
                #expect(try codes(request, context) == Array((code..<40).reversed()))
                request.sortDescriptors = nil
                request.predicate = NSPredicate(format: "name == nil AND code == %d", code)
                #expect(try codes(request, context).isEmpty)
            }
        }
    }

    @Test("A copy of a request stays as it is when the other one is changed, and the other way round")
    func copies() throws {
        try coordinator.inContext { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
            request.predicate = NSPredicate(format: "code == 1")
            let copy = try #require(request.copy() as? NSFetchRequest<NSManagedObject>)
            request.predicate = NSPredicate(format: "code == 2")
            request.fetchLimit = 5
            #expect(try codes(copy, context) == [1] && copy.fetchLimit == 0)
            copy.predicate = NSPredicate(format: "code == 3")
            #expect(try codes(request, context) == [2] && codes(copy, context) == [3])
        }
    }

    @Test("A part of a string is found wherever it is, and only there")
    func partsOfStrings() throws {
        var seed: UInt64 = 7
        func random(_ count: Int) -> Int {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(seed >> 33) % count
        }
        func text(_ length: Int) -> String { String((0..<length).map { _ in "aab 1"[random(5)] }) }
        try coordinator.inContext { context in
            let names = (0..<300).map { _ in text(random(60)) } + [String(repeating: "1", count: 50) + "a"]
            for name in names { try context.insert("Thing", ["code": 1000, "name": name]) }
            try context.save()
            let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
            for part in (0..<60).map({ _ in text(1 + random(6)) }) + ["1a", "11a", "a1", "1"] {
                request.predicate = NSPredicate(format: "code == 1000 AND name CONTAINS %@", part)
                let expected = names.filter { $0.range(of: part, options: .literal) != nil }.count
                #expect(try context.count(for: request) == expected, "\(part)")
            }
        }
    }
}

extension String {
    fileprivate subscript(_ index: Int) -> Character { self[self.index(startIndex, offsetBy: index)] }
}

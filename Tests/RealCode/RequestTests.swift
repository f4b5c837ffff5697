import CoreData
import Testing

/// What requests for dictionaries give, and what conditions take.
@MainActor @Suite struct RequestTests {
    /// The kinds of stores: each must answer the same.
    enum Kind: String, CaseIterable, CustomTestStringConvertible {
        case sqlite, memory, binary
        var testDescription: String { rawValue }
    }

    private func stack(_ kind: Kind, _ folder: TemporaryFolder) throws -> CarStack {
        switch kind {
        case .sqlite: try CarStack()
        case .memory: try CarStack(type: NSInMemoryStoreType)
        case .binary:
            try CarStack(storeAt: folder.url.appendingPathComponent("Cars"), type: NSBinaryStoreType)
        }
    }

    private func dictionaries(
        _ stack: CarStack, _ properties: [Any], _ change: (NSFetchRequest<NSDictionary>) -> Void = { _ in }
    ) throws -> [NSDictionary] {
        let request = NSFetchRequest<NSDictionary>(entityName: "Car")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = properties
        change(request)
        return try stack.context.fetch(request)
    }

    private func objectIDColumn(_ name: String, _ expression: NSExpression) -> NSExpressionDescription {
        let column = NSExpressionDescription()
        column.name = name
        column.expression = expression
        column.expressionResultType = .objectIDAttributeType
        return column
    }

    @Test("A4: A dictionary has the ID of its object if the request includes it", arguments: Kind.allCases)
    func dictionariesHaveObjectIDs(_ kind: Kind) throws {
        let folder = try TemporaryFolder()
        let stack = try stack(kind, folder)
        let owner = stack.insert("Owner", ["name": "Ada"])
        let car = stack.insert("Car", ["maker": "Fiat", "owner": owner])
        try stack.context.save()
        let column = objectIDColumn("oid", .expressionForEvaluatedObject())
        let row = try #require(try dictionaries(stack, [column, "maker"]).first)
        #expect(row["oid"] as? NSManagedObjectID == car.objectID)
        #expect(row["maker"] as? String == "Fiat")
        let named = try #require(
            try dictionaries(stack, ["objectID", "owner.objectID", "self", "owner"]).first)
        #expect(named["objectID"] as? NSManagedObjectID == car.objectID)
        #expect(named["self"] as? NSManagedObjectID == car.objectID)
        #expect(named["owner.objectID"] as? NSManagedObjectID == owner.objectID)
        #expect(named["owner"] as? NSManagedObjectID == owner.objectID)
        let byID = try dictionaries(stack, [objectIDColumn("oid", NSExpression(forKeyPath: "objectID"))])
        #expect(byID.first?["oid"] as? NSManagedObjectID == car.objectID)
    }

    @Test("Rows can be grouped, counted once and put in order by object IDs", arguments: Kind.allCases)
    func objectIDsAreColumnsAsOthers(_ kind: Kind) throws {
        let folder = try TemporaryFolder()
        let stack = try stack(kind, folder)
        let owners = ["Ada", "Bob"].map { stack.insert("Owner", ["name": $0]) }
        for number in 1...3 {
            stack.insert("Car", ["number": number, "owner": owners[number == 3 ? 1 : 0]])
        }
        try stack.context.save()
        let count = NSExpressionDescription()
        count.name = "count"
        count.expression = NSExpression(
            forFunction: "count:", arguments: [NSExpression(forKeyPath: "number")])
        count.expressionResultType = .integer64AttributeType
        let owner = objectIDColumn("who", NSExpression(forKeyPath: "owner"))
        let groups = try dictionaries(stack, [owner, count]) { $0.propertiesToGroupBy = [owner] }
        let counts = groups.map { ($0["who"] as? NSManagedObjectID, $0["count"] as? Int) }
        #expect(counts.count == 2)
        #expect(counts.first { $0.0 == owners[0].objectID }?.1 == 2)
        #expect(counts.first { $0.0 == owners[1].objectID }?.1 == 1)
        let distinct = try dictionaries(stack, ["owner.objectID"]) { $0.returnsDistinctResults = true }
        #expect(distinct.count == 2)
        let ordered = try dictionaries(stack, ["number", "objectID"]) {
            $0.sortDescriptors = [NSSortDescriptor(key: "objectID", ascending: false)]
        }
        #expect(ordered.compactMap { $0["number"] as? Int } == [3, 2, 1])
    }

    @Test("The ID of an object in a dictionary has the object's own entity", arguments: Kind.allCases)
    func objectIDsHaveTheirEntity(_ kind: Kind) throws {
        let folder = try TemporaryFolder()
        let van = NSEntityDescription()
        van.name = "Van"
        let stack: CarStack =
            switch kind {
            case .sqlite: try CarStack(adding: van)
            case .memory: try CarStack(type: NSInMemoryStoreType, adding: van)
            case .binary:
                try CarStack(
                    storeAt: folder.url.appendingPathComponent("Cars"), type: NSBinaryStoreType, adding: van)
            }
        stack.insert("Van", ["number": 1])
        stack.insert("Car", ["number": 2])
        try stack.context.save()
        let rows = try dictionaries(stack, ["number", "objectID"]) {
            $0.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
        }
        #expect(rows.map { ($0["objectID"] as? NSManagedObjectID)?.entity.name } == ["Van", "Car"])
    }

    @Test(
        "A30: An expression description without an expression stands for the property of its name",
        arguments: Kind.allCases)
    func aNamedDescriptionIsAProperty(_ kind: Kind) throws {
        let folder = try TemporaryFolder()
        let stack = try stack(kind, folder)
        stack.insert("Car", ["maker": "Fiat"])
        try stack.context.save()
        let column = NSExpressionDescription()
        column.name = "maker"
        #expect(try dictionaries(stack, [column]).first?["maker"] as? String == "Fiat")
        column.name = "wheels"
        #expect(throws: NSError.self) { try dictionaries(stack, [column]) }
    }

    @Test(
        "A15, C15: A condition on groups names a fetched expression by a variable", arguments: Kind.allCases)
    func groupConditionsNameExpressions(_ kind: Kind) throws {
        let folder = try TemporaryFolder()
        let stack = try stack(kind, folder)
        for maker in ["Fiat", "Fiat", "Fiat", "Seat"] { stack.insert("Car", ["maker": maker]) }
        try stack.context.save()
        let count = NSExpressionDescription()
        count.name = "count"
        count.expression = NSExpression(forFunction: "count:", arguments: [NSExpression(forKeyPath: "maker")])
        count.expressionResultType = .integer64AttributeType
        let rows = try dictionaries(stack, ["maker", count]) {
            $0.propertiesToGroupBy = ["maker"]
            $0.havingPredicate = NSPredicate(format: "%@ > 2", NSExpression(forVariable: "count"))
        }
        #expect(rows.count == 1)
        #expect(rows.first?["maker"] as? String == "Fiat")
        #expect(rows.first?["count"] as? Int16 == 3)
    }

    @Test("A14: Constants of another type are converted in conditions of fetches", arguments: Kind.allCases)
    func constantsAreConverted(_ kind: Kind) throws {
        let folder = try TemporaryFolder()
        let stack = try stack(kind, folder)
        for number in 8...11 { stack.insert("Car", ["maker": "\(number)", "number": number]) }
        stack.insert("Car", ["maker": "Fiat"])
        try stack.context.save()
        // The second time unsaved objects are looked at as well.
        for _ in 1...2 {
            func makers(_ format: String, _ arguments: Any...) throws -> Set<String> {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Car")
                request.predicate = NSPredicate(format: format, argumentArray: arguments)
                return Set(
                    try stack.context.fetch(request).compactMap { $0.value(forKey: "maker") as? String })
            }
            #expect(try makers("maker IN %@", [9, 10]) == ["9", "10"])
            #expect(try makers("maker == %@", NSNumber(value: 9)) == ["9"])
            #expect(try makers("%@ == maker", NSNumber(value: 9)) == ["9"])
            #expect(try makers("maker != 9") == ["8", "10", "11", "Fiat"])
            #expect(try makers("maker BEGINSWITH %@", NSNumber(value: 1)) == ["10", "11"])
            #expect(try makers("maker CONTAINS 0") == ["10"])
            #expect(try makers("maker ==[c] 8") == ["8"])
            #expect(try makers("maker == true") == [])
            #expect(try makers("number == %@", "9") == ["9"])
            #expect(try makers("%@ == number", "9.0") == ["9"])
            #expect(try makers("number IN %@", ["9", "ten"]) == ["9"])
            #expect(try makers("number IN {'9', number - 0, 3}") == ["8", "9", "10", "11"])
            #expect(try makers("number > '9'") == ["10", "11"])
            #expect(try makers("number BETWEEN {'9', 10}") == ["9", "10"])
            #expect(try makers("number == 'nine'") == [])
            for (index, object) in try stack.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Car"))
                .enumerated() where index.isMultiple(of: 2)
            {
                object.setValue(object.value(forKey: "maker"), forKey: "maker")
            }
        }
    }

    @Test("A31, B14: Constants of predicates, and computed values, cast to every number type that holds them")
    func numbersConvert() throws {
        func constant(_ format: String) throws -> Any? {
            try #require(NSPredicate(format: format) as? NSComparisonPredicate).rightExpression.constantValue
        }
        #expect(try constant("a = true") as? Int == 1)
        #expect(try constant("a = true") as? Bool == true)
        #expect(try constant("a = 1") as? Double == 1)
        #expect(try constant("a = 1") as? Bool == true)
        #expect(try constant("a = 1") as? Int16 == 1)
        #expect(try constant("a = 1.5") as? Double == 1.5)
        #expect(NSExpression(forConstantValue: 3).constantValue as? Float == 3)
        let power = NSExpression(format: "4 + 5 - 2**3")
        #expect(power.expressionValue(with: nil, context: nil) as? Int == 1)
        #expect(power.expressionValue(with: nil, context: nil) as? Double == 1)
        let stack = try CarStack()
        for number in [1, 2] { stack.insert("Car", ["number": number]) }
        let cars = try stack.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Car"))
        let sum = NSExpression(forFunction: "sum:", arguments: [NSExpression(forKeyPath: "number")])
        #expect(sum.expressionValue(with: cars, context: nil) as? Double == 3)
    }

    @Test(
        "B14: A Boolean column of a dictionary casts to Bool and NSNumber, another one to every number type",
        arguments: Kind.allCases)
    func booleansConvert(_ kind: Kind) throws {
        let folder = try TemporaryFolder()
        let model = CarStack.model()
        let flag = NSAttributeDescription()
        flag.name = "flag"
        flag.attributeType = .booleanAttributeType
        model.entitiesByName["Car"]?.properties.append(flag)
        let stack: CarStack =
            switch kind {
            case .sqlite: try CarStack(model: model)
            case .memory: try CarStack(type: NSInMemoryStoreType, model: model)
            case .binary:
                try CarStack(
                    storeAt: folder.url.appendingPathComponent("Cars"), type: NSBinaryStoreType, model: model)
            }
        for (number, flag) in [true, false].enumerated() {
            stack.insert("Car", ["number": number, "flag": flag])
        }
        try stack.context.save()
        let rows = try dictionaries(stack, ["flag", "number"]) {
            $0.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
        }
        #expect(rows.map { $0["flag"] as? Bool } == [true, false])
        #expect(rows.map { ($0["flag"] as? NSNumber)?.intValue } == [1, 0])
        #expect(rows.map { $0["number"] as? Int16 } == [0, 1])
        #expect(rows.map { $0["number"] as? Double } == [0, 1])
        // Foundation's dictionaries on Linux return a Boolean NSNumber as a Bool, which casts to no number.
        let plain = NSDictionary(object: NSNumber(value: true), forKey: "flag" as NSString)
        #expect((plain["flag"] as? Int == nil) == rows.allSatisfy { $0["flag"] as? Int == nil })
        // A value of an object, which is in no dictionary, does.
        let cars = try stack.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Car"))
        #expect(Set(cars.map { $0.value(forKey: "flag") as? Int }) == [1, 0])
    }

    @Test("A13: Key paths through an optional relationship have a name")
    func optionalKeyPathsHaveNames() throws {
        #expect(NSExpression(forKeyPath: \Link.next?.title).keyPath == "next.title")
        #expect(NSSortDescriptor(keyPath: \Link.next?.title, ascending: true).key == "next.title")
        #expect(NSSortDescriptor(keyPath: \Link.next?.next?.size, ascending: true).key == "next.next.size")
        #expect(
            NSSortDescriptor(keyPath: \Link.next!.next!.next!.next?.size, ascending: true).key
                == "next.next.next.next.size")
        #expect(KeyPathNames.name(of: \Link.next) == "next")
        #expect(KeyPathNames.name(of: \Link.next?.hidden) == nil)
    }

    @Test("A29: A subquery's condition may use key paths of its variable, with ANY too")
    func subqueriesNameTheirVariable() throws {
        for type in [NSSQLiteStoreType, NSInMemoryStoreType] {
            let stack = try CarStack(type: type)
            for maker in ["Fiat", "Seat"] {
                let owner = stack.insert("Owner", ["name": maker])
                stack.insert("Car", ["maker": maker, "owner": owner])
            }
            try stack.context.save()
            func names(_ predicate: NSPredicate) throws -> [String?] {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Owner")
                request.predicate = predicate
                return try stack.context.fetch(request).map { $0.value(forKey: "name") as? String }
            }
            let maker = NSComparisonPredicate(
                leftExpression: NSExpression(forKeyPath: "$x.maker"),
                rightExpression: NSExpression(forConstantValue: "Fiat"), modifier: .direct, type: .equalTo)
            let cars = NSExpression(
                forSubquery: NSExpression(forKeyPath: "cars"), usingIteratorVariable: "x", predicate: maker)
            let count = NSExpression(forFunction: "count:", arguments: [cars])
            #expect(try names(NSPredicate(format: "%@ > 0", count)) == ["Fiat"])
            #expect(
                try names(
                    NSPredicate(format: "SUBQUERY(cars, $v, ANY $v.maker BEGINSWITH[c] 'f').@count > 0"))
                    == ["Fiat"])
            #expect(
                try names(NSPredicate(format: "SUBQUERY(cars, $v, NONE $v.maker == 'Fiat').@count > 0"))
                    == ["Seat"])
        }
    }

    @Test("NOT after a value is refused, and the error shows the correct form")
    func notStandsBeforeAComparison() throws {
        let error = #expect(throws: PredicateFormatError.self) {
            try NSPredicate(parsing: "maker NOT IN {'Fiat'}", arguments: [])
        }
        #expect(error.map { "\($0)".contains("NOT a IN b") } == true)
        #expect(try NSPredicate(parsing: "NOT maker IN {'Fiat'}", arguments: []) is NSCompoundPredicate)
    }

    @Test("R25: A request for dictionaries never includes pending changes")
    func dictionariesShowNoPendingChanges() {
        let request = NSFetchRequest<NSDictionary>(entityName: "Car")
        #expect(request.includesPendingChanges)
        request.resultType = .dictionaryResultType
        request.includesPendingChanges = true
        #expect(!request.includesPendingChanges)
        request.resultType = .managedObjectResultType
        #expect(request.includesPendingChanges)
    }
}

/// A class with optional links, as generated ones have them.
private final class Link: KeyPathNaming {
    var next: Link? { nil }
    var title: String? { nil }
    var size: Int { 1 }
    var hidden: Int { 1 }

    static var keyPathNames: [(key: String, keyPath: AnyKeyPath)] {
        [("next", \Link.next), ("title", \Link.title), ("size", \Link.size)]
    }
}

import CoreData
import Testing

/// Stores that are read as a whole do not read again, however fresh values are to be.
@Suite struct DocumentStalenessTests {
    @Test(
        "A document store ignores the staleness interval until it is opened again",
        arguments: StoreKind.documents)
    func stalenessIntervalIsIgnored(_ kind: StoreKind) throws {
        let store = try ConformanceStore(kind)
        let coordinator = try store.open()
        try coordinator.inContext { context throws in
            try context.insert("Person", ["name": "Ada", "age": 36])
            try context.save()
        }
        try coordinator.inContext { context in
            let ada = try context.person("Ada")
            let other = try store.open()
            try other.inContext { context in
                try context.person("Ada").setValue(37, forKey: "age")
                try context.save()
            }
            try other.close()
            context.stalenessInterval = 0
            context.refresh(ada, mergeChanges: false)
            #expect(ada.value(forKey: "age") as? Int == 36)
        }
        try coordinator.close()
        let reopened = try store.open()
        #expect(try reopened.inContext { try $0.person("Ada").value(forKey: "age") as? Int } == 37)
    }
}

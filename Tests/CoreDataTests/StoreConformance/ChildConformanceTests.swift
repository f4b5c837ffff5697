import CoreData
import Foundation
import Testing

/// Children of contexts over every type of store.
@Suite struct ChildConformanceTests {
    private func family(
        _ coordinator: NSPersistentStoreCoordinator
    ) -> (NSManagedObjectContext, NSManagedObjectContext) {
        let root = NSManagedObjectContext(.privateQueue)
        root.persistentStoreCoordinator = coordinator
        return (root, ContextFamily.child(of: root))
    }

    @Test("A child's changes are stored after its root saves", arguments: StoreKind.allCases)
    func childSaveIsStored(_ kind: StoreKind) throws {
        let store = try ConformanceStore(kind)
        let coordinator = try store.open()
        let (root, child) = family(coordinator)
        try child.event { child throws in
            try ConformanceModel.fill(child)
            try child.save()
            #expect(try child.people("age > 40") == ["Alan", "Grace"])
        }
        try coordinator.inContext { context throws in #expect(try context.people() == []) }
        try root.saveAndWait()
        try child.event { child throws in
            let ada = try child.person("Ada")
            #expect(!ada.objectID.isTemporaryID)
            #expect(ada.destinationNames("chores", "title") == ["sweep", "cook", "wash"])
            ada.setValue(37, forKey: "age")
            let chores = ada.mutableOrderedSetValue(forKey: "chores")
            chores.exchangeObject(at: 0, withObjectAt: 2)
            child.delete(try child.person("Alan"))
            try child.insert("Person", ["name": "Edsger", "team": ada.value(forKey: "team") as Any])
            try child.save()
            child.refreshAllObjects()
            #expect(ada.destinationNames("chores", "title") == ["wash", "cook", "sweep"])
        }
        try root.saveAndWait()
        try coordinator.inContext { context throws in
            #expect(try context.people(by: "name") == ["Ada", "Edsger", "Grace"])
            let ada = try context.person("Ada")
            #expect(ada.value(forKey: "age") as? Int == 37)
            #expect(ada.destinationNames("chores", "title") == ["wash", "cook", "sweep"])
            let team = try #require(ada.value(forKey: "team") as? NSManagedObject)
            #expect(team.destinationNames("members").sorted() == ["Ada", "Edsger"])
            #expect(
                try context.person("Grace").destinationNames("skills").sorted() == ["mathematics", "ships"])
        }
    }

    @Test("A child's fetch finds its parent's unsaved objects", arguments: StoreKind.allCases)
    func childFetchesUnsavedParentObjects(_ kind: StoreKind) throws {
        let store = try ConformanceStore(kind)
        let coordinator = try store.open()
        let (root, child) = family(coordinator)
        try root.event { root throws in
            try ConformanceModel.fill(root)
            try root.save()
            try root.person("Ada").setValue(50, forKey: "age")
            root.delete(try root.person("Alan"))
            try root.insert("Manager", ["name": "Edsger", "age": 72])
        }
        try child.event { child throws in
            #expect(try child.people(by: "-age") == ["Grace", "Edsger", "Ada"])
            #expect(try child.people("age > 40", by: "age", limit: 1, offset: 1) == ["Edsger"])
            #expect(try child.people("skills.@count == 1") == ["Ada"])
            #expect(try child.person("Edsger").entity.name == "Manager")
            let request = NSFetchRequest<NSDictionary>(entityName: "Person")
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = ["name", "age"]
            request.sortDescriptors = [NSSortDescriptor(key: "age", ascending: true)]
            let rows = try child.fetch(request)
            #expect(rows.map { $0["name"] as? String } == ["Ada", "Edsger", "Grace"])
            #expect(rows.map { $0["age"] as? Int } == [50, 72, 85])
            let team = try #require(try child.person("Ada").value(forKey: "team") as? NSManagedObject)
            #expect(team.destinationNames("members") == ["Ada"])
        }
    }

    @Test("Permanent IDs obtained in a child are those of the store", arguments: StoreKind.allCases)
    func permanentIDsComeFromTheStore(_ kind: StoreKind) throws {
        let store = try ConformanceStore(kind)
        let coordinator = try store.open()
        let (root, child) = family(coordinator)
        let (team, id) = try child.event { child throws in
            let team = try child.insert("Team", ["name": "Enigma"])
            try child.obtainPermanentIDs(for: [team])
            try child.insert("Person", ["name": "Ada", "team": team])
            try child.save()
            return (team, team.objectID)
        }
        #expect(!id.isTemporaryID)
        try root.saveAndWait()
        try child.event { child throws in
            #expect(team.objectID == id)
            child.refresh(team, mergeChanges: false)
            #expect(team.destinationNames("members") == ["Ada"])
        }
        let found = coordinator.managedObjectID(forURIRepresentation: id.uriRepresentation())
        #expect(found == id)
    }
}

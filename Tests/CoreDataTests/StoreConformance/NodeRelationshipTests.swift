import CoreData
import Testing

/// When an incremental store is called for relationships that its nodes do not have.
@Suite struct NodeRelationshipTests {
    @Test("A to-one relationship is loaded with the row, a to-many one when it is read")
    func relationshipsOfNodes() throws {
        let store = try ConformanceStore(.incremental)
        let coordinator = try store.open()
        try coordinator.inContext { context throws in
            try ConformanceModel.fill(context)
            try context.save()
        }
        let id = try coordinator.inContext { try $0.person("Ada").objectID }
        try coordinator.close()
        let reopened = try store.open()
        let service = Service.at(store.url)
        try reopened.inContext { context in
            let uri = id.uriRepresentation()
            let known = try #require(reopened.managedObjectID(forURIRepresentation: uri))
            let ada = context.object(with: known)
            let (loads, related) = (service.loads, service.relationshipLoads)
            #expect(ada.isFault)
            #expect(ada.value(forKey: "age") as? Int == 36)
            // The team came with the row, and is a fault itself.
            #expect(service.loads == loads + 1 && service.relationshipLoads == related + 1)
            #expect(ada.one("team")?.isFault == true)
            #expect(ada.hasFault(forRelationshipNamed: "skills"))
            #expect(service.relationshipLoads == related + 1)
            #expect(ada.destinationNames("skills") == ["mathematics"])
            #expect(service.relationshipLoads == related + 2)
            #expect(ada.many("skills").count == 1 && !ada.hasFault(forRelationshipNamed: "skills"))
            #expect(service.relationshipLoads == related + 2)
        }
    }
}

import CoreData
import FuzzerDriver
import StoreBrowser

/// The requests of the page of `coredata browse --write`.
enum BrowserRequests {
    static var subject: FuzzedSubject {
        let origin = ScratchFolder()
        let folder = ScratchFolder()
        var store: Data?
        return FuzzedSubject("browser-requests", longestInput: 1024, seconds: 30) { data in
            let requests = PageRequest.list(data)
            guard !requests.isEmpty else { return }
            let contents = try store ?? makeStore(origin.url.appendingPathComponent("People.sqlite"))
            store = contents
            // Each input has a store of its own: what is found can be found again.
            let file = try folder.file("People.sqlite", contents)
            let browsed = try BrowsedStore(opening: file, model: nil, canWrite: true, longestReading: 5)
            defer { try? browsed.close() }
            PageSession.send(requests, to: StoreBrowser.site(browsed))
        }
    }

    private static func makeStore(_ url: URL) throws -> Data {
        let model = try NSManagedObjectModel(tree: ModelElement(xml: Data(modelText.utf8)))
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url,
            options: [
                NSPersistentHistoryTrackingKey: true, NSSQLitePragmasOption: ["journal_mode": "DELETE"],
            ])
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            let city = NSEntityDescription.insertNewObject(forEntityName: "City", into: context)
            city.setValue("Oslo", forKey: "name")
            for number in 1...5 {
                let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
                person.setValue("person \(number)", forKey: "name")
                person.setValue(number, forKey: "age")
                person.setValue(
                    Date(timeIntervalSinceReferenceDate: Double(number) * 864_000), forKey: "born")
                person.setValue(Data([0xFF, 0xD8, UInt8(number)]), forKey: "face")
                person.setValue(["a", "b"] as NSArray, forKey: "tags")
                person.setValue(city, forKey: "city")
            }
            try context.save()
        }
        try coordinator.remove(store)
        return try Data(contentsOf: url)
    }

    private static let modelText = """
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            <entity name="Person">
                <attribute name="name" attributeType="String"/>
                <attribute name="age" optional="YES" attributeType="Integer 32"/>
                <attribute name="price" optional="YES" attributeType="Decimal"/>
                <attribute name="born" optional="YES" attributeType="Date"/>
                <attribute name="face" optional="YES" attributeType="Binary"/>
                <attribute name="tags" optional="YES" attributeType="Transformable" valueTransformerName="NSSecureUnarchiveFromData"/>
                <attribute name="place" optional="YES" attributeType="Composite" composite="Place"/>
                <relationship name="city" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="City" inverseName="people" inverseEntity="City"/>
            </entity>
            <entity name="City">
                <attribute name="name" optional="YES" attributeType="String"/>
                <relationship name="people" optional="YES" toMany="YES" ordered="YES" deletionRule="Nullify" destinationEntity="Person" inverseName="city" inverseEntity="Person"/>
            </entity>
            <composite name="Place"><attribute name="x" optional="YES" attributeType="Double"/></composite>
        </model>
        """
}

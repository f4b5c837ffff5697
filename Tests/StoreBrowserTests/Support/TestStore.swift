import CoreData
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import LocalSite
import StoreBrowser

/// A store of cities and people in a folder of a test's own, which goes with it.
final class TestStore {
    let folder: URL
    let url: URL
    static let count = 130

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "StoreBrowser-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        url = folder.appending(path: "People.sqlite")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url,
            options: [NSPersistentHistoryTrackingKey: true])
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            context.transactionAuthor = "test"
            let cities = ["Oslo", "Rome"].map { name in
                let city = Self.object("City", context)
                city.setValue(name, forKey: "name")
                return city
            }
            for number in 0..<Self.count {
                let person = Self.object("Person", context)
                person.setValue("person \(number)", forKey: "name")
                // Some have none, and many have the same.
                if number % 5 != 0 { person.setValue(NSNumber(value: number % 7), forKey: "age") }
                person.setValue(
                    Date(timeIntervalSinceReferenceDate: Double(number) * 864_000), forKey: "born")
                person.setValue(cities[number % 2], forKey: "city")
            }
            try context.save()
        }
        try coordinator.remove(store)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private static func object(_ entity: String, _ context: NSManagedObjectContext) -> NSManagedObject {
        NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
    }

    static var model: NSManagedObjectModel {
        let (person, city) = (NSEntityDescription(), NSEntityDescription())
        person.name = "Person"
        city.name = "City"
        let (home, people) = (NSRelationshipDescription(), NSRelationshipDescription())
        home.name = "city"
        home.destinationEntity = city
        home.maxCount = 1
        people.name = "people"
        people.destinationEntity = person
        people.maxCount = 0
        home.inverseRelationship = people
        people.inverseRelationship = home
        home.isOptional = true
        people.isOptional = true
        // Its transformer is registered nowhere.
        let strange = attribute("strange", .transformableAttributeType)
        strange.valueTransformerName = "NobodyKnows"
        let (position, source) = (NSCompositeAttributeDescription(), NSCompositeAttributeDescription())
        (position.name, source.name) = ("position", "source")
        (position.isOptional, source.isOptional) = (true, true)
        source.elements = [attribute("kind", .stringAttributeType), attribute("taken", .dateAttributeType)]
        position.elements = [attribute("latitude", .doubleAttributeType), source]
        person.properties = [
            attribute("name", .stringAttributeType, isOptional: false),
            attribute("age", .integer32AttributeType),
            attribute("born", .dateAttributeType), attribute("face", .binaryDataAttributeType), home,
            attribute("tags", .transformableAttributeType), strange, position,
        ]
        let portrait = attribute("portrait", .binaryDataAttributeType)
        portrait.allowsExternalBinaryDataStorage = true
        person.properties.append(portrait)
        person.indexes = ["age", "born"].map { name in
            let index = NSFetchIndexDescription(name: "by\(name)", elements: [])
            let property = person.attributesByName[name] ?? NSAttributeDescription()
            index.elements = [NSFetchIndexElementDescription(property: property, collationType: .binary)]
            return index
        }
        city.properties = [attribute("name", .stringAttributeType), people]
        let model = NSManagedObjectModel()
        model.entities = [person, city]
        return model
    }

    private static func attribute(
        _ name: String, _ type: NSAttributeType, isOptional: Bool = true
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = isOptional
        return attribute
    }
}

extension BrowsedStore {
    /// A store whose queries may take as long as a busy machine needs. The time limit has tests of its own.
    convenience init(testing url: URL, model: NSManagedObjectModel? = nil, canWrite: Bool = false) throws {
        try self.init(opening: url, model: model, canWrite: canWrite, longestReading: 3600)
    }
}

/// Requests as the page sends them.
struct TestPage: Sendable {
    let client: any TestClientProtocol
    let headers: HTTPFields

    func get(_ path: String) async throws -> TestResponse {
        try await client.execute(uri: path, method: .get, headers: headers) { $0 }
    }

    func post(_ path: String, file: [UInt8]) async throws -> TestResponse {
        var headers = headers
        headers[.contentType] = "application/octet-stream"
        return try await client.execute(
            uri: path, method: .post, headers: headers, body: ByteBuffer(bytes: file)
        ) { $0 }
    }

    func post(_ path: String, _ json: String) async throws -> TestResponse {
        try await client.execute(uri: path, method: .post, headers: headers, body: ByteBuffer(string: json)) {
            $0
        }
    }

    /// An answer that has to be one.
    func read<Value: Decodable>(_ path: String, as type: Value.Type) async throws -> Value {
        try JSONDecoder().decode(type, from: Data(try await get(path).body.readableBytesView))
    }

    static func with(
        _ url: URL, model: NSManagedObjectModel? = nil, canWrite: Bool = false,
        _ body: @Sendable (TestPage) async throws -> Void
    ) async throws {
        let store = try BrowsedStore(testing: url, model: model, canWrite: canWrite)
        let site = StoreBrowser.site(store)
        let app = Application(router: site.router(hosts: AllowedHosts(["localhost"])))
        try await app.test(.router) { client in
            let entrance = try await client.execute(uri: site.access.entrance, method: .get) { $0 }
            let cookie = entrance.headers[.setCookie].flatMap { $0.split(separator: ";").first } ?? ""
            let headers: HTTPFields = [
                .cookie: String(cookie), .authorization: site.access.authorization,
                .origin: "http://localhost", .contentType: "application/json",
            ]
            try await body(TestPage(client: client, headers: headers))
        }
        try store.close()
    }
}

/// What the tests read of answers.
enum Answers {
    struct Failure: Decodable {
        struct Content: Decodable {
            let code: String
            let message: String
            let field: String?
        }

        let error: Content
    }

    struct Value: Decodable {
        let kind: String
        let text: String
        let isCut: Bool
    }

    struct Page: Decodable {
        struct Row: Decodable {
            let id: String
            let values: [Value]
            let state: String?
        }

        struct Statement: Decodable {
            let title: String
            let sql: String
            let plan: [String]
        }

        let columns: [String]
        let rows: [Row]
        let next: String?
        let statements: [Statement]
    }

    struct Object: Decodable {
        struct Field: Decodable {
            struct Bytes: Decodable {
                let length: Int
                let hex: String
                let file: String?
            }

            struct Transformable: Decodable {
                let json: String?
                let canClear: Bool
                let note: String?
            }

            let name: String
            let value: Value
            let bytes: Bytes?
            let elements: [Field]
            let transformable: Transformable?
        }

        struct Link: Decodable {
            let id: String
            let label: String?
        }

        struct Relationship: Decodable {
            let name: String
            let count: Int
            let links: [Link]
            let statements: [Page.Statement]
        }

        let fields: [Field]
        let relationships: [Relationship]
        let statements: [Page.Statement]
    }

    struct Count: Decodable {
        let count: Int
        let statements: [Page.Statement]
    }

    struct Groups: Decodable {
        struct Group: Decodable {
            let value: String?
            let count: Int
        }

        let groups: [Group]
    }

    struct Shape: Decodable {
        struct Entity: Decodable {
            let name: String
            let attributes: [Attribute]
        }

        struct Attribute: Decodable {
            let name: String
            let isSortable: Bool
            let isGroupable: Bool
            let form: String?
            let elements: [Attribute]
        }

        let entities: [Entity]
        let canWrite: Bool
    }

    struct Changes: Decodable {
        let isEdited: Bool
        let count: Int
        let canUndo: Bool
        let canRedo: Bool
        let added: String?
        let renamed: [String: String]?
    }

    struct Saved: Decodable {
        struct Problem: Decodable {
            let object: String?
            let field: String?
        }

        let state: Changes
        let problems: [Problem]
    }
}

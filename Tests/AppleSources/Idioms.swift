// swift-format-ignore-file
@preconcurrency import CoreData
import Combine
import Foundation
import Observation

// What libraries over Core Data do, with a model made in code.

@objc(KLGadget)
public class Gadget: NSManagedObject {
    @NSManaged public var name: String?
    @NSManaged public var primitiveKind: String?

    fileprivate static let description: NSEntityDescription = {
        let entity = NSEntityDescription()
        entity.name = "Gadget"
        entity.managedObjectClassName = "KLGadget"
        entity.properties = ["name", "primitiveKind"].map { key in
            let attribute = NSAttributeDescription()
            attribute.name = key
            attribute.attributeType = .stringAttributeType
            return attribute
        }
        return entity
    }()

    override public class func entity() -> NSEntityDescription { description }

    static let all: NSFetchRequest<Gadget> = NSFetchRequest<Gadget>(entityName: "Gadget")
    var events: [String] = []
}

extension Gadget: Observable {}

extension Gadget {
    override public func awakeFromInsert() {
        super.awakeFromInsert()
        events.append("awake")
    }

    override public class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        var paths = super.keyPathsForValuesAffectingValue(forKey: key)
        if key == "label" { paths.insert("name") }
        return paths
    }

    override public func willSave() {
        super.willSave()
        events.append("willSave")
    }

    @objc var label: String { "gadget " + (name ?? "") }

    @objc var rank: Int {
        get { events.count }
        set { events.append("rank \(newValue)") }
    }

    override public func setNilValueForKey(_ key: String) {
        if key == "rank" { rank = 0 } else { super.setNilValueForKey(key) }
    }
}

extension NSPersistentStoreCoordinator {
    static func inMemory(_ model: NSManagedObjectModel) throws -> NSPersistentStoreCoordinator {
        let coordinator = self.init(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        return coordinator
    }
}

/// Follows a context by methods.
final class GadgetFollower: NSObject {
    private let context: NSManagedObjectContext
    private(set) var heard: [String] = []

    init(_ context: NSManagedObjectContext) {
        self.context = context
        super.init()
        NotificationCenter.default.addObserver(
            self, selector: #selector(contextDidSave(_:)),
            name: NSNotification.Name.NSManagedObjectContextDidSave, object: context)
        NotificationCenter.default.addObserver(
            self, selector: #selector(GadgetFollower.willSave), name: .NSManagedObjectContextWillSave, object: context)
    }

    deinit { NotificationCenter.default.removeObserver(self) }

    func stop() { NotificationCenter.default.removeObserver(self, name: .NSManagedObjectContextWillSave, object: context) }

    @objc private func contextDidSave(_ note: NSNotification) {
        heard.append("did save \((note.userInfo?[NSInsertedObjectsKey] as? NSSet)?.count ?? (note.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject>)?.count ?? 0)")
    }

    @objc func willSave() { heard.append("will save") }
}

enum Requests {
    static func erased(_ request: NSFetchRequest<Gadget>) -> NSFetchRequest<NSFetchRequestResult> {
        request as! NSFetchRequest<NSFetchRequestResult>
    }

    static func objects(_ request: NSPersistentStoreRequest) -> NSFetchRequest<NSManagedObject>? {
        if request is NSFetchRequest<NSManagedObject>,
            let found = request as? NSFetchRequest<NSManagedObject> {
            return found
        }
        return nil
    }

    static func deletion(_ context: NSManagedObjectContext) -> NSBatchDeleteRequest {
        NSBatchDeleteRequest(
            fetchRequest: Gadget.all
                as! NSFetchRequest<NSFetchRequestResult>)
    }

    static func name<Root, Value>(of path: KeyPath<Root, Value>) -> String { path._kvcKeyPathString ?? "none" }

    static func transformer(_ name: String) -> Foundation.ValueTransformer? {
        Foundation.ValueTransformer(forName: NSValueTransformerName(name))
    }
}

/// Reads the names of gadgets.
final class GadgetReader: NSObject, XMLParserDelegate {
    private var names: [String] = []

    static func names(in text: String) -> [String] {
        let parser = XMLParser(data: Data(text.utf8))
        let reader = GadgetReader()
        parser.delegate = reader
        _ = parser.parse()
        return reader.names
    }

    func parser(
        _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?, qualifiedName qName: String?,
        attributes attributeDict: [String: String] = [:]
    ) {
        if let name = attributeDict["name"] { names.append(name) }
    }
}

/// A store with an initializer of its own, made by hand.
final class ListStore: NSAtomicStore {
    let list: [String]

    init(list: [String], at url: URL) {
        self.list = list
        super.init(persistentStoreCoordinator: nil, configurationName: nil, at: url, options: nil)
    }
}

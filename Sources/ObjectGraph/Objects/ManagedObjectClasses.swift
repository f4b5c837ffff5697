import Foundation
import Logging
import ManagedObjectModel
import Synchronization

/// Finds the Swift class that a model names for an entity.
///
/// A model has class names; without an Objective-C runtime a name with its module leads to a class, and a name alone to all
/// classes that have it. The order: the name as it stands, the name in the modules that made containers or coordinators with
/// the model, classes registered by hand, the name in the modules that made other containers, in those that contain models and
/// in the program's own module, and the only class of that name in the program and its libraries. An entity for which no class
/// was found, or one of the last two kinds, takes the class on which `entity()`, `init(context:)` or `init(entity:insertInto:)`
/// is called, or whose objects a request fetches.
package enum ManagedObjectClasses {
    private struct State {
        /// Registered classes by their names with their modules.
        var classes: [String: NSManagedObject.Type] = [:]
        /// Classes registered by hand, by their names alone.
        var shortNames: [String: NSManagedObject.Type] = [:]
        /// Classes used last, by their names alone.
        var usedNames: [String: NSManagedObject.Type] = [:]
        var modules: [String] = []
    }

    private static let state = Mutex(State())

    /// Registers a class.
    ///
    /// - Parameter byHand: whether its name alone means this class from now on, whatever other classes have it.
    /// - Returns: the name that leads to this class.
    @discardableResult
    package static func register(_ type: NSManagedObject.Type, byHand: Bool = true) -> String {
        let name = name(of: type)
        let short = shortName(name)
        return state.withLock { state in
            if byHand { state.shortNames[short] = type } else { state.usedNames[short] = type }
            // Private classes of several files may have one name.
            if let other = state.classes[name], other != type {
                let distinct = String(reflecting: type)
                state.classes[distinct] = type
                return distinct
            }
            state.classes[name] = type
            return name
        }
    }

    /// Notes a module that may hold classes, from a `#fileID` ("Module/File.swift").
    static func noteModule(of fileID: String, for model: NSManagedObjectModel) {
        guard let module = fileID.split(separator: "/").first.map(String.init), module != "CoreData" else {
            return
        }
        model.noteClassModule(module)
        state.withLock { state in
            state.modules.removeAll { $0 == module }
            state.modules.insert(module, at: 0)
        }
    }

    /// A class that is not one of managed objects, by its name with or without its module, looked up like the classes of
    /// models.
    static func other(named name: String, of models: [NSManagedObjectModel]) -> AnyClass? {
        if let found = foundClass(name) { return found }
        let short = shortName(name)
        let modules =
            models.flatMap(\.classModules) + state.withLock(\.modules) + EmbeddedModels.all.map(\.module) + [
                program
            ]
        if let found = modules.lazy.compactMap({ foundClass("\($0).\(short)") }).first { return found }
        let declared = DeclaredClasses.all(named: short)
        return declared.count == 1 ? declared[0] : nil
    }

    /// The module of the program itself.
    private static let program: String = {
        let name = CommandLine.arguments.first.map { ($0 as NSString).lastPathComponent } ?? ""
        // Of a test bundle `PackageTests.xctest` as well.
        return String(name.prefix { $0 != "." }).replacing("-", with: "_")
    }()

    /// The class of a name with its module. Foundation does not support names with more dots, and prints a message.
    private static func foundClass(_ name: String) -> AnyClass? {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
        return NSClassFromString(name)
    }

    /// The name of a class with its module and the types around it, and without what distinguishes private ones.
    static func name(of type: NSManagedObject.Type) -> String {
        String(reflecting: type).replacing(/\(unknown context at [^)]*\)\.?/, with: "")
    }

    static func shortName(_ name: String) -> String {
        name.split(separator: ".").last.map(String.init) ?? name
    }

    /// Whether a model's name for a class means this one, whatever the module.
    static func isNamed(_ type: NSManagedObject.Type, _ name: String) -> Bool {
        let short = shortName(name)
        return shortName(String(reflecting: type)) == short
            || DeclaredClasses.renamed(short).contains { $0 == type }
    }

    /// The class for an entity, and whether it is certainly the one that the model means; `NSManagedObject`, with a warning
    /// in the log, when the named one is not found.
    static func resolve(_ entity: NSEntityDescription) -> (objectClass: NSManagedObject.Type, isCertain: Bool)
    {
        guard var name = entity.managedObjectClassName, !name.isEmpty, name != "NSManagedObject" else {
            return (NSManagedObject.self, true)
        }
        if name.hasPrefix(".") { name.removeFirst() }
        let state = state.withLock { $0 }
        let short = shortName(name)
        func named(_ candidates: [String]) -> NSManagedObject.Type? {
            for candidate in candidates {
                if let type = foundClass(candidate) as? NSManagedObject.Type { return type }
                if let type = renamed(candidate) { return type }
            }
            return nil
        }
        // An entity without a model has objects too, without a store.
        let ofModel = (entity.model?.classModules ?? []).map { "\($0).\(short)" }
        if let type = state.classes[name] ?? named([name]) ?? named(ofModel) ?? state.shortNames[short] {
            return (type, true)
        }
        let others = state.modules + EmbeddedModels.all.map(\.module) + [program]
        if let type = state.usedNames[short] ?? named(others.map { "\($0).\(short)" }) {
            return (type, false)
        }
        let declared = DeclaredClasses.renamed(short) + DeclaredClasses.named(short)
        let sameName = declared.filter { self.name(of: $0) == name }
        if let type = sameName.count == 1 ? sameName[0] : declared.count == 1 ? declared[0] : nil {
            return (type, false)
        }
        let reason =
            declared.isEmpty
            ? "Class not found"
            : "Several classes have the name (\(declared.map { String(reflecting: $0) }.sorted().joined(separator: ", ")))"
        Log.objects.warning(
            """
            Unable to load class named '\(name)' for entity '\(entity.name ?? "")'. \(reason), using \
            NSManagedObject instead. Register it with NSManagedObjectModel.register(_:) before the model is used.
            """)
        return (NSManagedObject.self, false)
    }
}

extension ManagedObjectClasses {
    /// The class that a ported source gave another name than its own.
    ///
    /// - Parameter name: the module, a dot, and the name.
    private static func renamed(_ name: String) -> NSManagedObject.Type? {
        let parts = name.split(separator: ".")
        guard parts.count == 2 else { return nil }
        let entry: AnyClass? = NSClassFromString("\(parts[0])._ManagedObjectClass_\(parts[1])")
        return (entry as? any _RenamedManagedObjectClass.Type)?.objectClass
    }
}

/// The name by which models find a class of managed objects: that with its module and the types around it.
///
/// It registers the class, so that an entity whose `managedObjectClassName` is the name makes objects of it, though the class
/// is private or nested in another type. Foundation's function of the name stops for those; it is still the one that is called
/// for other classes.
public func NSStringFromClass(_ aClass: NSManagedObject.Type) -> String {
    ManagedObjectClasses.register(aClass, byHand: false)
}

/// The name that a class of managed objects has in models, where it is another than the class's own.
///
/// For ported sources: from `@objc(Person) class PersonObject: NSManagedObject` the porter makes a class
/// `_ManagedObjectClass_Person` that conforms to this protocol, which is found by its name as any class is.
public protocol _RenamedManagedObjectClass: AnyObject {
    /// The class of that name.
    static var objectClass: NSManagedObject.Type { get }
}

extension NSManagedObjectModel {
    /// Registers classes that models name with the framework, so that it finds them whatever their module.
    ///
    /// Ours; needed where several classes of the program have the name, and none is in a module that makes a container with
    /// the model. Call it before the model is used.
    public static func register(_ classes: NSManagedObject.Type...) {
        for type in classes { ManagedObjectClasses.register(type) }
    }
}

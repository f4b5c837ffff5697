import Foundation
import Logging
import ManagedObjectModel
import Synchronization

/// Finds the Swift class that a model names for an entity.
///
/// A model has class names; without an Objective-C runtime a name leads to a class only through the name's
/// module. The order: the name as it stands, the name in the modules that made containers with the model, classes
/// registered by hand, the name in the modules that made other containers, in those that bring models along, and in the
/// program's own module.
package enum ManagedObjectClasses {
    private struct State {
        /// Registered classes by their names with their modules.
        var classes: [String: NSManagedObject.Type] = [:]
        /// The same by their names alone.
        var shortNames: [String: NSManagedObject.Type] = [:]
        var modules: [String] = []
    }

    private static let state = Mutex(State())

    package static func register(_ type: NSManagedObject.Type) {
        let name = String(reflecting: type)
        state.withLock { state in
            state.classes[name] = type
            if let short = name.split(separator: ".").last { state.shortNames[String(short)] = type }
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

    /// A class that is none of managed objects, by its name with or without its module, which is looked for where the classes
    /// of models are.
    static func other(named name: String, of models: [NSManagedObjectModel]) -> AnyClass? {
        if let found = NSClassFromString(name) { return found }
        let short = name.split(separator: ".").last.map(String.init) ?? name
        let modules =
            models.flatMap(\.classModules) + state.withLock(\.modules) + EmbeddedModels.all.map(\.module) + [
                program
            ]
        return modules.lazy.compactMap { NSClassFromString("\($0).\(short)") }.first
    }

    /// The module of the program itself.
    private static var program: String {
        let name = CommandLine.arguments.first.map { ($0 as NSString).lastPathComponent } ?? ""
        return name.replacing("-", with: "_")
    }

    /// The class for an entity; `NSManagedObject`, with a warning in the log, when the named one is not found.
    static func resolve(_ entity: NSEntityDescription) -> NSManagedObject.Type {
        guard var name = entity.managedObjectClassName, !name.isEmpty, name != "NSManagedObject" else {
            return NSManagedObject.self
        }
        if name.hasPrefix(".") { name.removeFirst() }
        let state = state.withLock { $0 }
        let short = name.split(separator: ".").last.map(String.init) ?? name
        func named(_ candidates: [String]) -> NSManagedObject.Type? {
            for candidate in candidates {
                if let type = NSClassFromString(candidate) as? NSManagedObject.Type { return type }
                if let type = renamed(candidate) { return type }
            }
            return nil
        }
        let ofModel = entity.managedObjectModel.classModules.map { "\($0).\(short)" }
        let others = state.modules + EmbeddedModels.all.map(\.module) + [program]
        let ofOthers = others.map { "\($0).\(short)" }
        if let type = state.classes[name] ?? named([name]) ?? named(ofModel) ?? state.shortNames[short]
            ?? named(ofOthers)
        {
            return type
        }
        Log.objects.warning(
            """
            Unable to load class named '\(name)' for entity '\(entity.name ?? "")'. Class not found, using \
            NSManagedObject instead. Register it with NSManagedObjectModel.register(_:) before the model is used.
            """)
        return NSManagedObject.self
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

/// The name that a class of managed objects has in models, where it is another than the class's own.
///
/// For ported sources: from `@objc(Person) class PersonObject: NSManagedObject` the porter makes a class
/// `_ManagedObjectClass_Person` that conforms to this protocol, which is found by its name as any class is.
public protocol _RenamedManagedObjectClass: AnyObject {
    /// The class of that name.
    static var objectClass: NSManagedObject.Type { get }
}

extension NSManagedObjectModel {
    /// Tells the framework of classes that models name, so that it finds them whatever their module.
    ///
    /// Ours; needed for classes in modules other than the one that loads the model. Call it before the model is
    /// used.
    public static func register(_ classes: NSManagedObject.Type...) {
        for type in classes { ManagedObjectClasses.register(type) }
    }
}

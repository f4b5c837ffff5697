import Foundation
import Logging
import ManagedObjectModel
import Synchronization

/// Finds the Swift class that a model names for an entity.
///
/// A model has class names; without an Objective-C runtime a name leads to a class only through the name's
/// module. The order: classes registered by hand, the name as it stands, the name in the modules that asked for
/// the model or made a container or coordinator, the name in the program's own module.
package enum ManagedObjectClasses {
    private struct State {
        var classes: [String: NSManagedObject.Type] = [:]
        var modules: [String] = []
    }

    private static let state = Mutex(State())

    package static func register(_ type: NSManagedObject.Type) {
        let name = String(reflecting: type)
        state.withLock { state in
            state.classes[name] = type
            if let short = name.split(separator: ".").last { state.classes[String(short)] = type }
        }
    }

    /// Notes a module that may hold classes, from a `#fileID` ("Module/File.swift").
    package static func noteModule(of fileID: String) {
        guard let module = fileID.split(separator: "/").first.map(String.init), module != "CoreData" else {
            return
        }
        state.withLock { state in
            state.modules.removeAll { $0 == module }
            state.modules.insert(module, at: 0)
        }
    }

    /// The class for an entity; `NSManagedObject`, with a warning in the log, when the named one is not found.
    static func resolve(_ entity: NSEntityDescription) -> NSManagedObject.Type {
        guard var name = entity.managedObjectClassName, !name.isEmpty, name != "NSManagedObject" else {
            return NSManagedObject.self
        }
        if name.hasPrefix(".") { name.removeFirst() }
        let (classes, modules) = state.withLock { ($0.classes, $0.modules) }
        let short = name.split(separator: ".").last.map(String.init) ?? name
        if let type = classes[name] ?? classes[short] { return type }
        let program = CommandLine.arguments.first.map { ($0 as NSString).lastPathComponent } ?? ""
        let candidates = [name] + (modules + [program.replacing("-", with: "_")]).map { "\($0).\(short)" }
        for candidate in candidates {
            if let type = NSClassFromString(candidate) as? NSManagedObject.Type { return type }
        }
        Log.objects.warning(
            """
            Unable to load class named '\(name)' for entity '\(entity.name ?? "")'. Class not found, using \
            NSManagedObject instead. Register it with NSManagedObjectModel.register(_:) before the model is used.
            """)
        return NSManagedObject.self
    }
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

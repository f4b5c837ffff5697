import CocoaFoundation
import Synchronization

/// The models that are part of the program's code.
package enum EmbeddedModels {
    private struct Table: Sendable {
        var models: [EmbeddedModel] = []
        var classes: [ObjectIdentifier: EmbeddedModel.ObjectClass] = [:]
    }

    /// Runs the registrations that generated code announced; `nil` before the first announcement.
    ///
    /// It is set while the program, or a library of it, is being loaded, always to the same function. This module has
    /// no function of C itself, because SwiftPM compiles those of a build tool's modules again and again.
    nonisolated(unsafe) package static var registerAnnounced: (@convention(c) () -> Void)?

    private static let table = Mutex(Table())
    /// Held while models register themselves, so that the table is not read before all are in it.
    private static let registering = Mutex(())

    /// The models in the order in which the program was linked. Those of a library that was loaded later are last.
    package static var all: [EmbeddedModel] {
        readAnnouncements()
        return table.withLock { $0.models }
    }

    /// The model of a name: the one in the given module if there are several.
    package static func model(named name: String, module: String) -> EmbeddedModel? {
        let namesakes = all.filter { $0.name == name }
        return namesakes.first { $0.module == module } ?? namesakes.first
    }

    /// The keys of the properties that were generated for a class.
    package static func propertyKeys(of type: AnyClass) -> [(key: String, keyPath: AnyKeyPath)] {
        readAnnouncements()
        guard let listed = table.withLock({ $0.classes[ObjectIdentifier(type)] }) else { return [] }
        var keys = EmbeddedModel.PropertyKeys()
        listed.list(&keys)
        return keys.entries
    }

    static func add(_ model: EmbeddedModel) {
        table.withLock { table in
            table.models.append(model)
            for listed in model.classes { table.classes[ObjectIdentifier(listed.type)] = listed }
        }
    }

    private static func readAnnouncements() {
        registering.withLock { _ in registerAnnounced?() }
    }
}

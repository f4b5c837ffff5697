import CSwiftRuntime
import Foundation
import Synchronization

/// The classes of managed objects that the program and its libraries declare, found by their own names, whatever their
/// modules and the types around them.
///
/// The compiler writes a record for each class. The records are read when a class is first looked up that no name with a module
/// leads to, and again after a library was loaded.
enum DeclaredClasses {
    private struct Index: @unchecked Sendable {
        /// The size of all records when they were read.
        var size = 0
        /// Records by the classes' own names.
        var descriptors: [String: [UnsafeRawPointer]] = [:]
    }

    private static let index = Mutex(Index())

    /// The classes of managed objects with a name without module and dots.
    static func named(_ name: String) -> [NSManagedObject.Type] {
        all(named: name).compactMap { $0 as? NSManagedObject.Type }
    }

    /// The class that a ported source named so for models, with `@objc(Name)`.
    static func renamed(_ name: String) -> [NSManagedObject.Type] {
        all(named: "_ManagedObjectClass_\(name)").compactMap {
            ($0 as? any _RenamedManagedObjectClass.Type)?.objectClass
        }
    }

    /// All classes with a name.
    static func all(named name: String) -> [AnyClass] {
        let found = index.withLock { index in
            let size = coredata_declared_types_size()
            if index.size != size { index = read(size) }
            return index.descriptors[name] ?? []
        }
        // Outside of the lock: this may initialise the class.
        return found.compactMap { descriptor in
            coredata_declared_class(descriptor).map { unsafeBitCast($0, to: AnyClass.self) }
        }
    }

    private static func read(_ size: Int) -> Index {
        var index = Index(size: size)
        withUnsafeMutablePointer(to: &index) { index in
            coredata_visit_declared_classes(
                { name, descriptor, context in
                    guard let name, let descriptor, let context else { return }
                    context.assumingMemoryBound(to: Index.self).pointee
                        .descriptors[String(cString: name), default: []].append(descriptor)
                }, index)
        }
        return index
    }
}

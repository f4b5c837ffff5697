import Foundation
import Synchronization

/// The names of classes in archives. Foundation makes a name anew each time, which takes longer than the rest of reading an object.
enum ClassNames {
    private static let names = Mutex<[ObjectIdentifier: String]>([:])

    /// What `NSStringFromClass` returns: the name of a class never changes.
    static func name(of aClass: AnyClass) -> String {
        names.withLock { names in
            if let known = names[ObjectIdentifier(aClass)] { return known }
            let name = NSStringFromClass(aClass)
            names[ObjectIdentifier(aClass)] = name
            return name
        }
    }
}

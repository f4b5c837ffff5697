// swift-format-ignore-file
import CoreData

// Conditions of every shape around what is registered.

class Shelf: NSManagedObject {
    #if !NO_SHELVES
    @NSManaged var label: String?
    #endif
    #if compiler(>=5.0) && !(os(iOS) || NO_SHELVES) // here
    @objc var sign: String { "# \(label ?? "")" }
    #elseif os(iOS)
    @objc var sign: UILabel { UILabel() }
    #endif
    #if DEBUG && /* never */ NO_SHELVES
    @NSManaged var missing: String?
    #endif
}

#if swift(>=5.0)
extension Shelf {
    @NSManaged var
        width  // in centimetres
        : Double
}
#endif

#if NO_SHELVES
class Drawer: NSManagedObject { @NSManaged var nothing: String? }
#else
class Drawer: NSManagedObject { @NSManaged var name: String? }
#endif

extension Drawer { @NSManaged var depth: Int16 }

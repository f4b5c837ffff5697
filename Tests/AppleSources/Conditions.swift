// swift-format-ignore-file
import Combine; import CoreLocation
import CoreData; import Charts

// Conditions of every shape around what is registered.

class Shelf: NSManagedObject {
    #if !NO_SHELVES
    @NSManaged var label: String?
    @NSManaged var extra: Any
    @NSManaged var link: NSURL, place: (NSObject & NSCoding)?

    @objc dynamic var selection = 0  // no property of the model
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

import CocoaFoundation
import Foundation

/// The stored value of a transformable attribute that cannot be made into an object here, as it is: its class does not
/// exist on this system (`NSColor`, `UIImage`), or its transformer is not registered or not supported.
///
/// Such a value can be read as data, given to another object and saved: the store gets the same bytes. An addition of
/// ours, for stores of other systems.
public final class OpaqueArchive: NSObject, @unchecked Sendable {
    /// The bytes in the store: mostly a keyed archive.
    public let data: Data
    /// Why there is no object.
    public let reason: String

    init(data: Data, reason: String) {
        self.data = data
        self.reason = reason
        super.init()
    }

    /// Whether the other one holds the same bytes.
    public override func isEqual(_ object: Any?) -> Bool { (object as? OpaqueArchive)?.data == data }

    public override var hash: Int { data.hashValue }

    public override var description: String { "<OpaqueArchive of \(data.count) bytes: \(reason)>" }
}

import Foundation

/// The stored value of a transformable attribute that cannot be made into an object here: its class does not exist on this system
/// (`NSColor`, `UIImage`), or its transformer is not registered or not supported.
///
/// ```swift
/// if let archive = item.value(forKey: "color") as? OpaqueArchive {
///     print(archive.reason, archive.data.count, "bytes")
/// }
/// ```
///
/// Such a value can be read as data, given to another object and saved: the store gets the same bytes. So can the default value of an
/// attribute and a value of user info in a compiled model. An addition of ours, for stores and models of other systems.
public final class OpaqueArchive: NSObject, @unchecked Sendable {
    /// The bytes in the store: mostly a keyed archive.
    public let data: Data
    /// Why there is no object.
    public let reason: String
    /// Whether a model has the value. Its bytes are an archive, whatever the attribute's transformer makes.
    package let isOfModel: Bool

    package init(data: Data, reason: String, isOfModel: Bool = false) {
        self.data = data
        self.reason = reason
        self.isOfModel = isOfModel
        super.init()
    }

    /// Whether the other one holds the same bytes.
    public override func isEqual(_ object: Any?) -> Bool { (object as? OpaqueArchive)?.data == data }

    public override var hash: Int { data.hashValue }

    public override var description: String { "<OpaqueArchive of \(data.count) bytes: \(reason)>" }

    /// The name of the class of the outermost object, if the bytes are a keyed archive.
    package var className: String? {
        guard let archive = try? KeyedArchive(data), let root = archive.top[NSKeyedArchiveRootObjectKey],
            case .identifier(let reference) = archive.list.nodes[root],
            let object = try? archive.object(at: reference),
            let fields = try? archive.list.fields(of: object)
        else { return nil }
        return try? archive.classNames(of: fields).first
    }

    /// The object, if the program has registered its class by `NSKeyedUnarchiver.setClass(_:forClassName:)`.
    package func objectOfRegisteredClass() -> AnyObject? {
        guard let className, let found = NSKeyedUnarchiver.class(forClassName: className) else { return nil }
        return try? KeyedArchiveReader.root(of: [found], from: data)
    }
}

import Foundation

#if compiler(>=6.3) && compiler(<6.4) && canImport(FoundationEssentials)
@_spi(SwiftCorelibsFoundation) import FoundationEssentials
#endif

/// A notification whose `userInfo` is made when the first observer gets it, while it is posted.
///
/// Foundation does not report whether a name has observers, and the sets of objects and IDs that a save posts take longer than all
/// else that it does with the objects. Foundation's `post(_:)` hands a `Notification` to `_post(_:subject:message:)`, which has boxes for
/// messages of any type, and its observers cast what they find in the box to `Notification`. An `NSNotification` becomes one by the bridge
/// between the two, which reads `userInfo`: so this is posted in place of a `Notification`, and observers do not see a difference.
///
/// That call is not public: it is made with the versions of Swift that it was looked at and tested with. With others a `Notification` is
/// posted, and the sets are always made.
final class LazyNotification: NSNotification {
    private let make: () -> [AnyHashable: Any]
    // Only the thread that posts uses it.
    @exclusivity(unchecked) private var made: [AnyHashable: Any]?

    private init(_ name: Notification.Name, _ object: Any, _ make: @escaping () -> [AnyHashable: Any]) {
        self.make = make
        super.init(name: name, object: object, userInfo: nil)
    }

    /// Not used: a notification is not read from an archive.
    required init?(coder: NSCoder) { nil }

    override var userInfo: [AnyHashable: Any]? {
        if let made { return made }
        let userInfo = make()
        made = userInfo
        return userInfo
    }

    /// Posts a notification to the default center.
    ///
    /// - Parameter userInfo: called at most once, before this returns: only if there is an observer.
    static func post(
        _ name: Notification.Name, _ object: AnyObject, userInfo: @escaping () -> [AnyHashable: Any]
    ) {
        #if compiler(>=6.3) && compiler(<6.4) && canImport(FoundationEssentials)
        NotificationCenter.default._post(
            name.rawValue, subject: object, message: LazyNotification(name, object, userInfo))
        #else
        NotificationCenter.default.post(name: name, object: object, userInfo: userInfo())
        #endif
    }
}

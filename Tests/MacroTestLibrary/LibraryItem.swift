import CoreDataMacros

// Classes that other modules use and inherit from.

/// A class with subclasses in other modules.
@ManagedObject
open class LibraryItem: NSManagedObject {
    /// An attribute that subclasses may override.
    @Managed open var title: String?
    /// A number that is none while there is none.
    @Managed public var shelf: NSNumber?
    /// Set here only.
    @Managed public private(set) var borrowings: Int64
    @Managed var code: String?

    /// Written by hand.
    open var label: String { "\(title ?? "?") on \(shelf?.stringValue ?? "?")" }

    /// What the label depends on.
    open class func keyPathsForValuesAffectingLabel() -> Set<String> { ["title", "shelf"] }

    /// Refuses an empty title.
    open func validateTitle(_ value: inout String?) throws {
        if value?.isEmpty == true { throw LibraryError.untitled }
    }

    /// Notes that the item is lent.
    public func lend() { borrowings += 1 }
}

extension LibraryItem {
    /// The readers that wait for it.
    @Managed public var readers: Set<LibraryReader>

    /// Puts a reader last.
    @ManagedAccessor public func addToReaders(_ value: LibraryReader)
    /// Takes a reader out.
    @ManagedAccessor public func removeFromReaders(_ value: LibraryReader)
}

/// A class without subclasses.
@ManagedObject
public final class LibraryReader: NSManagedObject {
    /// The name.
    @Managed public var name: String?
    /// What the reader waits for.
    @Managed public var items: Set<LibraryItem>
}

/// What is wrong with an item.
public enum LibraryError: Error {
    /// The title is empty.
    case untitled
}

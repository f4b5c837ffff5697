import Foundation

/// The queue on which a context and its objects are used: the main queue for what a user interface shows, a private one for other work.
///
/// Use the objects of a context only inside its `perform(_:)` or `performAndWait(_:)`, or on the main queue for a context of that. The raw
/// values are Apple's.
public enum NSManagedObjectContextConcurrencyType: UInt, Sendable {
    /// No queue; not supported.
    @available(*, deprecated, message: "Use another NSManagedObjectContextConcurrencyType")
    case confinementConcurrencyType = 0
    /// A queue of the context's own.
    case privateQueueConcurrencyType = 1
    /// The main queue.
    case mainQueueConcurrencyType = 2
}

extension NSManagedObjectContext {
    /// The queue on which a context and its objects are used, under the short names of Swift.
    ///
    /// ```swift
    /// let context = NSManagedObjectContext(.privateQueue)
    /// context.persistentStoreCoordinator = container.persistentStoreCoordinator
    /// try await context.perform { try context.save() }
    /// ```
    ///
    /// It is a struct over `NSManagedObjectContextConcurrencyType`, as in Apple's Swift overlay.
    public struct ConcurrencyType: RawRepresentable, Hashable, Sendable {
        /// The enumeration of the same kinds.
        public typealias RawValue = NSManagedObjectContextConcurrencyType

        /// The raw value.
        public let rawValue: NSManagedObjectContextConcurrencyType

        /// Makes a value from its raw value.
        public init(rawValue: NSManagedObjectContextConcurrencyType) { self.rawValue = rawValue }

        /// A queue of the context's own.
        public static let privateQueue = ConcurrencyType(rawValue: .privateQueueConcurrencyType)
        /// The main queue.
        public static let mainQueue = ConcurrencyType(rawValue: .mainQueueConcurrencyType)
    }

    /// When the block of `perform(schedule:_:)` runs, if its caller is on the context's queue already. From elsewhere both wait their turn
    /// in the queue.
    public enum ScheduledTaskType: Hashable, Sendable {
        /// At once, when the caller is on the context's queue already.
        case immediate
        /// After what is queued.
        case enqueued
    }
}

/// The reason for which `awake(fromSnapshotEvents:)` is called: what has restored or replaced the values of the object.
///
/// Override that method to compute again what an object derives from its values. Each call has one of the events. The raw values are
/// Apple's.
public struct NSSnapshotEventType: OptionSet, Sendable {
    /// The raw value.
    public let rawValue: UInt
    /// Makes a value from its raw value.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// An insertion was undone, or its undoing redone.
    public static let undoInsertion = NSSnapshotEventType(rawValue: 2)
    /// A deletion was undone.
    public static let undoDeletion = NSSnapshotEventType(rawValue: 4)
    /// A change of values was undone.
    public static let undoUpdate = NSSnapshotEventType(rawValue: 8)
    /// The context was rolled back.
    public static let rollback = NSSnapshotEventType(rawValue: 16)
    /// The object was refreshed.
    public static let refresh = NSSnapshotEventType(rawValue: 32)
    /// A merge policy chose the values.
    public static let mergePolicy = NSSnapshotEventType(rawValue: 64)
}

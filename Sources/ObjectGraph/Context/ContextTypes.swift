import Foundation

/// The kind of queue that a context is confined to.
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
    /// The kind of queue that a context is confined to.
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

    /// When an asynchronous block runs.
    public enum ScheduledTaskType: Hashable, Sendable {
        /// At once, when the caller is on the context's queue already.
        case immediate
        /// After what is queued.
        case enqueued
    }
}

/// Why `awake(fromSnapshotEvents:)` is called.
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

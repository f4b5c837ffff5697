import CocoaFoundation

/// What a fetch can return: managed objects, their identifiers, dictionaries or numbers.
///
/// `NSFetchRequest` does not require its result type to conform, unlike Apple's declaration: without the
/// Objective-C runtime `any NSFetchRequestResult` does not conform to itself, and
/// `NSFetchRequest<any NSFetchRequestResult>` has to stay a type that can be written.
public protocol NSFetchRequestResult: NSObjectProtocol {}

extension NSNumber: NSFetchRequestResult {}

extension NSDictionary: NSFetchRequestResult {}

/// The form in which a fetch returns what it found.
///
/// `NSFetchRequest.resultType` takes one of the four; they are not options to combine, although Apple declares them so. The generic type of
/// the request must fit: `NSManagedObjectID` for IDs, `NSDictionary` for dictionaries, `NSNumber` for a count. The raw values are Apple's.
public struct NSFetchRequestResultType: OptionSet, Sendable {
    /// The number that stands for the type.
    public let rawValue: UInt

    /// Creates a type from its number.
    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    /// Managed objects.
    public static var managedObjectResultType: NSFetchRequestResultType { [] }
    /// Object identifiers.
    public static var managedObjectIDResultType: NSFetchRequestResultType { .init(rawValue: 1) }
    /// Dictionaries with the values of `propertiesToFetch`.
    public static var dictionaryResultType: NSFetchRequestResultType { .init(rawValue: 2) }
    /// One number: how many objects there are.
    public static var countResultType: NSFetchRequestResultType { .init(rawValue: 4) }
}

extension NSFetchRequestResultType {
    /// The type that a file means by a number; `nil` if there is none. The types are not options that add up.
    init?(known number: Int) {
        guard let type = Self.known.first(where: { Int($0.rawValue) == number }) else { return nil }
        self = type
    }

    private static let known: [NSFetchRequestResultType] = [
        .managedObjectResultType, .managedObjectIDResultType, .dictionaryResultType, .countResultType,
    ]
}

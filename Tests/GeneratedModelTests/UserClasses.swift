import CoreData

/// The class of an entity with the setting Category/Extension: its properties are generated.
public class BookChapter: NSManagedObject {
    private(set) var wakes = 0

    public override func awakeFromInsert() {
        super.awakeFromInsert()
        wakes += 1
    }

    /// A property of the class's own, for key-value coding.
    var label: String { "\(number). \(heading ?? "")" }

    public override class var managedProperties: [ManagedProperty] {
        super.managedProperties + [.custom("label", \BookChapter.label)]
    }
}

/// The class of an entity with the setting Manual/None.
public class HandWritten: NSManagedObject {
    private static let textKey = ManagedKey<String?>("text")

    public var text: String? {
        get { self[Self.textKey] }
        set { self[Self.textKey] = newValue }
    }
}

// swift-format-ignore-file
import CoreData

/// Classes inside a type, with subclasses there and in an extension.
enum Office {
    class Kind: NSObject {}

    @objc(Desk) class Desk: NSManagedObject {
        @NSManaged var number: Int32
        @NSManaged var rule: NSExpression?

        @objc var title: String { "desk \(number)" }
        @objc class func keyPathsForValuesAffectingTitle() -> NSSet { return NSSet(array: ["number"]) }
        @objc func validateNumber(_ value: AutoreleasingUnsafeMutablePointer<NSNumber?>) throws {
            if value.pointee == 13 { throw LibraryError.negativePages(13) }
        }
        @objc func validateKind(_ value: AutoreleasingUnsafeMutablePointer<Kind?>) {}
    }

    @objc(HighDesk) class HighDesk: Desk { @NSManaged var height: Double }
}

extension Office {
    @objc(Lectern) final class Lectern: HighDesk {
        @objc static func keyPathsForValuesAffectingNote() -> Set<NSObject> { ["height" as NSString] }
        @objc var note: String { """
            height \(#keyPath(
                Lectern.height
            ))
            """ }
    }
}

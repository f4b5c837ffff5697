// swift-format-ignore-file
import CoreData

extension Office.Desk {
    @NSManaged fileprivate var sortKey: String?
    @objc private var upper: String { sortKey?.uppercased() ?? "" }
    @objc private class func keyPathsForValuesAffectingUpper() -> Set<String> { [#keyPath(sortKey)] }
    @objc private func validateSortKey(_ value: AutoreleasingUnsafeMutablePointer<NSString?>) {
        value.pointee = value.pointee?.lowercased as NSString?
    }

    static var bySortKey: NSSortDescriptor { NSSortDescriptor(keyPath: \Office.Desk.sortKey, ascending: true) }
}

extension Office.Lectern { @objc fileprivate var wood: String { "oak" } }

// swift-format-ignore-file
//
//  Book+CoreDataClass.swift
//  Library
//

import CoreData
import Foundation
import os.log

#if os(iOS)
    import UIKit
#endif

/// Errors of the library's own rules.
public enum LibraryError: Error, Equatable {
    case emptyTitle
    case negativePages(Int)
}

@objc(Book)
public class Book: NSManagedObject {

    /// How well a book is kept.
    @objc public enum Condition: Int16 {
        case good
        case worn
        case broken

        var label: String {
            switch self {
            case .good: return "good"
            case .worn: return "worn"
            case .broken: return "broken"
            @unknown default: return "unknown"
            }
        }
    }

    enum Section {
        static let fallback = "?"
    }

    /// How many books this class has made.
    nonisolated(unsafe) static var made = 0

    override public init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        super.init(entity: entity, insertInto: context)
        Book.made += 1
    }

    convenience init(title: String, pages: Int = 0, context: NSManagedObjectContext) {
        self.init(context: context)
        self.title = title
        for number in 0..<pages {
            let page = Page(context: context)
            page.number = Int32(number)
            addToPages(page)
        }
    }

    // MARK: Life cycle

    public override func awakeFromInsert() {
        super.awakeFromInsert()
        setPrimitiveValue(Date(timeIntervalSinceReferenceDate: 0), forKey: #keyPath(Book.acquired))
        identifier = UUID()
    }

    override public func willSave() {
        super.willSave()
        if !isDeleted, primitiveSaveCount.intValue == 0 {
            setPrimitiveValue(1, forKey: #keyPath(saveCount))
        }
    }

    // MARK: A custom accessor

    @NSManaged private var primitivePublishDate: Date?
    @NSManaged private var primitiveSaveCount: NSNumber

    @objc public var publishDate: Date? {
        get {
            willAccessValue(forKey: #keyPath(publishDate))
            defer { didAccessValue(forKey: #keyPath(publishDate)) }
            return primitivePublishDate
        }
        set {
            willChangeValue(forKey: "publishDate")
            defer { didChangeValue(forKey: "publishDate") }
            primitivePublishDate = newValue.map { Calendar(identifier: .gregorian).startOfDay(for: $0) }
        }
    }

    // MARK: Derived values

    /// The initial, for sections. // not a comment of its own
    @objc dynamic var section: String {
        guard let first = title?.first else { return Section.fallback }
        return String(first).uppercased()
    }

    @objc dynamic var summary: String { "\(title ?? "") (\(pageCount)), \(conditionValue.label)" }

    @objc class func keyPathsForValuesAffectingSection() -> Set<String> {
        return [#keyPath(Book.title)]
    }

    @objc static var keyPathsForValuesAffectingSummary: Set<String> {
        [#keyPath(title), #keyPath(pageCount), "\(#keyPath(Book.conditionValue))"]
    }

    // MARK: Validation

    @objc func validateTitle(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {
        guard let title = value.pointee as? String else { return }
        let trimmed = title.trimmingCharacters(in: .whitespaces)
        if trimmed.isEmpty { throw LibraryError.emptyTitle }
        if trimmed != title { value.pointee = trimmed as NSString }
    }

    @objc
    public func validatePageCount(_ value: AutoreleasingUnsafeMutablePointer<NSNumber?>) throws {
        if let count = value.pointee?.intValue, count < 0 { throw LibraryError.negativePages(count) }
    }

    #if os(iOS) || os(macOS)
        @objc func changed(_ sender: Any) { perform(#selector(changed(_:)), with: nil, afterDelay: 1) }
    #endif
}

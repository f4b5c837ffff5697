// swift-format-ignore-file
//
//  Book+CoreDataProperties.swift
//  Library
//

import CoreData
import Foundation

extension Book {

    @nonobjc public class func fetchRequest() -> NSFetchRequest<Book> {
        return NSFetchRequest<Book>(entityName: "Book")
    }

    @NSManaged public var acquired: Date?
    @NSManaged public var conditionValue: Condition
    @NSManaged public var cover: NSArray?
    @NSManaged public var identifier: UUID?
    @NSManaged public var isLent: Bool
    @NSManaged public var pageCount: Int32
    @NSManaged public var price: NSDecimalNumber?
    @NSManaged public var rating: Double, saveCount: Int64
    @NSManaged public var subtitle, title: String?
    @NSManaged public var weight: NSNumber?
    @NSManaged public var authors: NSSet?
    @NSManaged public var pages: NSOrderedSet?
    @NSManaged public internal(set) var URLs: Set<Link>

}

// MARK: Generated accessors for authors
extension Book {

    @objc(addAuthorsObject:)
    @NSManaged public func addToAuthors(_ value: PersonObject)

    @objc(removeAuthorsObject:)
    @NSManaged public func removeFromAuthors(_ value: PersonObject)

    @objc(addAuthors:)
    @NSManaged public func addToAuthors(_ values: NSSet)

    @objc(removeAuthors:)
    @NSManaged public func removeFromAuthors(_ values: NSSet)

}

// MARK: Generated accessors for pages
extension Book {

    @objc(insertObject:inPagesAtIndex:)
    @NSManaged public func insertIntoPages(_ value: Page, at idx: Int)

    @objc(removeObjectFromPagesAtIndex:)
    @NSManaged public func removeFromPages(at idx: Int)

    @objc(insertPages:atIndexes:)
    @NSManaged public func insertIntoPages(_ values: [Page], at indexes: NSIndexSet)

    @objc(removePagesAtIndexes:)
    @NSManaged public func removeFromPages(at indexes: NSIndexSet)

    @objc(replaceObjectInPagesAtIndex:withObject:)
    @NSManaged public func replacePages(at idx: Int, with value: Page)

    @objc(replacePagesAtIndexes:withPages:)
    @NSManaged public func replacePages(at indexes: NSIndexSet, with values: [Page])

    @objc(addPagesObject:)
    @NSManaged public func addToPages(_ value: Page)

    @objc(removePagesObject:)
    @NSManaged public func removeFromPages(_ value: Page)

    @objc(addPages:)
    @NSManaged public func addToPages(_ values: NSOrderedSet)

    @objc(removePages:)
    @NSManaged public func removeFromPages(_ values: NSOrderedSet)

}

// MARK: Accessors in the style of key-value coding
extension Book {
    @NSManaged func addURLsObject(_ value: Link)
    @NSManaged func removeURLsObject(_ value: Link)
    @NSManaged func addURLs(_ values: Set<Link>)
}

extension Book: Identifiable {

}

// swift-format-ignore-file
import CoreData
import UIKit

/// The model calls the class `Person`.
@objc(Person)
public class PersonObject: NSManagedObject {
    @NSManaged public var firstName, lastName: String?
    @NSManaged public var address: Address?
    @NSManaged public var books: Set<Book>

    @objc public var fullName: String {
        [firstName, lastName].compactMap { $0 }.joined(separator: " ")
    }

    @objc public class func keyPathsForValuesAffectingFullName() -> Set<String> {
        Set([#keyPath(firstName), #keyPath(lastName)])
    }
}

@objcMembers
public class Address: NSManagedObject {
    @NSManaged public var city: String?
    @NSManaged public var residents: Set<PersonObject>?
    @objc(isbnPrefix) @NSManaged public var publisherNumber: String?

    var line: String { "in \(city ?? "")" }
    var note = "none"
}

extension PersonObject {
    static let cityPath = #keyPath(PersonObject.address.city)
    static let neighboursPath = #keyPath(PersonObject.address.residents.lastName)
    static let numberPath = #keyPath(PersonObject.address.publisherNumber)
}

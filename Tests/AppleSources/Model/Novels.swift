// swift-format-ignore-file
import CoreData

@objc(Novel)
public class Novel: Book {
    @NSManaged public var genre: Int16

    @objc override dynamic var summary: String { "novel: \(super.summary)" }
}

@objc(GraphicNovel)
final public class GraphicNovel: Novel {
    @NSManaged var illustrator: String?

    @objc var credit: String { [section, illustrator ?? ""].joined(separator: ":") }
    @objc class func keyPathsForValuesAffectingCredit() -> Set<String> {
        [#keyPath(GraphicNovel.section), #keyPath(Self.illustrator)]
    }
}

@objc(Page) public class Page: NSManagedObject {
    @NSManaged public var number: Int32; @NSManaged public var book: Book?
}

@objc(Link) public class Link: NSManagedObject { @NSManaged public var text: String?; @NSManaged var book: Book! }

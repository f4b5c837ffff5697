import CoreData
import Foundation
import Testing

/// A value that can be changed in place.
final class Dial: NSObject, NSSecureCoding {
    static let supportsSecureCoding = true
    var position: Int

    init(_ position: Int) { self.position = position }

    init?(coder: NSCoder) { position = coder.decodeInteger(forKey: "position") }

    func encode(with coder: NSCoder) { coder.encode(position, forKey: "position") }

    override func isEqual(_ object: Any?) -> Bool { (object as? Dial)?.position == position }
    override var hash: Int { position }
}

final class DialToData: NSSecureUnarchiveFromDataTransformer {
    override class func allowsReverseTransformation() -> Bool { true }
    override class func transformedValueClass() -> AnyClass { Dial.self }
    override class var allowedTopLevelClasses: [AnyClass] { [Dial.self] }
}

/// What a child's save hands to its parent, and what it leaves alone.
@Suite struct ChildSavedValueTests {
    @Test("A child's save copies transformable values instead of sharing them")
    func mutableValuesAreNotShared() throws {
        ValueTransformer.setValueTransformer(DialToData(), forName: NSValueTransformerName("DialToData"))
        let dial = Library.attribute("dial", .transformable)
        dial.valueTransformerName = "DialToData"
        let family = try ContextFamily(.of(.make("Radio", [dial])))
        let value = Dial(3)
        let id = try family.child.event { child throws in
            let radio = try child.insert("Radio", ["dial": value])
            try child.save()
            #expect(radio.value(forKey: "dial") as? Dial === value)
            return radio.objectID
        }
        value.position = 9
        try family.root.event { root throws in
            let radio = root.object(with: id)
            #expect((radio.value(forKey: "dial") as? Dial)?.position == 3)
            try root.save()
            #expect((radio.value(forKey: "dial") as? Dial)?.position == 3)
        }
    }

    @Test("Transient values set in awakeFromFetch are not saved to the parent")
    func awakeFromFetchValuesStay() throws {
        let diary = try HookStack()
        let entry = try diary.savedEntry("a")
        diary.event { _ in entry.mark = "parent's" }
        let child = ContextFamily.child(of: diary.context)
        let hooks = Hooks()
        hooks.onAwakeFromFetch = { $0.mark = "computed" }
        try child.event { child throws in
            child.userInfo["hooks"] = hooks
            let own = try #require(try child.fetch(NSFetchRequest<Entry>(entityName: "Entry")).first)
            own.title = "b"
            #expect(own.mark == "computed")
            #expect(own.changedValues().keys.sorted() == ["title"])
            try child.save()
            #expect(own.mark == "computed")
        }
        diary.event { _ in #expect(entry.title == "b" && entry.mark == "parent's") }
        try child.event { child throws in
            let own = try #require(try child.fetch(NSFetchRequest<Entry>(entityName: "Entry")).first)
            own.mark = "set"
            try child.save()
        }
        diary.event { _ in #expect(entry.mark == "set") }
    }

    @Test("A child's save loads all former partners before it changes the parent")
    func formerPartnersAreLoadedFirst() throws {
        let diary = try HookStack()
        let old = try diary.savedEntry("old")
        for title in ["new", "third"] { _ = try diary.savedEntry(title) }
        _ = try diary.savedEntry("leaf", parent: old)
        let child = ContextFamily.child(of: diary.context)
        func entry(_ title: String, in context: NSManagedObjectContext) throws -> Entry {
            let request = NSFetchRequest<Entry>(entityName: "Entry")
            request.predicate = NSPredicate(format: "title == %@", title)
            return try #require(try context.fetch(request).first)
        }
        try child.event { child throws in
            let leaf = try entry("leaf", in: child)
            leaf.parent = try entry("new", in: child)
            leaf.title = "changed"
        }
        // Meanwhile the leaf has got another partner, which the child does not know.
        try diary.stack.inContext { other in
            try entry("leaf", in: other).parent = try entry("third", in: other)
            try other.save()
        }
        var loaded: [String: Bool] = [:]
        diary.event { context in
            context.reset()
            diary.hooks.onAwakeFromFetch = { entry in
                loaded[entry[primitive: Entry.titleKey] ?? ""] = context.hasChanges
            }
        }
        try child.saveAndWait()
        #expect(loaded == ["leaf": false, "new": false, "old": false, "third": false])
        diary.event { context in
            let parents = context.registeredObjects.compactMap { ($0 as? Entry)?.parent?.title }
            #expect(parents == ["new"])
        }
    }
}

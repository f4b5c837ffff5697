import CoreData
import Foundation
import Testing

/// An object that runs what its context's `userInfo` has for a hook, once.
final class InterruptingTarget: NSManagedObject {
    final class Hook: NSObject {
        let run: () -> Void

        init(_ run: @escaping () -> Void) { self.run = run }
    }

    private func run(_ name: String) {
        guard let context = managedObjectContext, let hook = context.userInfo[name] as? Hook else { return }
        context.userInfo.removeObject(forKey: name)
        hook.run()
    }

    override func awakeFromFetch() {
        super.awakeFromFetch()
        run("awake")
    }

    override func validateForInsert() throws {
        try super.validateForInsert()
        run("validate")
    }

    static func model() -> NSManagedObjectModel {
        let target = NSEntityDescription.make(
            "Target", class: InterruptingTarget.self, [Library.attribute("name", .string)])
        let destination = NSRelationshipDescription.toOne("target")
        destination.destinationEntity = target
        return .of(target, .make("Link", [Library.attribute("name", .string), destination]))
    }
}

/// What happens in a family while one of its contexts saves.
@Suite(.onEveryStore) struct ChildNestedSaveTests {
    let family: ContextFamily
    private var root: NSManagedObjectContext { family.root }
    private var child: NSManagedObjectContext { family.child }
    private var leaf: NSManagedObjectContext { family.grandchild }

    init() throws { family = try ContextFamily(InterruptingTarget.model()) }

    private func target(_ name: String, in context: NSManagedObjectContext) throws -> NSManagedObject {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Target")
        request.predicate = NSPredicate(format: "name == %@", name)
        return try #require(try context.fetch(request).first)
    }

    /// The leaf links to two objects of the root; the child loads the second of them, whose hook saves the root.
    @Test("Relationships stay right when the root saves in the middle of a grandchild's save")
    func rootSavesDuringALeafSave() throws {
        let unsaved = try root.event { root throws in
            try root.insert("Target", ["name": "saved"])
            try root.save()
            return try root.insert("Target", ["name": "unsaved"]).objectID
        }
        try leaf.event { leaf throws in
            for name in ["unsaved", "saved"] {
                try leaf.insert("Link", ["name": name]).setValue(try target(name, in: leaf), forKey: "target")
            }
        }
        var runs = 0
        try child.event { child in
            #expect(unsaved.isTemporaryID)
            child.userInfo["awake"] = InterruptingTarget.Hook {
                runs += 1
                #expect(throws: Never.self) { try root.saveAndWait() }
                // The child takes over the new ID in the middle of the leaf's save.
                #expect(child.object(with: unsaved).objectID.isTemporaryID == false)
            }
        }
        try leaf.saveAndWait()
        #expect(runs == 1)
        try child.saveAndWait()
        try root.saveAndWait()
        try family.stack.inContext { context throws in
            let links = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Link"))
            #expect(links.count == 2)
            for link in links {
                let name = link.value(forKey: "name") as? String
                #expect(link.value(forKeyPath: "target.name") as? String == name)
            }
        }
    }

    @Test("A child cannot save while its parent validates")
    func validatingParentRefusesChildSaves() throws {
        var refusal: NSError?
        try root.event { root throws in
            try root.insert("Target", ["name": "parent's"])
            root.userInfo["validate"] = InterruptingTarget.Hook {
                do {
                    try child.event { child throws in
                        try child.insert("Target", ["name": "child's"])
                        try child.save()
                    }
                } catch { refusal = error as NSError }
            }
            try root.save()
            #expect(!root.hasChanges)
        }
        #expect(refusal?.code == 134030)
        try family.stack.inContext { context throws in
            #expect(try context.only("Target").value(forKey: "name") as? String == "parent's")
        }
        try child.saveAndWait()
        try root.saveAndWait()
        try family.stack.inContext { context throws in _ = try target("child's", in: context) }
    }
}

import CoreData
import Foundation
import Testing

/// Undoing the replacement of an archive that its transformer refused: it reads as nil, and its bytes are not lost.
@Suite struct RefusedArchiveUndoTests {
    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    /// Replaces the refused archive, does something, undoes, saves, and gives what the row has.
    private func stored(_ between: (NSManagedObjectContext) throws -> Void) throws -> [String] {
        try folder.make(TransformableFixture.model)
        try folder.execute("INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT, ZCOLOR) VALUES (1, 1, 1, x'00FF')")
        return try folder.open(TransformableFixture.model).inContext { context throws in
            context.undoManager = UndoManager()
            let thing = try context.only("Thing")
            #expect(thing.value(forKey: "color") == nil)
            thing.setValue(Color("#2"), forKey: "color")
            context.processPendingChanges()
            try between(context)
            context.undo()
            #expect(thing.value(forKey: "color") as? Color == nil)
            try context.save()
            let stored = try folder.stored("ZCOLOR", in: "ZTHING")
            context.redo()
            #expect(thing.value(forKey: "color") as? Color == Color("#2"))
            return stored
        }
    }

    @Test("Undoing the replacement of a refused archive before a save keeps its bytes")
    func beforeItWasSaved() throws {
        #expect(try stored { _ in } == ["blob X'00FF'"])
    }

    @Test("Undoing the replacement of a refused archive after a save keeps its bytes")
    func afterItWasSaved() throws {
        #expect(try stored { try $0.save() } == ["blob X'00FF'"])
    }
}

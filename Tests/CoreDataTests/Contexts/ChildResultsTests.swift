import CoreData
import Foundation
import Testing

/// A results controller over a child.
@Suite struct ChildResultsTests {
    @Test("A results controller follows changes in a child context")
    func controllerFollowsAChild() throws {
        let family = try ContextFamily()
        let child = family.child
        try family.root.event { root throws in
            for title in ["B", "D"] { root.insertBook(title) }
        }
        let diary = ResultsLog()
        let controller = NSFetchedResultsController(
            fetchRequest: .books(by: "title"), managedObjectContext: child, sectionNameKeyPath: nil,
            cacheName: nil)
        controller.delegate = diary
        try child.event { child throws in
            try controller.performFetch()
            #expect(controller.titles == [["B", "D"]])
            child.automaticallyMergesChangesFromParent = true
            child.insertBook("C")
            child.processPendingChanges()
            #expect(controller.titles == [["B", "C", "D"]])
            #expect(diary.take() == ["will", "insert C - 0.1", "did"])
            try child.save()
            #expect(diary.take() == [])
        }
        try family.root.event { root throws in
            root.delete(try root.book("D"))
            try root.book("B").title = "Z"
            root.insertBook("A")
            try root.save()
        }
        try child.event { _ throws in
            #expect(controller.titles == [["A", "C", "Z"]])
        }
    }
}

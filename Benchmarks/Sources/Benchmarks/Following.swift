import CoreData
import Foundation

/// What a change costs, with many objects registered and many controllers that follow the context.
enum Following {
    final class Task: NSManagedObject {
        static let priority = ManagedKey<Int64>("priority")
        static let title = ManagedKey<String?>("title")
    }

    private static func filled(_ count: Int, _ file: URL) throws -> NSPersistentStoreCoordinator {
        let (model, _) = model("Task", [("priority", .integer64), ("title", .string)], class: Task.self)
        let coordinator = try NSPersistentStoreCoordinator.opening(file, model)
        try coordinator.inContext { context in
            for index in 0..<count {
                let task = Task(context: context)
                task[Task.priority] = Int64(index)
                task[Task.title] = "task \(index)"
            }
            try context.save()
        }
        return coordinator
    }

    /// A thousand events of one change each, with few and with many registered objects.
    static func oneChange(_ count: Int, _ folder: Folder) throws -> Workload {
        func contestant(_ registered: Int) throws -> Workload.Contestant {
            let coordinator = try filled(registered, folder.file("registered-\(registered).sqlite"))
            let context = coordinator.newContext()
            let tasks = try context.performAndWait {
                try context.fetch(NSFetchRequest<Task>(entityName: "Task"))
            }
            nonisolated(unsafe) let all = tasks
            return .init(name: "\(registered) registered") {
                context.performAndWait {
                    for turn in 0..<1000 {
                        all[turn % 100][Task.priority] += 1
                        context.processPendingChanges()
                    }
                    context.rollback()
                    return 1000
                }
            }
        }
        let few = min(100, count)
        return Workload(
            name: "1000 changes with objects registered",
            contestants: [try contestant(few), try contestant(count)],
            goals: [.ratio("\(count) registered", to: "\(few) registered", 1.2)])
    }

    /// Changes of rows that each concern one controller: one of many, or the only one.
    static func controllers(_ number: Int, _ changes: Int, _ folder: Folder) throws -> Workload {
        let count = number * 10
        let coordinator = try filled(count, folder.file("controllers.sqlite"))
        func contestant(_ number: Int) throws -> Workload.Contestant {
            let context = coordinator.newContext()
            let audience = Audience()
            var controllers: [NSFetchedResultsController<Task>] = []
            var tasks: [Task] = []
            try context.performAndWait {
                for index in 0..<number {
                    let request = NSFetchRequest<Task>(entityName: "Task")
                    request.predicate = NSPredicate(
                        format: "priority >= %lld AND priority < %lld", Int64(index * 10),
                        Int64(index * 10 + 10))
                    request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
                    let controller = NSFetchedResultsController(
                        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil,
                        cacheName: nil)
                    controller.delegate = audience
                    try controller.performFetch()
                    controllers.append(controller)
                }
                let request = NSFetchRequest<Task>(entityName: "Task")
                request.predicate = NSPredicate(format: "priority < %lld", Int64(number * 10))
                tasks = try context.fetch(request)
            }
            nonisolated(unsafe) let (followed, all) = ((controllers, audience), tasks)
            nonisolated(unsafe) var last = 0
            return .init(name: "\(number) controllers") {
                context.performAndWait {
                    for turn in 0..<changes {
                        // Another title and another place each time.
                        last = (last &* 1_103_515_245 &+ 12_345) & 0x7FFF_FFFF
                        all[turn &* 7919 % all.count][Task.title] = "task \(last)"
                        context.processPendingChanges()
                    }
                    return followed.0.isEmpty ? 0 : changes
                }
            }
        }
        return Workload(
            name: "\(changes) changes, followed",
            contestants: [try contestant(1), try contestant(number)],
            goals: [.ratio("\(number) controllers", to: "1 controllers", 2)])
    }
}

/// The delegate of controllers: without one they follow nothing.
private final class Audience: NSObject, NSFetchedResultsControllerDelegate {}

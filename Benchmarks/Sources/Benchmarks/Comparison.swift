import CoreData
import Foundation

/// The shapes of a public comparison of SwiftData and Realm: very many small objects in one save, and owners with many members.
enum Comparison {
    final class Person: NSManagedObject {
        static let firstName = ManagedKey<String?>("firstName")
        static let lastName = ManagedKey<String?>("lastName")
        static let age = ManagedKey<Int64>("age")

        func fill(_ index: Int) {
            self[Self.firstName] = "first name \(index)"
            self[Self.lastName] = "last name \(index)"
            self[Self.age] = Int64(index % 100)
        }
    }

    final class School: NSManagedObject {
        static let name = ManagedKey<String?>("name")
        static let students = ManagedKey<Set<Student>>("students")
    }

    final class Student: NSManagedObject {
        static let name = ManagedKey<String?>("name")
        static let age = ManagedKey<Int64>("age")
        static let school = ManagedKey<School?>("school")
    }

    private static func people(_ file: URL) throws -> NSPersistentStoreCoordinator {
        let (model, _) = model(
            "Person", [("firstName", .string), ("lastName", .string), ("age", .integer64)],
            class: Person.self)
        return try .opening(file, model)
    }

    private static func make(_ count: Int, in coordinator: NSPersistentStoreCoordinator) throws {
        try coordinator.inContext { context in
            for index in 0..<count { Person(context: context).fill(index) }
            try context.save()
        }
    }

    /// Make objects and write them in one save, into a new store each time.
    static func making(_ count: Int, _ folder: Folder) throws -> Workload {
        let stores = NewStores("people", folder) { try people($0) }
        return Workload(
            name: "make and write \(count) × two strings and an integer",
            contestants: [
                .init(name: "CoreData objects", prepare: stores.prepare) {
                    try make(count, in: try stores.next)
                    return count
                }
            ],
            goals: [
                .each("CoreData objects", of: 1, 2500 * Double(count) / 1_000_000, .milliseconds)
            ],
            mostRounds: 3)
    }

    /// The memory that this takes, beyond what the process has before.
    static func memory(_ count: Int, _ folder: Folder) throws -> [Figure] {
        let coordinator = try people(folder.file("people-memory.sqlite"))
        // Prints nothing where the system does not report it.
        guard Footprint.reset(), let before = Footprint.peak else { return [] }
        try make(count, in: coordinator)
        guard let peak = Footprint.peak else { return [] }
        return [
            Figure(
                name: "memory to make and write \(count) × two strings and an integer",
                value: Double(peak - before) / 1e6, goal: 450 * Double(count) / 1_000_000, unit: "MB")
        ]
    }

    private static func schools(_ file: URL) throws -> NSPersistentStoreCoordinator {
        let (_, school) = model("School", [("name", .string)], class: School.self)
        let (_, student) = model("Student", [("name", .string), ("age", .integer64)], class: Student.self)
        let students = NSRelationshipDescription()
        students.name = "students"
        students.destinationEntity = student
        students.maxCount = 0
        let back = NSRelationshipDescription()
        back.name = "school"
        back.destinationEntity = school
        back.maxCount = 1
        students.inverseRelationship = back
        back.inverseRelationship = students
        school.properties.append(students)
        student.properties.append(back)
        let model = NSManagedObjectModel()
        model.entities = [school, student]
        return try .opening(file, model)
    }

    private static func fill(
        _ coordinator: NSPersistentStoreCoordinator, _ owners: Int, _ members: Int
    ) throws {
        try coordinator.inContext { context in
            for index in 0..<owners {
                let school = School(context: context)
                school[School.name] = "school \(index)"
                for position in 0..<members {
                    let student = Student(context: context)
                    student[Student.name] = "student \(position)"
                    student[Student.age] = Int64(position % 20)
                    student[Student.school] = school
                }
            }
            try context.save()
        }
    }

    /// Make owners with members and write them in one save, into a new store each time.
    static func makingOwners(_ owners: Int, _ members: Int, _ folder: Folder) throws -> Workload {
        let stores = NewStores("schools", folder) { try schools($0) }
        return Workload(
            name: "make and write \(owners) owners × \(members) members",
            contestants: [
                .init(name: "CoreData objects", prepare: stores.prepare) {
                    try fill(try stores.next, owners, members)
                    return owners
                }
            ],
            goals: [.each("CoreData objects", of: 1, 350 * Double(owners) / 100, .milliseconds)])
    }

    /// Read all members through the sets of key-value coding.
    static func readingMembers(_ owners: Int, _ members: Int, _ folder: Folder) throws -> Workload {
        let file = folder.file("schools-read.sqlite")
        let coordinator = try schools(file)
        try fill(coordinator, owners, members)
        return Workload(
            name: "read \(owners) owners × \(members) members by value(forKey:)",
            contestants: [
                .init(name: "CoreData objects") {
                    try coordinator.inContext { context in
                        let request = NSFetchRequest<School>(entityName: "School")
                        var sum = 0
                        for school in try context.fetch(request) {
                            let students = school.value(forKey: "students") as? NSSet
                            for student in students?.allObjects as? [Student] ?? [] {
                                sum &+= Int(student[Student.age])
                            }
                        }
                        return sum
                    }
                }
            ],
            goals: [.each("CoreData objects", of: 1, 100 * Double(owners) / 100, .milliseconds)])
    }

    /// A store for each round, of which only the last one is kept.
    private final class NewStores {
        private let name: String
        private let folder: Folder
        private let open: (URL) throws -> NSPersistentStoreCoordinator
        private var number = 0
        private var opened: NSPersistentStoreCoordinator?

        init(
            _ name: String, _ folder: Folder, _ open: @escaping (URL) throws -> NSPersistentStoreCoordinator
        ) {
            self.name = name
            self.folder = folder
            self.open = open
        }

        private var file: URL { folder.file("\(name)-\(number).sqlite") }

        func prepare() throws {
            if opened != nil {
                _ = try opened?.closingOnlyStore()
                for suffix in ["", "-wal", "-shm"] {
                    try? FileManager.default.removeItem(atPath: file.path + suffix)
                }
            }
            number += 1
            opened = try open(file)
        }

        var next: NSPersistentStoreCoordinator {
            get throws {
                guard let opened else { throw Workload.Failure(description: "no store") }
                return opened
            }
        }
    }
}

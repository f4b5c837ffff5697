import CoreData
import Foundation
import Testing

/// Predicates and sort descriptors in archives, as a client sees them.
@Suite struct PredicateArchiveTests {
    private let predicates: [NSPredicate] = [
        NSPredicate(format: "title BEGINSWITH[cd] %@ AND pages > $pages", "e"),
        NSPredicate(value: true),
        NSCompoundPredicate(andPredicateWithSubpredicates: [
            NSPredicate(format: "a IN {1, 2}"), NSPredicate(value: false),
        ]),
        NSCompoundPredicate(orPredicateWithSubpredicates: []),
        NSCompoundPredicate(
            notPredicateWithSubpredicate: NSCompoundPredicate(orPredicateWithSubpredicates: [
                NSPredicate(format: "ANY a.b == 1"), NSPredicate(format: "c == nil"),
            ])),
        NSCompoundPredicate(type: .and, subpredicates: [NSPredicate(format: "d == 1.5")]),
    ]

    @Test("A predicate is archived and read back equivalent")
    func predicatesComeBack() throws {
        for predicate in predicates {
            let data = try NSKeyedArchiver.archivedData(
                withRootObject: predicate.structuralCopy(), requiringSecureCoding: true)
            let one = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPredicate.self, from: data)
            let other =
                try NSKeyedUnarchiver.unarchivedObject(ofClasses: [NSPredicate.self], from: data)
                as? NSPredicate
            for again in [one, other] {
                #expect(again?.isEquivalent(to: predicate) == true)
                #expect(again == predicate.structuralCopy())
                #expect(again?.formatString == predicate.formatString)
            }
        }
    }

    @Test("A predicate is read as the requested class, also in a list")
    func requestedClasses() throws {
        let compound = predicates[2].structuralCopy()
        let data = try NSKeyedArchiver.archivedData(withRootObject: compound, requiringSecureCoding: true)
        let again = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSCompoundPredicate.self, from: data)
        #expect(again?.compoundPredicateType == .and && again?.subpredicates.count == 2)
        let list = predicates.map { $0.structuralCopy() } as NSArray
        let archive = try NSKeyedArchiver.archivedData(withRootObject: list, requiringSecureCoding: true)
        let all =
            try NSKeyedUnarchiver.unarchivedObject(
                ofClasses: [NSArray.self, NSPredicate.self], from: archive)
            as? [NSPredicate]
        #expect(all?.map(\.formatString) == predicates.map(\.formatString))
    }

    @Test("A sort descriptor is archived and read back")
    func sortDescriptorsComeBack() throws {
        let descriptors = [
            NSSortDescriptor(key: "title", ascending: false, selector: "localizedStandardCompare:"),
            NSSortDescriptor(keyPath: \Author.name, ascending: true),
        ]
        for descriptor in descriptors {
            let data = try NSKeyedArchiver.archivedData(
                withRootObject: descriptor, requiringSecureCoding: true)
            let again = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSSortDescriptor.self, from: data)
            #expect(again?.key == descriptor.key && again?.ascending == descriptor.ascending)
            #expect(again?.selector == descriptor.selector)
        }
    }
}

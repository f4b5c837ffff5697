import CoreData
import Testing

/// Objects of an entity that is for its subentities alone.
@Suite struct AbstractEntityTests {
    @Test("A new object of an abstract entity stops the process, also where one came into the context before")
    func insertion() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let dog = NSEntityDescription("Dog", attribute("sound", .string))
            let animal = NSEntityDescription("Animal", attribute("name", .string), subentities: [dog])
            animal.isAbstract = true
            let model = NSManagedObjectModel(of: animal, dog)
            let folder = try StoreFolder()
            try folder.open(model).inContext { context in
                // Made without a context it is allowed, and inserted it is not looked at.
                context.insert(NSManagedObject(entity: animal, insertInto: nil))
                _ = NSManagedObject(entity: animal, insertInto: context)
            }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("Cannot insert an object of the abstract entity 'Animal'."))
    }
}

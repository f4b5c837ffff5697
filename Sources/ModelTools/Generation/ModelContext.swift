import ManagedObjectModel

/// What all classes of a model share while their text is made.
struct ModelContext {
    let options: GenerationOptions
    let types: TypeNames
    private let classNames: [String: ClassName]

    init(_ model: NSManagedObjectModel, composites: [String], _ options: GenerationOptions) throws {
        self.options = options
        var classNames: [String: ClassName] = [:]
        for entity in model.entities { classNames[entity.name ?? ""] = try ClassName(entity) }
        self.classNames = classNames
        types = TypeNames(taken: Set(classNames.values.map(\.name)).union(composites))
    }

    /// The class of an entity's objects as it is written: `NSManagedObject` for an entity that is not in the model.
    func classText(ofEntityNamed name: String?) throws -> String {
        name.flatMap { classNames[$0] }?.text ?? "NSManagedObject"
    }

    /// The other modules that the model names, sorted: they may have classes that it refers to.
    var otherModules: [String] {
        Set(classNames.values.compactMap(\.module)).subtracting([options.module ?? ""]).sorted()
    }
}

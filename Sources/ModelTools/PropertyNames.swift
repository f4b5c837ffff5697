import ManagedObjectModel

extension NSManagedObjectModel {
    /// The names of the properties of each class's entities, inherited ones included, by the name of the class without
    /// its module.
    package var propertyNamesByClass: [String: Set<String>] {
        var names: [String: Set<String>] = [:]
        for entity in entities {
            let name = entity.managedObjectClassName.split(separator: ".").last.map(String.init)
            names[name ?? "", default: []].formUnion(entity.propertiesByName.keys)
        }
        return names
    }
}

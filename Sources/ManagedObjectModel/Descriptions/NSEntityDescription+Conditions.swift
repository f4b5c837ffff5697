import CocoaFoundation

// What conditions on the key paths `entity` and `entity.name` of an object ask for.

extension NSEntityDescription: PredicateIdentity {
    /// Entities of two copies of a model are the same by their name.
    package var predicateIdentity: AnyHashable { EntityIdentity(name: name) }

    package var isPermanentIdentity: Bool { true }

    private struct EntityIdentity: Hashable {
        let name: String?
    }
}

extension NSEntityDescription: KeyPathNaming {
    /// The properties that conditions can read.
    public static var keyPathNames: [(key: String, keyPath: AnyKeyPath)] {
        [
            ("name", \NSEntityDescription.name), ("userInfo", \NSEntityDescription.userInfo),
            ("isAbstract", \NSEntityDescription.isAbstract),
            ("managedObjectClassName", \NSEntityDescription.managedObjectClassName),
            ("renamingIdentifier", \NSEntityDescription.renamingIdentifier),
            ("versionHashModifier", \NSEntityDescription.versionHashModifier),
            ("superentity", \NSEntityDescription.superentity),
        ]
    }
}

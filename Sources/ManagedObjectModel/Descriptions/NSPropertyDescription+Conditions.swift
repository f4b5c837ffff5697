import CocoaFoundation

// What conditions on the variable `$FETCHED_PROPERTY` ask for, such as `$FETCHED_PROPERTY.userInfo.limit`.

extension NSPropertyDescription: KeyPathNaming {
    /// The properties that conditions can read.
    public static var keyPathNames: [(key: String, keyPath: AnyKeyPath)] {
        [
            ("name", \NSPropertyDescription.name), ("userInfo", \NSPropertyDescription.userInfo),
            // Not `entity`, which stops the program where there is none.
            ("entity", \NSPropertyDescription.owner),
            ("isOptional", \NSPropertyDescription.isOptional),
            ("isTransient", \NSPropertyDescription.isTransient),
            ("renamingIdentifier", \NSPropertyDescription.renamingIdentifier),
            ("versionHashModifier", \NSPropertyDescription.versionHashModifier),
        ]
    }
}

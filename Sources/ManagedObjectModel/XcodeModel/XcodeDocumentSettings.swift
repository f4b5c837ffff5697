import CocoaFoundation

/// What a `contents` file says about itself as a document of the model editor. A model does not have it.
package struct XcodeDocumentSettings: Sendable {
    /// The attributes of `<model>` in their order. The version identifier among them is replaced by that of the
    /// model.
    package var attributes: [ModelElement.Attribute]
    /// The positions of the entities in the diagram of older versions of Xcode: the element `<elements>`.
    package var layout: ModelElement?
    /// The names of the configurations that are marked for CloudKit.
    package var cloudKitConfigurations: Set<String>

    /// The settings of a new document, as of Xcode 15.4.
    package init() {
        attributes = [
            .init("type", "com.apple.IDECoreDataModeler.DataModel"),
            .init("documentVersion", "1.0"),
            .init("lastSavedToolsVersion", "22758"),
            .init("systemVersion", "23F79"),
            .init("minimumToolsVersion", "Automatic"),
            .init("sourceLanguage", "Swift"),
            .init(Self.identifierKey, ""),
        ]
        cloudKitConfigurations = []
    }

    /// The settings of a document that exists.
    package init(of tree: ModelElement) {
        attributes = tree.attributes
        if !attributes.contains(where: { $0.name == Self.identifierKey }) {
            attributes.append(.init(Self.identifierKey, ""))
        }
        layout = tree.children(named: "elements").first
        cloudKitConfigurations = Set(
            tree.children(named: "configuration").filter {
                $0["usedWithCloudKit"].flatMap(ElementSettings.flag) == true
            }.compactMap { $0["name"] })
    }

    /// The attribute that holds the version identifier.
    static let identifierKey = "userDefinedModelVersionIdentifier"
}

import ModelTools

/// A change of a model, as the page requests it.
///
/// In JSON an object with one key, the name of the change: `{"rename": {"at": [0, 2], "to": "title"}}`. Elements are
/// named by their positions in the tree of the file, which hold for the state of the document that the page has seen.
package enum ModelEdit: Codable, Sendable, Equatable {
    /// Adds an element with the name that Xcode gives to new ones.
    case add(kind: String, in: [Int])
    case remove(at: [Int])
    /// Gives an element another name, and the new name to what refers to it.
    case rename(at: [Int], to: String)
    /// Gives a setting a value; an empty one takes it out.
    case set(at: [Int], setting: String, value: String?)
    /// Gives an attribute a type, and takes out what other types have; no type stands for Undefined.
    case setType(at: [Int], type: String?, composite: String?)
    /// Makes an attribute a derived one, or an ordinary one.
    case setDerived(at: [Int], isDerived: Bool)
    case setToMany(at: [Int], isToMany: Bool)
    case setDestination(at: [Int], entity: String?)
    /// Gives a relationship its inverse, and the inverse the relationship.
    case setInverse(at: [Int], name: String?)
    case setUserInfo(at: [Int], entries: [UserInfoEntry])
    case setConstraints(at: [Int], constraints: [[String]])
    case setIndexElements(at: [Int], elements: [IndexElement])
    case setMembers(at: [Int], entities: [String])

    package struct UserInfoEntry: Codable, Sendable, Equatable {
        package var key: String
        package var value: String
    }

    package struct IndexElement: Codable, Sendable, Equatable {
        /// The property, or nil for an expression.
        package var property: String?
        package var expression: String?
        package var expressionType: String?
        /// `Binary` or `RTree`.
        package var type: String
        package var isAscending: Bool
    }

    /// What the edit does, for the titles of undo and redo.
    var title: String {
        switch self {
        case .add(let kind, _): "Add \(ElementKind(rawValue: kind)?.title ?? kind)"
        case .remove: "Remove"
        case .rename: "Rename"
        case .set, .setDerived, .setToMany: "Change of a setting"
        case .setType: "Change of the type"
        case .setDestination: "Change of the destination"
        case .setInverse: "Change of the inverse"
        case .setUserInfo: "Change of the user info"
        case .setConstraints: "Change of the constraints"
        case .setIndexElements: "Change of the index"
        case .setMembers: "Change of the configuration"
        }
    }
}

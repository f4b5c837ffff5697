/// What a model was made from that is not the real one of a store.
package enum ModelReconstruction: String, Sendable {
    /// The tables of a SQLite store: names are without capitals, entities have the columns of all their subentities, and foreign
    /// keys may be plain numbers.
    case tables
    /// The objects of an XML or binary store: both ends of relationships are written, as inverses are not known.
    case objects
}

extension OpenStore {
    /// What the model was made from; nil for a real one.
    package var reconstruction: ModelReconstruction? {
        guard model.isReconstructed else { return nil }
        return type == .sqlite ? .tables : .objects
    }
}

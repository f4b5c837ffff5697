/// What the archive of a model is for.
enum CompiledModelForm {
    /// A `.mom` file: an entity has the properties that it declares itself.
    case compiled
    /// The copy of a model in a store: an entity also has the properties that it inherits.
    case storeCopy
}

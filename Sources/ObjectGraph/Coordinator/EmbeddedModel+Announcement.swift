import CEmbeddedModels
import ManagedObjectModel

extension EmbeddedModel {
    /// Keeps a function that registers a model, until a model is looked up.
    ///
    /// For generated code, which calls it while the program is being loaded. The function calls `register()`.
    public static func announce(_ registration: @escaping @convention(c) () -> Void) {
        opencoredata_announce_model(registration)
        EmbeddedModels.registerAnnounced = opencoredata_register_models
    }
}

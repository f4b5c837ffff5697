/// What the runtime derives from an entity and keeps with it; the runtime subclasses it.
open class _EntityRuntimeRecord {
    package init() {}
}

/// What the runtime derives from an entity and keeps with it; the runtime subclasses it.
package class EntityRuntimeRecord {
    package init() {}
}

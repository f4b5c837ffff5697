/// A store as it was at one moment, which sees nothing that is saved later. Query generation tokens hold it.
package protocol StoreGeneration: AnyObject, Sendable {}

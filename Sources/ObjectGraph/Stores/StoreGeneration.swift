/// The state of a store at one moment, without later saves. Query generation tokens hold it.
package protocol StoreGeneration: AnyObject, Sendable {}

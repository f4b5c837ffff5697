/// The objects in the order of the descriptors; objects that compare as the same keep their order.
package func sorted<Element>(_ objects: [Element], by descriptors: [NSSortDescriptor]) -> [Element] {
    fatalError("not yet written")
}

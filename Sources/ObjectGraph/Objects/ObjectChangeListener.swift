/// Told before an object changes, whatever changes of it.
package protocol ObjectChangeListener: AnyObject {
    /// Tells that a property is about to change; once for all of them when the object is refreshed or rolled back.
    func objectWillChange()
}

extension NSManagedObject {
    /// Who is told before the object changes; one for each object.
    package final var changeListener: (any ObjectChangeListener)? {
        get { extras?.changeListener }
        set { madeExtras.changeListener = newValue }
    }
}

public enum NSKeyValueSetMutationKind { case a }
package final class ObservationCenter {
    func willChangeValue(forKey: String) {}
    func didChangeValue(forKey: String) {}
}

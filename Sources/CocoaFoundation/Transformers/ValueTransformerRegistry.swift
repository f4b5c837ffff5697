import Foundation

extension ValueTransformer: _RegisteredByName {
    /// Registers a transformer under a name, in place of the one that had it.
    ///
    /// - Parameters:
    ///   - transformer: The transformer; `nil` takes the name from the one that has it.
    ///   - name: The name.
    public class func setValueTransformer(
        _ transformer: ValueTransformer?, forName name: NSValueTransformerName
    ) {
        ValueTransformerRegistry.shared.set(transformer, forName: name)
    }

    /// All names that a transformer is registered under, those of the stock transformers included, sorted.
    public class func valueTransformerNames() -> [NSValueTransformerName] {
        ValueTransformerRegistry.shared.names
    }
}

/// What gives ``ValueTransformer`` the initialiser that finds a registered object.
///
/// In Swift, an initialiser of a class can only make a new object. One of a protocol's extension may hand out an
/// object that is there already, as Apple's does.
public protocol _RegisteredByName {}

extension _RegisteredByName {
    /// The transformer that is registered under a name, not a new one.
    ///
    /// Apple's also looks for a class of that name and makes an object of it. Swift has no way to make one of a
    /// class whose initialisers are unknown, so register your transformers.
    ///
    /// - Returns: `nil` when there is none, when the requested class is not the transformer's, and for the
    ///   names of Apple's insecure transformers, `NSUnarchiveFromData` and `NSKeyedUnarchiveFromData`.
    public init?(forName name: NSValueTransformerName) {
        guard let registered = ValueTransformerRegistry.shared.transformer(forName: name) as? Self else {
            return nil
        }
        self = registered
    }
}

/// The transformers of the process by name.
private final class ValueTransformerRegistry: @unchecked Sendable {
    // Unchecked: the lock guards the dictionary. The transformers in it are used by all threads at once, as they
    // are on Apple's platforms.
    static let shared = ValueTransformerRegistry()

    private let lock = NSLock()
    private var transformers: [NSValueTransformerName: ValueTransformer] = [
        .negateBooleanTransformerName: NegateBooleanTransformer(),
        .isNilTransformerName: IsNilTransformer(),
        .isNotNilTransformerName: IsNotNilTransformer(),
        .secureUnarchiveFromDataTransformerName: NSSecureUnarchiveFromDataTransformer(),
    ]

    var names: [NSValueTransformerName] {
        lock.withLock { transformers.keys.sorted { $0.rawValue < $1.rawValue } }
    }

    func transformer(forName name: NSValueTransformerName) -> ValueTransformer? {
        lock.withLock { transformers[name] }
    }

    func set(_ transformer: ValueTransformer?, forName name: NSValueTransformerName) {
        // The one before is let go outside the lock: its end may run code that comes back here.
        let previous = lock.withLock {
            let previous = transformers[name]
            transformers[name] = transformer
            return previous
        }
        withExtendedLifetime(previous) {}
    }
}

import SwiftSyntax

extension FilePort {
    private static let identityAdvice =
        "managed objects are compared by identity, as in Apple's framework; compare values in a method of another name"

    /// What Apple's managed objects let override, and ours do not; with advice, where there is any.
    private static let closedMembers = [
        "validateValue(_:forKey:)": "it takes 'inout Any?' here; write 'validate<Key>(_:)' for one property",
        "automaticallyNotifiesObservers(forKey:)": "observers are notified of every change",
        "hasPersistentChangedValues": "", "hash": FilePort.identityAdvice,
        "isEqual(_:)": FilePort.identityAdvice,
        "objectID": "",
        "managedObjectContext": "", "isFault": "",
        "changedValues()": "", "changedValuesForCurrentEvent()": "", "committedValues(forKeys:)": "",
        "hasFault(forRelationshipNamed:)": "", "objectIDs(forRelationshipNamed:)": "",
        "primitiveValue(forKey:)": "", "setPrimitiveValue(_:forKey:)": "",
        "value(forKeyPath:)": "override 'value(forKey:)'",
        "setValue(_:forKeyPath:)": "override 'setValue(_:forKey:)'",
        "setValuesForKeys(_:)": "",
        "dictionaryWithValues(forKeys:)": "", "mutableSetValue(forKey:)": "",
        "mutableArrayValue(forKey:)": "",
        "mutableOrderedSetValue(forKey:)": "", "accessInstanceVariablesDirectly": "",
        "addObserver(_:forKeyPath:options:context:)": "", "removeObserver(_:forKeyPath:)": "",
        "removeObserver(_:forKeyPath:context:)": "", "observationInfo": "",
        "willChangeValue(forKey:withSetMutation:using:)": "override 'willChangeValue(forKey:)'",
        "didChangeValue(forKey:withSetMutation:using:)": "override 'didChangeValue(forKey:)'",
        "responds(to:)": "", "forwardingTarget(for:)": "", "doesNotRecognizeSelector(_:)": "",
        "classForCoder": "", "classFallbacksForKeyedArchiver()": "", "description()": "", "initialize()": "",
        "load()": "", "resolveInstanceMethod(_:)": "", "instancesRespond(to:)": "",
    ]

    /// Refuses to override what cannot be overridden.
    func checkOverride(_ node: FunctionDeclSyntax) {
        let parameters = node.signature.parameterClause.parameters
        let name = "\(node.name.identifierText)(\(parameters.labels.map { "\($0):" }.joined()))"
        // With our type it is meant for us.
        if name == "validateValue(_:forKey:)", parameters.first?.type.is(AttributedTypeSyntax.self) == true {
            return
        }
        checkOverride(of: name, node.modifiers, at: node.name)
    }

    /// Refuses to override what cannot be overridden.
    func checkOverride(_ node: VariableDeclSyntax) {
        for binding in node.bindings {
            guard let name = binding.name else { continue }
            checkOverride(of: name.identifierText, node.modifiers, at: name)
        }
    }

    private func checkOverride(of name: String, _ modifiers: DeclModifierListSyntax, at location: TokenSyntax)
    {
        guard modifiers.contains(.override), let advice = Self.closedMembers[name], let scope,
            module.isManaged(scope)
        else { return }
        refuse(
            "'\(name)' of a managed object cannot be overridden here: "
                + (advice.isEmpty
                    ? "nothing here calls an override of it; give the member another name" : advice),
            at: location)
    }
}

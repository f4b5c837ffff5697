import CocoaFoundation

extension NSManagedObjectModel {
    /// The fetch requests that the model holds, by name.
    public var fetchRequestTemplatesByName: [String: NSFetchRequest<any NSFetchRequestResult>] {
        templates.compactMapValues { $0 as? NSFetchRequest<any NSFetchRequestResult> }
    }

    /// The fetch request that the model holds under a name. It is the model's own: change a copy of it.
    public func fetchRequestTemplate(forName name: String) -> NSFetchRequest<any NSFetchRequestResult>? {
        templates[name] as? NSFetchRequest<any NSFetchRequestResult>
    }

    /// A copy of a fetch request that the model holds, with values in place of the variables of its
    /// predicate.
    ///
    /// - Parameters:
    ///   - name: the name of the template.
    ///   - variables: a value for each variable, by name without the dollar sign; `NSNull` stands for `nil`.
    /// - Returns: `nil` if the model holds no request of that name.
    public func fetchRequestFromTemplate(
        withName name: String, substitutionVariables variables: [String: Any]
    ) -> NSFetchRequest<any NSFetchRequestResult>? {
        guard let request = templates[name]?.copy(with: nil) as? NSFetchRequest<any NSFetchRequestResult>
        else {
            return nil
        }
        request.predicate = request.predicate?.withSubstitutionVariables(variables)
        return request
    }

    /// Adds a fetch request under a name, or removes the one that is there.
    public func setFetchRequestTemplate(
        _ fetchRequestTemplate: NSFetchRequest<any NSFetchRequestResult>?, forName name: String
    ) {
        willChange("fetchRequestTemplatesByName")
        templates[name] = fetchRequestTemplate
        if let fetchRequestTemplate { bind(fetchRequestTemplate, in: entitiesByName) }
    }

    /// Adds a fetch request under a name, whatever the type of its results.
    public func setFetchRequestTemplate<ResultType: NSFetchRequestResult>(
        _ fetchRequestTemplate: NSFetchRequest<ResultType>, forName name: String
    ) {
        setFetchRequestTemplate(
            NSFetchRequest<any NSFetchRequestResult>.sharing(fetchRequestTemplate), forName: name)
    }

    /// Lets the predicates of models have fetch expressions.
    static func registerFetchExpressions() { NSFetchRequestExpression.registerFormat() }
}

extension KeyPathSteps {
    /// A value that the path came to, and the kind of the collection that it is an element of.
    private struct End {
        let value: Any
        let kind: ValueCollectionKind
    }

    /// The values at the ends of all ways over collections, once for each object before the last key: of a path for which
    /// it is enough to know what there is, and not how often.
    ///
    /// One key after the other is read of all objects that were reached, each once: objects that refer to each other in
    /// circles have few at any distance, but many ways to them.
    ///
    /// - Returns: nil for a path over no collection, and for one with an operator.
    /// - Throws: ``PredicateEvaluationError`` when a step leads to an object that has no such key.
    func ends(of object: Any?) throws -> [Any]? {
        var single = presentValue(object)
        var ends: [End]?
        // The elements of the first collection are not many times the same.
        var isBehindMany = false
        for step in steps {
            let key: String
            switch step {
            case .evaluatedObject: continue
            case .collection: return nil
            case .key(let name): key = name
            }
            if ends == nil {
                guard let object = single else { return [] }
                if let collection = Self.collection(object) {
                    var elements: [End] = []
                    Self.add(collection, to: &elements)
                    ends = elements
                } else {
                    single = presentValue(try Self.property(key, of: object))
                    continue
                }
            }
            ends = try ends.map { try next(isBehindMany ? Self.distinct($0) : $0, key) }
            isBehindMany = true
        }
        return ends?.map(\.value)
    }

    private func next(_ ends: [End], _ key: String) throws -> [End] {
        var result: [End] = []
        for end in ends {
            let object = presentValue(end.value)
            let value = try object.flatMap { presentValue(try Self.property(key, of: $0)) }
            if let collection = value.flatMap(Self.collection) {
                Self.add(collection, to: &result)
            } else if let value {
                result.append(End(value: value, kind: end.kind))
            } else if end.kind == .array {
                // In an array an element without a value leaves `NSNull`.
                result.append(End(value: NSNull(), kind: end.kind))
            }
        }
        try CollectionDepth.check(result.count)
        return result
    }

    /// Each object once; other values as they are.
    private static func distinct(_ ends: [End]) -> [End] {
        var seen: Set<ObjectIdentifier> = []
        return ends.filter { end in
            guard type(of: end.value) is AnyClass else { return true }
            return seen.insert(ObjectIdentifier(end.value as AnyObject)).inserted
        }
    }

    /// Adds the elements of a collection, and those of collections in it.
    private static func add(_ collection: any ValueCollection, to ends: inout [End]) {
        var rest: [End] = collection.collectionElements.reversed().map {
            End(value: $0, kind: collection.collectionKind)
        }
        while let next = rest.popLast() {
            guard let inner = presentValue(next.value).flatMap(Self.collection) else {
                ends.append(next)
                continue
            }
            rest += inner.collectionElements.reversed().map { End(value: $0, kind: inner.collectionKind) }
        }
    }
}

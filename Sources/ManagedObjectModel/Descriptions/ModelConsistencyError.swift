import CocoaFoundation

/// Contradictions in a model, for which no store can be made.
///
/// It is thrown when a store is added for a model, and when models are merged. It has all contradictions, not only the first one:
///
/// ```swift
/// } catch let error as ModelConsistencyError {
///     for inconsistency in error.inconsistencies { print(inconsistency) }
/// }
/// ```
///
/// A file that cannot be read as a model at all is a `ModelFileError` instead. `coredata model check` finds the same without a store, with
/// the lines of the file.
public struct ModelConsistencyError: Error, LocalizedError, CustomStringConvertible, Sendable, Equatable {
    /// Everything that is wrong, in the order of the entities.
    public let inconsistencies: [ModelInconsistency]

    package init(inconsistencies: [ModelInconsistency]) {
        self.inconsistencies = inconsistencies
    }

    /// One line for each thing that is wrong.
    public var description: String {
        "The model contradicts itself:\n" + inconsistencies.map { "- \($0)" }.joined(separator: "\n")
    }

    /// The same as `description`.
    public var errorDescription: String? { description }
}

/// One contradiction of a model: what is wrong (`problem`, for code; `detail`, for people) and where (`entity` and `property`).
///
/// An entity or property without a name is nil there. `description` is one line with all of it, such as `Book.author: the relationship and
/// its inverse do not match`.
public struct ModelInconsistency: CustomStringConvertible, Sendable, Equatable {
    /// The kinds of contradictions. Further kinds may be added: give a `switch` over them a `default`.
    public enum Problem: Sendable, Equatable {
        /// An entity, property or index has no name.
        case missingName
        /// Two things of one kind have the same name.
        case duplicateName
        /// A property has the name of a property of every managed object, or one that no key path can hold.
        case reservedName
        /// Two models have different entities of one name.
        case differentEntitiesOfOneName
        /// An entity inherits from itself.
        case inheritanceCycle
        /// Something refers to an entity that is not in the model.
        case missingEntity
        /// A property has the name of one that its entity inherits.
        case redefinedProperty
        /// An attribute that is stored has a type that cannot be.
        case invalidType
        /// A default value is not of the attribute's type.
        case invalidDefaultValue
        /// The elements of a composite attribute are missing or contain the attribute itself.
        case invalidComposite
        /// The expression of a derived attribute is missing, or none that a store can compute.
        case invalidDerivation
        /// A relationship and its inverse do not belong together.
        case inverseMismatch
        /// The smallest and the largest count of a relationship exclude each other.
        case invalidCount
        /// An index is over something that has no column, or over nothing.
        case invalidIndex
        /// A uniqueness constraint is over something that has no column, or over nothing.
        case invalidConstraint
        /// A fetched property has no fetch request, or one without an entity.
        case invalidFetchRequest
    }

    /// What is wrong.
    public let problem: Problem
    /// The name of the entity.
    public let entity: String?
    /// The name of the property, index or constraint.
    public let property: String?
    /// A sentence about it, without the position.
    public let detail: String

    package init(_ problem: Problem, entity: String?, property: String? = nil, _ detail: String = "") {
        self.problem = problem
        self.entity = entity
        self.property = property
        self.detail = detail.isEmpty ? problem.summary : detail
    }

    /// The position and what is wrong there.
    public var description: String {
        switch (entity, property) {
        case (let entity?, let property?): "\(entity).\(property): \(detail)"
        case (let entity?, nil): "\(entity): \(detail)"
        default: detail
        }
    }
}

extension ModelInconsistency.Problem {
    fileprivate var summary: String {
        switch self {
        case .missingName: "it has no name"
        case .duplicateName: "the name is used twice"
        case .reservedName: "the name is reserved"
        case .differentEntitiesOfOneName: "two models have different entities of this name"
        case .inheritanceCycle: "the entity inherits from itself"
        case .missingEntity: "an entity is not in the model"
        case .redefinedProperty: "the entity inherits a property of this name"
        case .invalidType: "the type cannot be stored"
        case .invalidDefaultValue: "the default value is not of the attribute's type"
        case .invalidComposite: "the composite attribute is not well formed"
        case .invalidDerivation: "the derivation cannot be computed"
        case .inverseMismatch: "the relationship and its inverse do not match"
        case .invalidCount: "the minimum and the maximum count exclude each other"
        case .invalidIndex: "the index is not well formed"
        case .invalidConstraint: "the uniqueness constraint is not well formed"
        case .invalidFetchRequest: "the fetch request is missing or has no entity"
        }
    }
}

extension ModelInconsistency.Problem {
    /// The kind of reason for which a model with the problem is not written to a file.
    var reason: ModelFileError.Reason {
        switch self {
        case .missingName: .missingValue
        case .duplicateName, .redefinedProperty, .differentEntitiesOfOneName: .duplicateName
        case .inheritanceCycle: .cycle
        case .missingEntity: .unknownName
        case .reservedName, .invalidType, .invalidDefaultValue, .invalidComposite, .invalidDerivation,
            .inverseMismatch, .invalidCount, .invalidIndex, .invalidConstraint, .invalidFetchRequest:
            .invalidValue
        }
    }
}

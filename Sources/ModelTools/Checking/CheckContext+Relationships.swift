import ManagedObjectModel

extension CheckContext {
    /// Inverses, delete rules and order.
    mutating func checkRelationships() {
        for entity in entities {
            for relationship in entity.ownRelationships { check(relationship) }
        }
    }

    private mutating func check(_ relationship: NSRelationshipDescription) {
        if relationship.isOrdered && !relationship.isToMany {
            report(.orderedToOne, relationship, "a to-one relationship cannot be ordered")
        }
        if relationship.deleteRule == .noActionDeleteRule {
            report(
                .noActionRule, relationship,
                "the delete rule No Action leaves relationships to objects that have been deleted")
        }
        guard let inverse = relationship.inverseRelationship else {
            // A name without a relationship is a mismatch, which the check of consistency reports.
            if relationship.inverseRelationshipName == nil && relationship.destinationEntity != nil {
                report(
                    .relationshipWithoutInverse, relationship,
                    "the relationship should have an inverse, which keeps both ends consistent")
            }
            return
        }
        switch relationship.deleteRule {
        case .nullifyDeleteRule where !inverse.isToMany && !inverse.isOptional && inverse !== relationship:
            report(
                .nullifiedMandatoryInverse, relationship,
                "deleting the object leaves '\(inverse.qualifiedName)', which is mandatory, without a value, so that "
                    + "saving fails; use Cascade or Deny, or make the inverse optional")
        case .denyDeleteRule where inverse.deleteRule == .denyDeleteRule:
            report(
                .mutualDeny, relationship,
                "the inverse \(inverse.qualifiedName) has the delete rule Deny as well, so that neither object can be "
                    + "deleted")
        default: break
        }
    }
}

import CoreData

/// A model with a relationship of every kind, without classes of its own.
///
/// Nodes form trees (`parent`, `children`, which go with their parent), have a `partner` (one to one, with itself as
/// inverse), `friends` (many to many, with itself as inverse), a `badge` (one to one), `tags` (many to many), a
/// `ranking` of tags (ordered, many to many), `steps` (ordered, one to many) and, without inverse, a `favourite` and
/// `bookmarks`. A leaf is a node that also has a `root`. A tag that has `guards` cannot be deleted.
enum Graph {
    static func model() -> NSManagedObjectModel {
        let node = NSEntityDescription.make("Node", [])
        let leaf = NSEntityDescription.make("Leaf", [])
        let tag = NSEntityDescription.make("Tag", [])
        let badge = NSEntityDescription.make("Badge", [])
        let step = NSEntityDescription.make("Step", [])
        let guardian = NSEntityDescription.make("Guard", [])

        let parent = NSRelationshipDescription.toOne("parent")
        let children = NSRelationshipDescription.toMany("children", rule: .cascadeDeleteRule)
        parent.joined(from: node, to: node, inverse: children)
        let partner = NSRelationshipDescription.toOne("partner")
        partner.joined(from: node, to: node, inverse: partner)
        let friends = NSRelationshipDescription.toMany("friends")
        friends.joined(from: node, to: node, inverse: friends)
        let badgeOfNode = NSRelationshipDescription.toOne("badge", rule: .cascadeDeleteRule)
        let nodeOfBadge = NSRelationshipDescription.toOne("node")
        badgeOfNode.joined(from: node, to: badge, inverse: nodeOfBadge)
        let tags = NSRelationshipDescription.toMany("tags")
        let nodesOfTag = NSRelationshipDescription.toMany("nodes")
        tags.joined(from: node, to: tag, inverse: nodesOfTag)
        let ranking = NSRelationshipDescription.toMany("ranking", ordered: true)
        let rankedBy = NSRelationshipDescription.toMany("rankedBy")
        ranking.joined(from: node, to: tag, inverse: rankedBy)
        let steps = NSRelationshipDescription.toMany("steps", ordered: true, rule: .cascadeDeleteRule)
        let nodeOfStep = NSRelationshipDescription.toOne("node")
        steps.joined(from: node, to: step, inverse: nodeOfStep)
        let favourite = NSRelationshipDescription.toOne("favourite")
        favourite.joined(from: node, to: node, inverse: nil)
        let bookmarks = NSRelationshipDescription.toMany("bookmarks")
        bookmarks.joined(from: node, to: node, inverse: nil)
        let root = NSRelationshipDescription.toOne("root")
        let leaves = NSRelationshipDescription.toMany("leaves")
        root.joined(from: leaf, to: tag, inverse: leaves)

        let guards = NSRelationshipDescription.toMany("guards", rule: .denyDeleteRule)
        let guarded = NSRelationshipDescription.toOne("guarded")
        guards.joined(from: tag, to: guardian, inverse: guarded)

        node.properties =
            attributes() + [
                parent, children, partner, friends, badgeOfNode, tags, ranking, steps, favourite, bookmarks,
            ]
        leaf.properties = [Library.attribute("weight", .double), root]
        tag.properties = attributes() + [nodesOfTag, rankedBy, leaves, guards]
        badge.properties = attributes() + [nodeOfBadge]
        step.properties = attributes() + [nodeOfStep]
        guardian.properties = attributes() + [guarded]
        node.subentities = [leaf]
        return .of(node, leaf, tag, badge, step, guardian)
    }

    /// The entities that no other one is above.
    static let roots = ["Node", "Tag", "Badge", "Step", "Guard"]

    /// Every entity has an identifier that tests give, a name, a number and a mark that is not stored.
    private static func attributes() -> [NSPropertyDescription] {
        [
            Library.attribute("uid", .integer64, optional: false, defaultValue: 0),
            Library.attribute("name", .string),
            Library.attribute("number", .integer32, defaultValue: 0),
            Library.transient("mark", .string),
        ]
    }
}

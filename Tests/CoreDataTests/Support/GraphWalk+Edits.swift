import CoreData

// Edits of the graph, made in the context and in the reference.

extension GraphWalk {
    /// One event with one edit or a few.
    func edit() {
        let before = current.normalised
        let count = random.oneIn(3) ? Int.random(in: 2...5, using: &random) : 1
        context.performAndWait {
            for _ in 0..<count { editOnce() }
        }
        // What ends as it began leaves nothing to undo.
        guard before != current.normalised else { return }
        undoable.append(before)
        redoable = []
    }

    /// Several events that are undone at once.
    func editInGroup() {
        let before = current.normalised
        var hasChanged = false
        log.append("begin a group")
        context.performAndWait { context.undoManager?.beginUndoGrouping() }
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let before = current.normalised
            context.performAndWait { editOnce() }
            hasChanged = hasChanged || before != current.normalised
        }
        log.append("end the group")
        context.performAndWait { context.undoManager?.endUndoGrouping() }
        // An empty group can be undone, but not redone.
        guard hasChanged else { return forgetUndo() }
        undoable.append(before)
        redoable = []
    }

    func editOnce() {
        let ids = current.objects.keys.sorted()
        guard let id = ids.randomElement(using: &random), ids.count > 3 else {
            insert()
            return
        }
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<3: if ids.count < objectLimit { insert() } else { delete(id) }
        case 3..<5: delete(id)
        case 5..<9: setAttribute(id)
        case 9..<13: editToOne(id)
        default: editToMany(id)
        }
    }

    func insert() {
        lastID += 1
        let entity =
            ["Node", "Node", "Node", "Leaf", "Tag", "Tag", "Badge", "Step", "Guard"]
            .randomElement(using: &random) ?? "Node"
        log.append("insert \(entity) \(lastID)")
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        object.setValue(lastID, forKey: "uid")
        object.setValue("n\(lastID)", forKey: "name")
        objects[lastID] = object
        current.objects[lastID] = .init(entity: entity, name: "n\(lastID)")
    }

    func delete(_ id: Int) {
        let gone = current.deleted(with: [id])
        guard !current.isDenied(gone) else { return }
        log.append("delete \(id) (\(gone.sorted()))")
        // Relationships without inverse are the program's responsibility.
        for (other, object) in current.objects.sorted(by: { $0.key < $1.key }) {
            if let favourite = object.toOne["favourite"], gone.contains(favourite) {
                objects[other]?.setValue(nil, forKey: "favourite")
            }
            for bookmark in object.toMany["bookmarks"] ?? [] where gone.contains(bookmark) {
                objects[other].map {
                    $0.mutableSetValue(forKey: "bookmarks").remove(objects[bookmark] as Any)
                }
            }
        }
        if let object = objects[id] { context.delete(object) }
        // Until the event ends only this object is marked; edits that follow must not touch objects that
        // are deleted with it.
        context.processPendingChanges()
        current.delete(gone)
    }

    func setAttribute(_ id: Int) {
        let key = ["name", "number", "mark", "weight"].randomElement(using: &random) ?? "name"
        let number = Int.random(in: 0..<6, using: &random)
        let text = number == 0 ? nil : "t\(number)"
        guard key != "weight" || current.objects[id]?.entity == "Leaf" else { return }
        log.append("set \(id).\(key) = \(number)")
        switch key {
        case "name": current.objects[id]?.name = text
        case "number": current.objects[id]?.number = number
        case "mark": current.objects[id]?.mark = text
        default: current.objects[id]?.weight = Double(number)
        }
        let values: [String: Any?] = ["number": number, "weight": Double(number)]
        objects[id]?.setValue(values[key] ?? text, forKey: key)
    }

    func randomLink(_ id: Int, toMany: Bool) -> (GraphReference.Link, Int)? {
        let all = GraphReference.links[current.objects[id]?.entity ?? ""] ?? []
        guard let link = all.filter({ $0.isToMany == toMany }).randomElement(using: &random),
            let destination = candidates(id, link).randomElement(using: &random)
        else { return nil }
        return (link, destination)
    }

    /// The objects that a relationship may be led to. Without inverse, the store keeps the owner with each
    /// destination, so that it can have one owner only.
    func candidates(_ id: Int, _ link: GraphReference.Link) -> [Int] {
        let all = current.candidates(link)
        guard link.inverse == nil, link.isToMany else { return all }
        let taken = current.objects.filter { $0.key != id }.flatMap { $1.toMany[link.name] ?? [] }
        return all.filter { !taken.contains($0) }
    }

    func editToOne(_ id: Int) {
        guard let (link, destination) = randomLink(id, toMany: false) else { return }
        let target = random.oneIn(4) ? nil : destination
        log.append("set \(id).\(link.name) = \(target.map(String.init) ?? "nil")")
        current.setToOne(id, link.name, target)
        objects[id]?.setValue(target.flatMap { objects[$0] }, forKey: link.name)
    }

    func editToMany(_ id: Int) {
        guard let (link, destination) = randomLink(id, toMany: true), let object = objects[id],
            let target = objects[destination]
        else { return }
        let members = current.members(id, link.name)
        switch Int.random(in: 0..<5, using: &random) {
        case 0, 1:
            guard !members.contains(destination) else { return }
            let index =
                link.isOrdered && random.oneIn(2) ? members.indices.randomElement(using: &random) : nil
            log.append("add \(destination) to \(id).\(link.name) at \(index.map(String.init) ?? "end")")
            current.add(id, link.name, destination, at: index)
            if !link.isOrdered {
                object.mutableSetValue(forKey: link.name).add(target)
            } else if let index {
                object.mutableOrderedSetValue(forKey: link.name).insert(target, at: index)
            } else {
                object.mutableOrderedSetValue(forKey: link.name).add(target)
            }
        case 2:
            guard let member = members.randomElement(using: &random), let target = objects[member] else {
                return
            }
            log.append("remove \(member) from \(id).\(link.name)")
            current.remove(id, link.name, member)
            if link.isOrdered {
                object.mutableOrderedSetValue(forKey: link.name).remove(target)
            } else {
                object.mutableSetValue(forKey: link.name).remove(target)
            }
        case 3 where link.isOrdered && members.count > 1:
            let shuffled = members.shuffled(using: &random)
            log.append("reorder \(id).\(link.name) to \(shuffled)")
            current.set(id, link.name, shuffled)
            object.setValue(NSOrderedSet(array: shuffled.compactMap { objects[$0] }), forKey: link.name)
        default:
            let wanted = candidates(id, link).shuffled(using: &random).prefix(
                Int.random(in: 0...4, using: &random))
            log.append("set \(id).\(link.name) = \(wanted)")
            current.set(id, link.name, Array(wanted))
            let list = wanted.compactMap { objects[$0] }
            object.setValue(
                link.isOrdered ? NSOrderedSet(array: list) as Any : NSSet(array: list) as Any,
                forKey: link.name)
        }
    }

    /// A deletion that a rule forbids: the save fails and leaves everything as it was, and the deletion is taken back.
    func deleteWhatIsDenied() throws {
        // An object that was never saved just leaves.
        let tags = current.objects.filter {
            $1.entity == "Tag" && saved.objects[$0] != nil && current.isDenied([$0])
        }.keys.sorted()
        guard let id = tags.randomElement(using: &random), let tag = objects[id] else { return }
        log.append("delete \(id), which is denied")
        try context.performAndWait {
            context.delete(tag)
            context.processPendingChanges()
            do {
                try context.save()
                throw Mismatch(description: "a denied deletion of \(id) was saved")
            } catch let error as CocoaError where error.code == .validationRelationshipDeniedDelete {
                guard error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === tag else {
                    throw Mismatch(description: "the error names another object than \(id)")
                }
            }
            guard tag.isDeleted, context.deletedObjects.contains(tag) else {
                throw Mismatch(description: "the failed save has changed \(id)")
            }
            context.undo()
        }
        forgetUndo()
    }
}

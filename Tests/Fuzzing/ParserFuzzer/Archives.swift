import CocoaFoundation
import FuzzerDriver
import ManagedObjectModel

// Foundation has a shell of the same name.
private typealias NSExpression = CocoaFoundation.NSExpression

/// Property lists, and archives of objects in them.
enum Archives {
    static var subjects: [FuzzedSubject] { [propertyLists, keyedArchives] }

    private static var propertyLists: FuzzedSubject {
        let folder = ScratchFolder()
        return FuzzedSubject("property-lists", longestInput: 2048) { data in
            guard BinaryPropertyList.isBinaryPropertyList(data) else {
                _ = try XMLStoreDocument.propertyList(ModelElement(xml: data, allowsDocumentType: true))
                let file = try folder.file(CurrentVersionMarker.fileName, data)
                _ = try CurrentVersionMarker(contentsOf: file)
                return
            }
            let list = try BinaryPropertyList(data)
            let again = try BinaryPropertyList(list.data())
            mustHold(
                again.nodes.count == list.nodes.count && again.root == list.root, "written as another list")
            _ = try list.dictionary(maximumDepth: 64, maximumWeight: 10_000)
        }
    }

    private static var keyedArchives: FuzzedSubject {
        let classes: [AnyClass] = [
            NSArray.self, NSDictionary.self, NSSet.self, NSOrderedSet.self, NSString.self, NSNumber.self,
            NSData.self, NSDate.self, NSUUID.self, NSURL.self, NSNull.self, NSPredicate.self,
            NSExpression.self,
            NSSortDescriptor.self,
        ]
        return FuzzedSubject("keyed-archives") { data in
            guard let object = try KeyedArchiveReader.root(of: classes, from: data) else { return }
            _ = (object as? NSPredicate)?.formatString
            let written = try KeyedArchiveWriter.archivedData(withRootObject: object)
            _ = try KeyedArchiveReader.root(of: classes, from: written)
        }
    }
}

import CoreDataSQL
import Foundation
import ObjectGraph

extension SQLiteStore: SQLStore {
    package var derivedValues: any DerivedValueReports { reports }

    package func cachedRow(_ key: ObjectKey) -> Row? { rowCache.row(key) }

    package func externalDataStart(
        named name: String, atMost most: Int
    ) throws -> (start: Data, length: Int) {
        try ExternalData.start(of: name, in: externalDataFolder, atMost: most)
    }
}

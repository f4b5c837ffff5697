/// Search of what a program has, as on Apple's platforms: the delegate that indexes a store, items, and queries.
@_exported import Foundation

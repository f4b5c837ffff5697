import Foundation

/// The bundles that opening a store searches for a mapping model.
package enum MappingBundles {
    /// The folders of bundles that a test searches instead of the program's.
    @TaskLocal package static var searched: [URL]?
}

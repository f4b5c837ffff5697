import Foundation

/// The bundles in which a store that is opened looks for a mapping model.
package enum MappingBundles {
    /// The folders of the bundles that a test has searched in the place of those of the program.
    @TaskLocal package static var searched: [URL]?
}

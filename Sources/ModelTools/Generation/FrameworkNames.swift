/// The file of names that each target with a model gets.
package enum FrameworkNames {
    /// The name of the file.
    package static let fileName = "CoreDataNames.swift"

    /// Names that Foundation has on Linux too, for shells that stop the program. In a file that imports Foundation and
    /// CoreData both would be meant; a name of the module's own comes before both. They are public so that public
    /// declarations can use them.
    package static let file = GeneratedFile(
        fileName,
        """
        //
        //  \(fileName)
        //  Names of types that Foundation and CoreData both have: here they are CoreData's.
        //

        import CoreData

        public typealias NSComparisonPredicate = CoreData.NSComparisonPredicate
        public typealias NSExpression = CoreData.NSExpression

        """)
}

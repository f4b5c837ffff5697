/// The file of names that each target with a model gets.
package enum FrameworkNames {
    /// The name of the file.
    package static let fileName = "CoreDataNames.swift"

    /// The import of CoreData where its types are in declarations that others see. An import is as visible as that
    /// unless the module has chosen that it is not, and only then it may say so.
    static func importing(_ access: GenerationOptions.Access) -> String {
        guard access != .internal else { return "import CoreData" }
        return """
            #if hasFeature(InternalImportsByDefault)
            \(access.rawValue) import CoreData
            #else
            import CoreData
            #endif
            """
    }

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

        #if hasFeature(InternalImportsByDefault)
        public import CocoaFoundation
        public import CoreData
        #else
        import CoreData
        #endif

        public typealias NSComparisonPredicate = CoreData.NSComparisonPredicate
        public typealias NSExpression = CoreData.NSExpression

        """)
}

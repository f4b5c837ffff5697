import LocalSite
import ModelTools

/// The editor of a model in a web page: `coredata edit`.
package enum ModelEditor {
    /// The site that shows a document, and takes edits.
    package static func site(_ document: ModelDocument, access: SiteAccess = SiteAccess()) -> LocalSite {
        LocalSite(name: "Model Editor", files: .shared.adding(files), access: access) { router in
            DocumentRoutes(document).add(to: router)
            CheckRoutes(document).add(to: router)
        }
    }

    private static let files = StaticFiles([
        "index.html": PackageResources.index_html,
        "editor.css": PackageResources.editor_css,
        "diagram.css": PackageResources.diagram_css,
        "main.js": PackageResources.main_js,
        "store.js": PackageResources.store_js,
        "model.js": PackageResources.model_js,
        "toolbar.js": PackageResources.toolbar_js,
        "sidebar.js": PackageResources.sidebar_js,
        "tables.js": PackageResources.tables_js,
        "choices.js": PackageResources.choices_js,
        "rename.js": PackageResources.rename_js,
        "fields.js": PackageResources.fields_js,
        "checked.js": PackageResources.checked_js,
        "inspector.js": PackageResources.inspector_js,
        "attribute.js": PackageResources.attribute_js,
        "relationship.js": PackageResources.relationship_js,
        "entity.js": PackageResources.entity_js,
        "constraints.js": PackageResources.constraints_js,
        "requests.js": PackageResources.requests_js,
        "versions.js": PackageResources.versions_js,
        "userinfo.js": PackageResources.userinfo_js,
        "panel.js": PackageResources.panel_js,
        "migration.js": PackageResources.migration_js,
        "merge.js": PackageResources.merge_js,
        "layout.js": PackageResources.layout_js,
        "drawing.js": PackageResources.drawing_js,
        "diagram.js": PackageResources.diagram_js,
        "export.js": PackageResources.export_js,
    ])
}

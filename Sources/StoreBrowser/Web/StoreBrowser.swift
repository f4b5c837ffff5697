import LocalSite

/// The browser of a store in a web page: `coredata browse`.
package enum StoreBrowser {
    /// The site that shows a store, and changes it if it is open for that.
    package static func site(_ store: BrowsedStore, access: SiteAccess = SiteAccess()) -> LocalSite {
        LocalSite(name: "Store Browser", files: .shared.adding(files), access: access) { router in
            ReadingRoutes(store).add(to: router)
            DataRoutes(store).add(to: router)
            EditingRoutes(store).add(to: router)
            SearchRoutes(store).add(to: router)
        }
    }

    private static let files = StaticFiles([
        "index.html": PackageResources.index_html,
        "browser.css": PackageResources.browser_css,
        "main.js": PackageResources.main_js,
        "state.js": PackageResources.state_js,
        "toolbar.js": PackageResources.toolbar_js,
        "sidebar.js": PackageResources.sidebar_js,
        "table.js": PackageResources.table_js,
        "filter.js": PackageResources.filter_js,
        "statements.js": PackageResources.statements_js,
        "detail.js": PackageResources.detail_js,
        "bytes.js": PackageResources.bytes_js,
        "picture.js": PackageResources.picture_js,
        "editing.js": PackageResources.editing_js,
        "chart.js": PackageResources.chart_js,
        "history.js": PackageResources.history_js,
        "facts.js": PackageResources.facts_js,
        "fold.js": PackageResources.fold_js,
        "export.js": PackageResources.export_js,
        "targets.js": PackageResources.targets_js,
        "search.js": PackageResources.search_js,
    ])
}

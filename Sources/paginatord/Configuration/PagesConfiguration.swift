/// How pages are fetched.
struct PagesConfiguration: Sendable {
    /// The page size of a session whose creator does not say.
    var itemsPerPage = 20
    /// The most that its creator may say.
    var maxItemsPerPage = 10_000
    /// The largest page, in bytes after decompression.
    var maxBytes = 64 << 20
}

extension PagesConfiguration {
    /// Takes `pages`.
    init(in root: inout ConfigurationSection) {
        var section = root.section("pages")
        itemsPerPage = section.value("itemsPerPage", .integer(1...10_000), default: itemsPerPage)
        maxItemsPerPage = section.value("maxItemsPerPage", .integer(1...10_000), default: maxItemsPerPage)
        maxBytes = section.value("maxBytes", .size(1024...1 << 31), default: maxBytes)
        if itemsPerPage > maxItemsPerPage {
            section.complain("itemsPerPage", "must not be larger than maxItemsPerPage")
        }
        section.finish()
    }
}

import HTTPModel
import Sessions
import TableAPI

/// How pages are fetched.
struct PagesConfiguration: Sendable {
    /// The page size of a session whose creator does not say.
    var itemsPerPage = 20
    /// The most that its creator may say.
    var maxItemsPerPage = 10_000
    /// The largest page, in bytes after decompression.
    var maxBytes = 64 << 20
    /// How many pages are fetched ahead where the session's creator does not say.
    var readAhead = ReadAheadDepth.auto
    /// How old a page that was read ahead may be when it is delivered.
    var readAheadMaxAge = Duration.seconds(30)
    /// How long an answer of an instance is given out again to whoever asks for the same; zero: not at all.
    var cacheTTL: Duration = .zero
    /// The most that those answers take together, of all instances.
    var cacheBytes = 128 << 20
}

extension PagesConfiguration {
    /// Takes `pages`.
    init(in root: inout ConfigurationSection) {
        var section = root.section("pages")
        itemsPerPage = section.value("itemsPerPage", .integer(1...10_000), default: itemsPerPage)
        maxItemsPerPage = section.value("maxItemsPerPage", .integer(1...10_000), default: maxItemsPerPage)
        maxBytes = section.value("maxBytes", .size(1024...1 << 31), default: maxBytes)
        readAhead = section.value("readAhead", .readAheadDepth, default: readAhead)
        readAheadMaxAge = section.value(
            "readAheadMaxAge", .duration(.seconds(1)...(.seconds(3600))), default: readAheadMaxAge)
        cacheTTL = section.value("cacheTTL", .duration(.zero...(.seconds(86_400))), default: cacheTTL)
        cacheBytes = section.value("cacheBytes", .size(1024...1 << 40), default: cacheBytes)
        if itemsPerPage > maxItemsPerPage {
            section.complain("itemsPerPage", "must not be larger than maxItemsPerPage")
        }
        section.finish()
    }

    /// Where all instances' answers are kept for a while; `nil` where they are not to be.
    var cache: PageCache? {
        cacheTTL > .zero ? PageCache(timeToLive: cacheTTL, maxBytes: cacheBytes) : nil
    }
}

extension SettingKind<ReadAheadDepth> {
    /// A number of pages, or none in particular.
    fileprivate static var readAheadDepth: SettingKind {
        SettingKind(
            expected: #""auto" or a number of pages from 0 to 8"#,
            fromJSON: { value in
                switch value {
                case .string("auto"): .auto
                case .integer(let count) where 0...8 ~= count: .pages(count)
                default: nil
                }
            },
            fromText: { text in
                text == "auto" ? .auto : SettingKind<Int>.integer(0...8).fromText(text).map { .pages($0) }
            })
    }
}

/// An order that changes from request to request, as it does on an instance for a list without ORDERBY: a client that
/// pages without an order of its own gets rows twice and misses others. The same seed gives the same changes.
struct UnstableOrder: Sendable {
    /// Sets one instance's changes apart from another's.
    let seed: UInt64

    /// The terms of ORDER BY for one request, by its number.
    func terms(request: UInt64) -> String {
        switch RandomSource.mixed(seed ^ RandomSource.mixed(request)) % 4 {
        case 0: "t.id ASC"
        case 1: "t.id DESC"
        case 2: "t.sys_id ASC"
        default: "t.sys_id DESC"
        }
    }
}

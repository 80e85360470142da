extension Filter {
    /// The query with its ties broken by `sys_id`, unless it is ordered by `sys_id` already.
    ///
    /// The term goes to the very end, behind any `^NQ`: order terms hold for the whole query wherever they stand, and at
    /// the end it comes after the caller's own order.
    static func stablyOrdered(_ query: String) -> String {
        if query.isEmpty { return "ORDERBYsys_id" }
        // By bytes: to Swift a circumflex followed by a combining mark is another character.
        let isOrdered = query.utf8.split(separator: UInt8(ascii: "^")).contains {
            $0.elementsEqual("ORDERBYsys_id".utf8) || $0.elementsEqual("ORDERBYDESCsys_id".utf8)
        }
        return isOrdered ? query : query + "^ORDERBYsys_id"
    }
}

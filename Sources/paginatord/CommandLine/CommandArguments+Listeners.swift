extension CommandArguments {
    /// Every `--listen`; empty for none.
    ///
    /// - Throws: `CommandLineError`.
    func listeners() throws(CommandLineError) -> [Listener] {
        var listeners: [Listener] = []
        for text in all("--listen") {
            guard let more = Listener.parse(text) else {
                throw error("--listen: expected \(Listener.expected) but found \"\(printable(text))\"")
            }
            listeners += more
        }
        return listeners
    }
}

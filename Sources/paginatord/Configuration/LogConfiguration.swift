import Observability

/// What the log says and how.
struct LogConfiguration: Sendable {
    /// What matters less is left out.
    var level = Level.info
    /// How lines look; `nil`: as text on a terminal, else as JSON.
    var format: LogFormat?
}

extension LogConfiguration {
    /// The words for `format`.
    private enum Format: String, CaseIterable {
        case auto, json, text
    }

    /// Takes `log`.
    init(in root: inout ConfigurationSection) {
        var section = root.section("log")
        level = section.value("level", .choice(), default: level)
        let format: Format = section.value("format", .choice(), default: .auto)
        self.format = LogFormat(rawValue: format.rawValue)
        section.finish()
    }
}

/// How the fields of records are given.
public struct FieldReadConfiguration: Sendable, Equatable {
    /// Which of a field's two values is given (`sysparm_display_value`).
    public enum DisplayValue: String, Sendable, CaseIterable {
        /// The value as it is stored.
        case actual = "false"
        /// The value as the user sees it, in the user's language and time zone.
        case display = "true"
        /// Both, as an object.
        case all
    }

    /// The fields to give, in the instance's spelling; dot-walking is allowed. Empty for all.
    public var includeFields: [String]
    /// Which values are given.
    public var displayValue: DisplayValue
    /// Whether references are given without their link (`sysparm_exclude_reference_link`).
    public var excludeReferenceLink: Bool
    /// The view whose fields are given (`sysparm_view`); `includeFields` wins over it.
    public var view: String?

    /// Makes a configuration.
    public init(
        includeFields: [String] = [], displayValue: DisplayValue = .actual, excludeReferenceLink: Bool = false,
        view: String? = nil
    ) {
        self.includeFields = includeFields
        self.displayValue = displayValue
        self.excludeReferenceLink = excludeReferenceLink
        self.view = view
    }
}

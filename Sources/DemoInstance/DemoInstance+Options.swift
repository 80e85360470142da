public import Clocks

extension DemoInstance {
    /// What can be chosen about an instance. As it stands it has 10,000 incidents, lets everybody in, and answers at
    /// once and as often as it is asked.
    public struct Options: Sendable {
        /// How many records `incident` has, from 0; the other tables have fixed numbers.
        public var incidents = 10000
        /// The user whom it answers. With neither a user nor an `oauthClient` it answers everybody.
        public var credentials: BasicCredentials?
        /// The application that `/oauth_token.do` gives tokens to; with `nil` there are none.
        public var oauthClient: OAuthClient?
        /// How long an access token is valid; refresh tokens are valid a hundred times as long. Whole seconds.
        public var tokenLifetime: Duration = .seconds(1800)
        /// How many requests each user may make in an hour by the clock; `nil` for any number.
        public var requestsPerHour: Int?
        /// Decides the order of lists whose query states none; it changes from request to request.
        public var seed: UInt64 = 1
        /// How long every answer is held back.
        public var latency: Duration = .zero
        /// What tokens and request limits are timed by.
        public var clock = ServiceClock.system
        /// The moment that queries take for now, as in `javascript:gs.daysAgoStart(7)`. The records do not grow, so it
        /// stands still by default, at noon of the last day that has new ones.
        public var present: @Sendable () -> Timestamp = { Timestamp(milliseconds: 1_767_182_400_000) }
        /// How many rows a table has at most whose lists are made as a whole; larger ones are read page by page.
        var smallTable = 20000
        /// Waits for the latency.
        public var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

        /// Makes the options described above.
        public init() {}
    }
}

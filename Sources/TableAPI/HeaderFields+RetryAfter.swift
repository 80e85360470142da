import HTTPModel

extension HeaderFields {
    /// The seconds to wait by `Retry-After` (RFC 9110 §10.2.3): a number, or a date, which is read relative to the
    /// answer's own `Date` where there is one, so that a wrong clock on either side does no harm. Of several the longest,
    /// since coming back too early is what does harm.
    ///
    /// - Parameter now: the present, in seconds since 1970.
    func retryAfter(now: () -> Int) -> Int? {
        values(of: "Retry-After").compactMap { seconds(by: $0[...].trimmingSpaces, now: now) }.max()
    }

    private func seconds(by value: Substring, now: () -> Int) -> Int? {
        if let seconds = saturatedNumber(value) { return seconds }
        let present = now()
        guard let date = HTTPDate.seconds(String(value), now: present) else { return nil }
        return max(0, date - self.date(orNow: present))
    }

    /// When the answer was sent by its own `Date`, and without a readable one the present, both in seconds since 1970: times
    /// that an answer names are read relative to this.
    func date(orNow present: Int) -> Int {
        self["Date"].flatMap { HTTPDate.seconds($0, now: present) } ?? present
    }
}

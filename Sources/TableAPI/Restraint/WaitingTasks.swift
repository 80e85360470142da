/// The tasks that wait at a gate, and what they have yet to hear.
struct WaitingTasks {
    /// What a task is woken up for.
    enum News: Sendable {
        /// Its request was decided about.
        case decided(Result<RequestSlot, InstanceGate.Refusal>)
        /// The moment until which it should sleep has changed.
        case alarmChanged
    }

    /// A task to be woken up, outside the lock.
    struct Call {
        /// The task.
        let continuation: CheckedContinuation<News, Never>
        /// What for.
        let news: News
    }

    /// What a task should do that is about to wait.
    enum Step {
        /// Nothing: its request has been decided about.
        case end(Result<RequestSlot, InstanceGate.Refusal>)
        /// Suspend itself, and wake up at that moment for the gate; `nil` where another task does.
        case wait(until: Duration?)
    }

    private enum Waiter {
        /// It has yet to ask what to do.
        case arriving
        /// It is about to suspend itself.
        case suspending
        case asleep(CheckedContinuation<News, Never>)
        /// There was news before it suspended itself.
        case told(News)

        var isUndecided: Bool {
            if case .told(.decided) = self { false } else { true }
        }
    }

    private var waiters: [RequestTicket: Waiter] = [:]
    /// Who wakes up when the gate can go on by itself, and when that is.
    private var alarm: (ticket: RequestTicket, moment: Duration)?

    /// Notes that a task is going to wait.
    mutating func expect(_ ticket: RequestTicket) {
        waiters[ticket] = .arriving
    }

    /// Tells a task what to do next.
    mutating func step(_ ticket: RequestTicket) -> Step {
        if case .told(.decided(let verdict))? = waiters[ticket] {
            waiters[ticket] = nil
            return .end(verdict)
        }
        waiters[ticket] = .suspending
        return .wait(until: alarm.flatMap { $0.ticket == ticket ? $0.moment : nil })
    }

    /// Notes that a task has suspended itself; returns the news where there is some already.
    mutating func suspend(_ ticket: RequestTicket, _ continuation: CheckedContinuation<News, Never>) -> News? {
        guard case .told(let news)? = waiters[ticket] else {
            waiters[ticket] = .asleep(continuation)
            return nil
        }
        waiters[ticket] = if case .decided = news { nil } else { .arriving }
        return news
    }

    /// Tells a task something, unless it has been decided about.
    mutating func tell(_ ticket: RequestTicket, _ news: News, _ calls: inout [Call]) {
        switch waiters[ticket] {
        case nil, .told(.decided): break
        case .arriving:
            if case .decided = news { waiters[ticket] = .told(news) }
        case .suspending, .told(.alarmChanged): waiters[ticket] = .told(news)
        case .asleep(let continuation):
            calls.append(Call(continuation: continuation, news: news))
            waiters[ticket] = if case .decided = news { nil } else { .arriving }
        }
    }

    /// Sees to it that one task wakes up at that moment.
    mutating func setAlarm(_ moment: Duration?, now: Duration, _ calls: inout [Call]) {
        guard let moment else {
            alarm = nil
            return
        }
        if let alarm, alarm.moment <= moment, alarm.moment > now, waiters[alarm.ticket]?.isUndecided == true { return }
        guard let ticket = waiters.first(where: { $0.value.isUndecided })?.key else { return }
        alarm = (ticket, moment)
        tell(ticket, .alarmChanged, &calls)
    }
}

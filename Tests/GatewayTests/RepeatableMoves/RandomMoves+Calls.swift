import HTTPModel

@testable import Gateway

/// What the clients of a random test ask for, and what they make of the answers.
extension RandomMoves {
    /// What a client asks for next: what it has lost the answer to, or anything.
    func randomCall(of client: Int, on subject: Int? = nil) -> Call {
        latestCall += 1
        var call = anyCall(of: client, on: subject)
        call.number = latestCall
        return call
    }

    private func anyCall(of client: Int, on subject: Int?) -> Call {
        if let lost = clients[client].lost, subject == nil || lost.subject == subject, chance(85) {
            clients[client].lost = nil
            return lost
        }
        let subject = subject ?? Int.random(in: 0..<2, using: &random)
        let model = judge.subjects[subject].model
        let moves: [SessionModel.Move] = [.next, .next, .next, .next, .next, .previous, .first, .last, .reset]
        var call = Call(subject: subject, move: moves.randomElement(using: &random) ?? .next)
        var start: Int?
        switch Int.random(in: 0..<100, using: &random) {
        case ..<45: start = model.position
        case ..<62: start = clients[client].heard[subject]
        case ..<74:
            // What somebody has done already.
            start = model.position - 1
            if chance(80), let move = model.reachedBy { call.move = move }
            if model.position == 0 { start = nil }
        case ..<82: start = Int.random(in: 0...model.position + 3, using: &random)
        default: start = nil
        }
        let carrier = Int.random(in: 0..<4, using: &random)
        if carrier != 0 { call.after = start }
        if carrier <= 1 { call.tag = start }
        call.waits = chance(85)
        if call.move != .reset, chance(30) { call.method = "GET" }
        return call
    }

    /// What a client makes of an answer, if it reaches it.
    func hear(_ client: Int, _ call: Call, _ answer: Answer) {
        if chance(20) {
            note("lost")
            clients[client].lost = call.start == nil ? nil : call
        } else if let value = try? answer["position"], case .integer(let position) = value {
            clients[client].heard[call.subject] = position
        }
    }

    /// Begins a call.
    func start(_ client: Int, _ call: Call) -> Running {
        let send = request(call)
        let flag = Flag()
        let task = Task {
            defer { flag.set() }
            return try await send()
        }
        return Running(client: client, call: call, task: task, hasEnded: flag)
    }

    /// A call as a request, ready to be sent.
    func request(_ call: Call) -> @Sendable () async throws -> Answer {
        note(call.text)
        var headers: HeaderFields = ["Host": "localhost:8080"]
        if let tag = call.tag { headers.append("If-Match", "\"\(tag)\"") }
        if !call.waits { headers.append("Prefer", "wait=0") }
        let target =
            "\(judge.subjects[call.subject].path)/\(call.move.rawValue)" + (call.after.map { "?after=\($0)" } ?? "")
        return { [service, headers] in
            try await WatchedSource.$call.withValue(call.number) {
                try await service.send(call.method, target, headers: headers)
            }
        }
    }

    /// Whether something happens that happens so many times in a hundred.
    func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &random) < percent
    }

    /// Adds to the list of steps.
    func note(_ text: String) {
        steps[steps.count - 1] += " \(text)."
    }
}

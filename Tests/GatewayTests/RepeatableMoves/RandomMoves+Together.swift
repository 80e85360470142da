import Pagination
import PaginatordTesting

@testable import Gateway
@testable import Sessions

extension RandomMoves {
    /// Several calls on one session at once, while the instance does not answer.
    func moveTogether() async throws {
        let index = Int.random(in: 0..<2, using: &random)
        guard !judge.subjects[index].isGone, let id = SessionID(judge.subjects[index].id) else { return }
        note("together")
        let turns = try await service.registry.session(id, for: "").turns
        let gate = Gate()
        tables.hold(behind: gate)
        defer {
            gate.open()
            tables.hold(behind: nil)
        }
        // The one that moves, and those behind it.
        var moving: [Running] = []
        // Those that fetch their page again meanwhile.
        var repeating: [(running: Running, subject: Judge.Subject)] = []
        var call = randomCall(of: 0, on: index)
        for client in 0..<Int.random(in: 2...4, using: &random) {
            // The same call again, or another one.
            if client > 0, chance(50) {
                call = randomCall(of: client, on: index)
            } else {
                latestCall += 1
                call.number = latestCall
            }
            let (begun, waiting) = (log.begun, turns.waitingCount)
            let running = start(client, call)
            try await eventually("call \(client) is under way") { [log] in
                running.hasEnded.isSet || log.begun > begun || turns.waitingCount > waiting
            }
            let isRepeat = judge.subjects[index].model.isRepeat(call.move, from: call.start)
            if !running.hasEnded.isSet {
                if isRepeat {
                    repeating.append((running, judge.subjects[index]))
                } else {
                    if !moving.isEmpty, !call.waits { throw Judge.Difference(text: "\(call.text) waits") }
                    moving.append(running)
                }
                continue
            }
            let answer = try await running.task.value
            if !moving.isEmpty, !isRepeat {
                if call.waits { throw Judge.Difference(text: "answered before its turn: \(answer.text)") }
                try judge.judgeBusy(answer)
            } else {
                try judge.judge(call, answer, isAlone: false)
            }
            hear(client, call, answer)
        }
        if chance(30) { try await look(at: index, isBusy: !moving.isEmpty) }
        if chance(20) { try await change(index, isBusy: !moving.isEmpty) }
        if chance(20) { changeTable(index) }
        if chance(20), moving.count > 1 {
            let gone = moving.remove(at: Int.random(in: 1..<moving.count, using: &random))
            note("client \(gone.client) gives up")
            gone.task.cancel()
            try judge.judgeBusy(try await gone.task.value)
        }
        if chance(20), let gone = moving.first {
            note("client \(gone.client) hangs up")
            gone.task.cancel()
            clients[gone.client].lost = gone.call
        }
        if chance(5) {
            try await delete(index)
            // Who waits is told at once.
            for running in moving.dropFirst() {
                try judge.judge(running.call, try await running.task.value, isAlone: false)
            }
            moving = Array(moving.prefix(1))
        }
        gate.open()
        tables.hold(behind: nil)
        for (running, subject) in repeating {
            let answer = try await running.task.value
            try judge.judge(
                running.call, answer, isAlone: false, repeating: judge.subjects[index].isGone ? nil : subject)
            hear(running.client, running.call, answer)
        }
        for running in moving {
            let answer = try await running.task.value
            try judge.judge(running.call, answer, isAlone: false)
            hear(running.client, running.call, answer)
        }
        if judge.subjects[index].isGone { judge.delete(index) }
    }
}

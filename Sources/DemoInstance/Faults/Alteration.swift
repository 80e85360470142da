internal import HTTPModel

/// What a fault makes of an instance's own answer.
struct Alteration {
    /// The fault.
    let kind: Fault.Kind
    /// A number that decides whatever is left to chance, another for every request.
    let chance: UInt64
    /// Decides which records are hidden: the same for every request.
    let seed: UInt64

    /// Whether a fault of that kind has anything to change in such an answer.
    static func applies(_ kind: Fault.Kind, to answer: Answer) -> Bool {
        switch kind {
        case .truncate: answer.body.count > 1
        case .noCount, .links, .appendError, .badRow: answer.isList
        case .hide: answer.isList || answer.isRecord
        default: false
        }
    }

    /// The changed answer.
    func response(_ answer: Answer) -> Response {
        var response = answer.response
        switch kind {
        case .truncate(let truncation):
            let rest = answer.body.prefix(1 + Int(chance % UInt64(answer.body.count - 1)))
            response.body = truncation == .json ? .pieces([rest]) : cut(behind: rest)
        case .appendError(let place): append(at: place, to: &response, of: answer)
        case .hide(let ratio, let remains):
            if let list = answer.list {
                let remains = remains == .empty ? Array("{}".utf8)[...] : nil
                let rows = list.rows.compactMap { isHidden(ListBody.key(of: $0), ratio) ? remains : $0 }
                response.body = .bytes(list.with(rows))
            } else if let record = answer.record, isHidden(ListBody.key(of: record), ratio) {
                return InstanceError.noRecord.response
            }
        case .badRow:
            guard let list = answer.list else { return response }
            var rows = list.rows
            rows.insert(Array(#""""#.utf8)[...], at: rows.count / 2)
            response.body = .bytes(list.with(rows))
        case .noCount: response.headers["X-Total-Count"] = nil
        case .links(let links): response.headers["Link"] = LinkField(answer)?.changed(links)
        default: break
        }
        return response
    }

    private func cut(behind part: ArraySlice<UInt8>) -> ResponseBody {
        .stream { writer in
            try await writer.write(part)
            throw CutShort()
        }
    }

    private func append(at place: Fault.AppendedError, to response: inout Response, of answer: Answer) {
        guard let list = answer.list else { return }
        let text = "Transaction cancelled: maximum execution time exceeded"
        let error = Array(
            (#""error":{"message":"\#(text)","detail":"\#(text) Check logs for error trace or enable glide.rest.debug "#
                + #"property to verify REST request processing"},"status":"failure"}"#).utf8)
        let count = list.rows.isEmpty ? 0 : 1 + Int(chance % UInt64(list.rows.count))
        var written = ListBody.joined(list.rows.prefix(count), behind: list.head)
        switch place {
        case .row:
            // The brace that closes the last row is not written any more.
            if count > 0 { written.removeLast() }
        case .list: written += (count > 0 ? ",]" : "]").utf8
        case .alone: written = [0x7B]
        case .queued:
            written = [0x7B]
            response.status = 500
        }
        response.body = .bytes(written + error)
    }

    private func isHidden(_ key: ArraySlice<UInt8>, _ ratio: Double) -> Bool {
        let hash = key.reduce(seed) { RandomSource.mixed($0 ^ UInt64($1)) }
        return RandomSource.fraction(hash) < ratio
    }
}

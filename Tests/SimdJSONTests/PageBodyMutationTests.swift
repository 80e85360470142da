import Foundation
import PaginatordTesting
import Testing

@testable import SimdJSON

/// Random changes to a real page, judged by another reader of JSON.
@Suite struct PageBodyMutationTests {
    @Test(
        "A changed page is accepted exactly when another reader finds a page in it", arguments: 0..<8 as Range<UInt64>)
    func agreesWithAnotherReader(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var accepted = 0
        for _ in 0..<3000 {
            var body = SamplePage.body
            for _ in 0...Int.random(in: 0..<2, using: &random) { mutate(&body, using: &random) }
            let isPage =
                if case .rows = PageBody.read(body) { true } else { false }
            if isPage { accepted += 1 }
            if isPage != holdsPage(body) {
                Issue.record("\(isPage ? "accepted" : "refused"): \(String(decoding: body, as: UTF8.self))")
            }
        }
        #expect(accepted > 200, "most changes hit the inside of strings and do no harm")
        #expect(accepted < 2800, "many changes break the page")
    }

    private func mutate(_ body: inout [UInt8], using random: inout SeededGenerator) {
        guard let place = body.indices.randomElement(using: &random) else { return }
        let tokens = Array(#"{}[]:,"\0123456789eE.+-truefalsn errorsult"#.utf8)
        let byte =
            Bool.random(using: &random)
            ? tokens[Int.random(in: 0..<tokens.count, using: &random)] : UInt8.random(in: 0...255, using: &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0: body[place] = byte
        case 1: body.insert(byte, at: place)
        case 2: body.remove(at: place)
        case 3: body[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 4: body.swapAt(place, min(place + 1, body.count - 1))
        default: body.replaceSubrange(place..<min(place + 3, body.count), with: body.suffix(from: place).prefix(9))
        }
    }

    /// Whether the body is one object whose only `result` is a list of objects, without an `error`, by Foundation.
    /// Foundation keeps one of several members of the same name and takes a comma behind the last, so both are looked
    /// for apart.
    private func holdsPage(_ body: [UInt8]) -> Bool {
        guard let root = try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any],
            root["result"] is [[String: Any]], root["error"] == nil
        else { return false }
        return rootNames(of: body)?.count { $0 == "result" } == 1
    }

    /// The names of the root's members in a text that is known to be JSON but for commas before a closing bracket, for
    /// which `nil` is returned.
    private func rootNames(of body: [UInt8]) -> [String]? {
        var names: [String] = []
        var depth = 0
        var expectsName = false
        var place = 0
        var latest: UInt8 = 0
        while place < body.count {
            switch body[place] {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                expectsName = depth == 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if latest == UInt8(ascii: ",") { return nil }
                depth -= 1
            case UInt8(ascii: ","): expectsName = depth == 1
            case UInt8(ascii: "\""):
                let start = place
                place += 1
                while body[place] != UInt8(ascii: "\"") { place += body[place] == UInt8(ascii: "\\") ? 2 : 1 }
                if expectsName, let name = try? JSONDecoder().decode(String.self, from: Data(body[start...place])) {
                    names.append(name)
                }
                expectsName = false
            default: break
            }
            if body[place] > 0x20 { latest = body[place] }
            place += 1
        }
        return names
    }
}

import Synchronization
import Testing

@testable import paginatord

struct ExportProgressTests {
    @Test(
        "A line says how much there is, how fast it goes and how long it will take",
        arguments: [
            (0, 100_000, 0, 80, "[" + String(repeating: "-", count: 30) + "]  0%  0 of 100,000 records  0/s"),
            (
                25_000, 100_000, 5, 100,
                "[#######-----------------------]  25%  25,000 of 100,000 records  5,000/s  0:15 left"
            ),
            (25_000, 100_000, 5, 60, "[#-----]  25%  25,000 of 100,000 records  5,000/s  0:15 left"),
            (25_000, 100_000, 5, 50, "25%  25,000 of 100,000 records  5,000/s  0:15 left"),
            (25_000, 100_000, 5, 20, "25%  25,000 of 100,0"), (25_000, 100_000, 5, 0, ""),
            (1000, 9_001_000, 1, 40, "0%  1,000 of 9,001,000 records  1,000/s "),
            (12, 10, 1, 30, "100%  12 of 10 records  12/s  "),
            (1, 7300, 1, 200, "[" + String(repeating: "-", count: 30) + "]  0%  1 of 7,300 records  1/s  2:01:39 left"),
            (999, nil, 2, 80, "999 records  499/s"), (0, 0, 1, 80, "0 records  0/s"),
        ])
    func lines(done: Int, total: Int?, seconds: Int, width: Int, expected: String) {
        let progress = ExportProgress(total: total, done: done)
        #expect(progress.line(after: .seconds(seconds), width: width) == expected)
    }

    @Test("At the end it says how long it took")
    func summary() {
        let progress = ExportProgress(total: nil, done: 100_000)
        #expect(progress.summary(after: .milliseconds(5090)) == "100,000 records in 5.0 s  19,646/s")
    }

    @Test("However fast records come, the first drawing is at once and the next not right behind it")
    func drawings() {
        let written = Mutex<[String]>([])
        let bar = ProgressBar { text in written.withLock { $0.append(text) } }
        bar.expect(100)
        for _ in 0..<100 { bar.add(1) }
        let drawn = written.withLock(\.self)
        #expect(drawn.first?.hasPrefix("\r[") == true && drawn.count < 100)
        bar.finish()
        #expect(written.withLock { $0.last }?.hasPrefix("\r100 records in ") == true)
        #expect(written.withLock { $0.last }?.hasSuffix("\u{1B}[K\n") == true)
    }
}

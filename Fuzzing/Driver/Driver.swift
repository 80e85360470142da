import Dispatch
import Glibc

// Called by libFuzzer, whose own main function starts the program:
//     Fuzz <target> [libFuzzer's options] [corpus folders]

/// The target that the first argument names.
private let target: FuzzTarget = {
    guard CommandLine.arguments.count > 1, let target = FuzzTarget(rawValue: CommandLine.arguments[1]) else {
        print(
            "usage: Fuzz TARGET [OPTION…] [FOLDER…]\ntargets: \(FuzzTarget.allCases.map(\.rawValue).joined(separator: " "))"
        )
        exit(64)
    }
    return target
}()

/// Takes the target's name away from the arguments, which are libFuzzer's.
///
/// Safe because C calls it once, before any other thread runs, with pointers to its own argument list.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>
) -> CInt {
    _ = target
    for index in 1..<Int(count.pointee) - 1 { arguments.pointee[index] = arguments.pointee[index + 1] }
    count.pointee -= 1
    return 0
}

/// Runs the target once. A broken property ends the process, and libFuzzer keeps the input.
///
/// Safe because the bytes, which are libFuzzer's, are copied before anything else.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    let done = DispatchSemaphore(value: 0)
    // Targets that wait for nothing are through when this returns.
    Task.immediate {
        do throws(BrokenProperty) {
            try await target.check(input)
        } catch {
            print("broken property of \(target.rawValue): \(error.description)")
            fflush(nil)
            abort()
        }
        done.signal()
    }
    done.wait()
    return 0
}

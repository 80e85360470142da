internal import Glibc

/// Which file is at a path: another one there, under the same name, is another file.
struct FileIdentity: Equatable {
    private let device: dev_t
    private let number: ino_t

    /// The file at that path; `nil` where there is none.
    init?(at path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        (device, number) = (status.st_dev, status.st_ino)
    }
}

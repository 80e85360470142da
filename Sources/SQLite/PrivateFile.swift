internal import Glibc

/// Makes sure that a database's file is there, and that neither it nor what SQLite keeps beside it is open to anybody but
/// its owner. What its owner may do with it stays as it is.
///
/// - Throws: `SQLiteError` where others have rights that cannot be taken away, or the file or its folder cannot be written.
func makePrivate(_ path: String) throws(SQLiteError) {
    // Made here, since SQLite would give it the rights of any new file. Where it cannot be made, SQLite says why.
    let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if descriptor >= 0 { Glibc.close(descriptor) }
    for file in [path, path + "-wal", path + "-shm"] {
        var status = stat()
        guard stat(file, &status) == 0, status.st_mode & 0o077 != 0 else { continue }
        if chmod(file, status.st_mode & 0o700) != 0, errno != EROFS {
            throw SQLiteError(.cannotOpen, "others than its owner may read \(file), which cannot be changed")
        }
    }
    // SQLite would open it for reading alone, and then fail in one of several ways.
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    for place in [path, folder] where access(place, W_OK) != 0 && errno != ENOENT {
        throw SQLiteError(.readOnly, String(cString: strerror(errno)))
    }
}

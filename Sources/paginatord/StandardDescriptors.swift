import Glibc

/// Opens those of standard input, output and error that the process was started without, on `/dev/null`.
///
/// Otherwise their numbers would go to the next things opened, such as an event loop or a caller's connection, and the
/// log would be written there. Standard output is opened for reading, so that whoever writes there is told that nothing
/// comes of it, as without this.
func openStandardDescriptors() {
    // In this order, because the system gives out the lowest number that is free.
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) == -1 {
        _ = open("/dev/null", descriptor == STDOUT_FILENO ? O_RDONLY : O_RDWR)
    }
}

/*
 * A disk that fails now and then, for one process: loaded before the C library (LD_PRELOAD), it makes one in N reads, writes
 * and flushes of files below a folder fail with EIO. N is read from a file, so that the proof can switch it on and off.
 *
 * FAULTS_FOLDER: absolute path of the folder. FAULTS_RATE: path of the file with N; without it, nothing fails.
 * FAULTS_SEED: which calls fail.
 */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_ulong calls;

/* With direct system calls, because the C library's functions are replaced below. */
static unsigned long rate(void) {
  const char *file = getenv("FAULTS_RATE");
  if (file == NULL) return 0;
  int fd = (int)syscall(SYS_openat, AT_FDCWD, file, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  char text[16] = {0};
  long got = syscall(SYS_read, fd, text, sizeof text - 1);
  syscall(SYS_close, fd);
  return got > 0 ? strtoul(text, NULL, 10) : 0;
}

static int lies_in_folder(int fd) {
  const char *folder = getenv("FAULTS_FOLDER");
  char link[32], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path);
  return folder != NULL && length > 0 && strncmp(path, folder, strlen(folder)) == 0;
}

/* splitmix64 of the call number: the same seed gives the same sequence. */
static uint64_t next_random(void) {
  const char *seed = getenv("FAULTS_SEED");
  uint64_t z = seed == NULL ? 0 : strtoull(seed, NULL, 10) << 32;
  z = (z + atomic_fetch_add(&calls, 1) + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static int fails(int fd) {
  int before = errno;
  unsigned long one_in = rate();
  int is_failing = one_in > 0 && lies_in_folder(fd) && next_random() % one_in == 0;
  errno = is_failing ? EIO : before;
  return is_failing;
}

#define FAULTY(type, name, parameters, arguments)                  \
  type name parameters {                                           \
    static type(*real) parameters;                                 \
    if (real == NULL) real = (type(*) parameters)dlsym(RTLD_NEXT, #name); \
    return fails(fd) ? -1 : real arguments;                        \
  }

FAULTY(ssize_t, read, (int fd, void *to, size_t n), (fd, to, n))
FAULTY(ssize_t, pread, (int fd, void *to, size_t n, off_t at), (fd, to, n, at))
FAULTY(ssize_t, pread64, (int fd, void *to, size_t n, off64_t at), (fd, to, n, at))
FAULTY(ssize_t, write, (int fd, const void *from, size_t n), (fd, from, n))
FAULTY(ssize_t, pwrite, (int fd, const void *from, size_t n, off_t at), (fd, from, n, at))
FAULTY(ssize_t, pwrite64, (int fd, const void *from, size_t n, off64_t at), (fd, from, n, at))
FAULTY(ssize_t, readv, (int fd, const struct iovec *to, int n), (fd, to, n))
FAULTY(ssize_t, preadv, (int fd, const struct iovec *to, int n, off_t at), (fd, to, n, at))
FAULTY(ssize_t, writev, (int fd, const struct iovec *from, int n), (fd, from, n))
FAULTY(ssize_t, pwritev, (int fd, const struct iovec *from, int n, off_t at), (fd, from, n, at))
FAULTY(int, fsync, (int fd), (fd))
FAULTY(int, fdatasync, (int fd), (fd))

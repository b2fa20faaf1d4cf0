// Preloaded into a server: appends each change of a file below RECORD_FOLDER to the log RECORD_LOG, in the
// order in which the kernel made the changes. write-log.ts reads the log.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { CREATE = 1, WRITE, TRUNCATE, SYNC, RENAME, UNLINK, LINK, MKDIR };

struct head {
  uint32_t operation;
  uint32_t path_bytes;
  uint32_t target_bytes;
  uint32_t data_bytes;
  uint64_t file;
  uint64_t offset;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *folder;
static size_t folder_bytes;
static int log_descriptor = -1;

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("RECORD_LOG");
  folder = getenv("RECORD_FOLDER");
  if (path == NULL || folder == NULL) return;
  folder_bytes = strlen(folder);
  log_descriptor = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
}




static int is_inside(const char *path) {
  return log_descriptor >= 0 && strncmp(path, folder, folder_bytes) == 0 && strchr("/", path[folder_bytes]) != NULL;
}

// The absolute path; false if it is outside of the folder.
static int locate(int directory, const char *path, char *absolute) {
  if (log_descriptor < 0 || path == NULL) return 0;
  if (path[0] == '/') {
    snprintf(absolute, PATH_MAX, "%s", path);
    return is_inside(absolute);
  }
  char link[64];
  if (directory == AT_FDCWD) snprintf(link, sizeof link, "/proc/self/cwd");
  else snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
  ssize_t length = readlink(link, absolute, PATH_MAX - 1);
  if (length < 0) return 0;
  snprintf(absolute + length, PATH_MAX - (size_t)length, "/%s", path);
  return is_inside(absolute);
}

// The number of an open file; 0 if it is outside of the folder or not a regular file or folder.
static uint64_t file_of(int descriptor) {
  if (log_descriptor < 0 || descriptor == log_descriptor) return 0;
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  if (length < 0) return 0;
  path[length] = 0;
  struct stat status;
  if (!is_inside(path) || fstat(descriptor, &status) != 0) return 0;
  return S_ISREG(status.st_mode) || S_ISDIR(status.st_mode) ? status.st_ino : 0;
}

static uint64_t file_at(const char *path) {
  struct stat status;
  return lstat(path, &status) == 0 ? status.st_ino : 0;
}

static void append(uint32_t operation, uint64_t file, uint64_t offset, const char *path,
                   const char *target, const void *data, size_t data_bytes) {
  struct head head = {operation, (uint32_t)strlen(path), (uint32_t)strlen(target), (uint32_t)data_bytes, file, offset};
  struct iovec parts[] = {
    {&head, sizeof head},
    {(void *)path, head.path_bytes},
    {(void *)target, head.target_bytes},
    {(void *)data, data_bytes},
  };
  ssize_t all = (ssize_t)(sizeof head + head.path_bytes + head.target_bytes + data_bytes);
  if (syscall(SYS_writev, log_descriptor, parts, 4) != all) abort();
}

static int opened(int (*call)(int, const char *, int, mode_t), int directory, const char *path, int flags, mode_t mode) {
  char absolute[PATH_MAX];
  if ((flags & (O_CREAT | O_TRUNC)) == 0 || !locate(directory, path, absolute)) return call(directory, path, flags, mode);
  pthread_mutex_lock(&lock);
  int existed = file_at(absolute) != 0;
  int descriptor = call(directory, path, flags, mode);
  int error = errno;
  if (descriptor >= 0) {
    uint64_t file = file_of(descriptor);
    if (!existed) append(CREATE, file, 0, absolute, "", "", 0);
    else if (flags & O_TRUNC) append(TRUNCATE, file, 0, "", "", "", 0);
  }
  pthread_mutex_unlock(&lock);
  errno = error;
  return descriptor;
}

static int call_openat(int directory, const char *path, int flags, mode_t mode) {
  return (int)syscall(SYS_openat, directory, path, flags, mode);
}

#define OPEN_MODE(flags, last)                                  \
  mode_t mode = 0;                                              \
  if ((flags) & O_CREAT) {                                      \
    va_list rest;                                               \
    va_start(rest, last);                                       \
    mode = (mode_t)va_arg(rest, unsigned);                      \
    va_end(rest);                                               \
  }

int open(const char *path, int flags, ...) { OPEN_MODE(flags, flags) return opened(call_openat, AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { OPEN_MODE(flags, flags) return opened(call_openat, AT_FDCWD, path, flags, mode); }
int openat(int directory, const char *path, int flags, ...) { OPEN_MODE(flags, flags) return opened(call_openat, directory, path, flags, mode); }
int openat64(int directory, const char *path, int flags, ...) { OPEN_MODE(flags, flags) return opened(call_openat, directory, path, flags, mode); }

static void log_parts(uint64_t file, uint64_t offset, const struct iovec *parts, int count, size_t written) {
  for (int part = 0; part < count && written > 0; part += 1) {
    size_t length = parts[part].iov_len < written ? parts[part].iov_len : written;
    append(WRITE, file, offset, "", "", parts[part].iov_base, length);
    offset += length;
    written -= length;
  }
}

// offset -1: that of the descriptor
static ssize_t written(int descriptor, const struct iovec *parts, int count, off_t offset) {
  uint64_t file = file_of(descriptor);
  if (file == 0) {
    return offset < 0 ? syscall(SYS_writev, descriptor, parts, count)
                      : syscall(SYS_pwritev, descriptor, parts, count, offset, 0);
  }
  pthread_mutex_lock(&lock);
  off_t start = offset;
  if (offset < 0) {
    struct stat status;
    int appends = (fcntl(descriptor, F_GETFL) & O_APPEND) != 0 && fstat(descriptor, &status) == 0;
    start = appends ? status.st_size : lseek(descriptor, 0, SEEK_CUR);
  }
  ssize_t result = offset < 0 ? syscall(SYS_writev, descriptor, parts, count)
                              : syscall(SYS_pwritev, descriptor, parts, count, offset, 0);
  int error = errno;
  if (result > 0) log_parts(file, (uint64_t)start, parts, count, (size_t)result);
  pthread_mutex_unlock(&lock);
  errno = error;
  return result;
}

static ssize_t written_one(int descriptor, const void *data, size_t length, off_t offset) {
  struct iovec part = {(void *)data, length};
  return written(descriptor, &part, 1, offset);
}

ssize_t write(int descriptor, const void *data, size_t length) { return written_one(descriptor, data, length, -1); }
ssize_t pwrite(int descriptor, const void *data, size_t length, off_t offset) { return written_one(descriptor, data, length, offset); }
ssize_t pwrite64(int descriptor, const void *data, size_t length, off_t offset) { return written_one(descriptor, data, length, offset); }
ssize_t writev(int descriptor, const struct iovec *parts, int count) { return written(descriptor, parts, count, -1); }
ssize_t pwritev(int descriptor, const struct iovec *parts, int count, off_t offset) { return written(descriptor, parts, count, offset); }
ssize_t pwritev64(int descriptor, const struct iovec *parts, int count, off_t offset) { return written(descriptor, parts, count, offset); }

static int truncated(int descriptor, off_t length) {
  uint64_t file = file_of(descriptor);
  if (file != 0) pthread_mutex_lock(&lock);
  int result = (int)syscall(SYS_ftruncate, descriptor, length);
  int error = errno;
  if (file != 0) {
    if (result == 0) append(TRUNCATE, file, (uint64_t)length, "", "", "", 0);
    pthread_mutex_unlock(&lock);
  }
  errno = error;
  return result;
}
int ftruncate(int descriptor, off_t length) { return truncated(descriptor, length); }
int ftruncate64(int descriptor, off_t length) { return truncated(descriptor, length); }

// What is written while it waits may be lost, so the log gets it with the size that the log had before.
static int synced(long call, int descriptor) {
  uint64_t file = file_of(descriptor);
  if (file == 0) return (int)syscall(call, descriptor);
  uint64_t before = (uint64_t)lseek(log_descriptor, 0, SEEK_END);
  int result = (int)syscall(call, descriptor);
  int error = errno;
  if (result == 0) {
    pthread_mutex_lock(&lock);
    append(SYNC, file, before, "", "", "", 0);
    pthread_mutex_unlock(&lock);
  }
  errno = error;
  return result;
}
int fsync(int descriptor) { return synced(SYS_fsync, descriptor); }
int fdatasync(int descriptor) { return synced(SYS_fdatasync, descriptor); }

static int moved(uint32_t operation, int from_directory, const char *from, int to_directory, const char *to, unsigned flags) {
  char source[PATH_MAX], target[PATH_MAX];
  int is_recorded = locate(from_directory, from, source) && locate(to_directory, to, target);
  if (is_recorded) pthread_mutex_lock(&lock);
  int result = operation == RENAME ? (int)syscall(SYS_renameat2, from_directory, from, to_directory, to, flags)
                                   : (int)syscall(SYS_linkat, from_directory, from, to_directory, to, flags);
  int error = errno;
  if (is_recorded) {
    if (result == 0) append(operation, 0, 0, source, target, "", 0);
    pthread_mutex_unlock(&lock);
  }
  errno = error;
  return result;
}
int rename(const char *from, const char *to) { return moved(RENAME, AT_FDCWD, from, AT_FDCWD, to, 0); }
int renameat(int from_directory, const char *from, int to_directory, const char *to) { return moved(RENAME, from_directory, from, to_directory, to, 0); }
int link(const char *from, const char *to) { return moved(LINK, AT_FDCWD, from, AT_FDCWD, to, 0); }
int linkat(int from_directory, const char *from, int to_directory, const char *to, int flags) { return moved(LINK, from_directory, from, to_directory, to, (unsigned)flags); }

static int changed(uint32_t operation, int directory, const char *path, int argument) {
  char absolute[PATH_MAX];
  int is_recorded = locate(directory, path, absolute);
  if (is_recorded) pthread_mutex_lock(&lock);
  int result = operation == MKDIR ? (int)syscall(SYS_mkdirat, directory, path, argument)
                                  : (int)syscall(SYS_unlinkat, directory, path, argument);
  int error = errno;
  if (is_recorded) {
    if (result == 0) append(operation, operation == MKDIR ? file_at(absolute) : 0, 0, absolute, "", "", 0);
    pthread_mutex_unlock(&lock);
  }
  errno = error;
  return result;
}
int unlink(const char *path) { return changed(UNLINK, AT_FDCWD, path, 0); }
int rmdir(const char *path) { return changed(UNLINK, AT_FDCWD, path, AT_REMOVEDIR); }
int unlinkat(int directory, const char *path, int flags) { return changed(UNLINK, directory, path, flags); }
int mkdir(const char *path, mode_t mode) { return changed(MKDIR, AT_FDCWD, path, (int)mode); }
int mkdirat(int directory, const char *path, mode_t mode) { return changed(MKDIR, directory, path, (int)mode); }

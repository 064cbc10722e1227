/* Preloaded into the gate: counts allocations in a file that the test maps. */
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);

static atomic_ulong fallback;
static atomic_ulong* counter = &fallback;

__attribute__((constructor)) static void map_counter(void) {
  char const* path = getenv("COUNT_MALLOC_FILE");
  int fd = path ? open(path, O_RDWR) : -1;
  if (fd < 0) return;
  void* page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (page != MAP_FAILED) counter = page;
  close(fd);
}

static void count(void) { atomic_fetch_add_explicit(counter, 1, memory_order_relaxed); }

void* malloc(size_t size) { count(); return __libc_malloc(size); }
void* calloc(size_t n, size_t size) { count(); return __libc_calloc(n, size); }
void* realloc(void* old, size_t size) { count(); return __libc_realloc(old, size); }

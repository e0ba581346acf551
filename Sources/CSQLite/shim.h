#include <sqlite3.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

/// Prevents that closing the last connection copies the write-ahead log into the database. Swift cannot call the
/// function, because it has variadic arguments.
static inline int actor_store_keep_log_on_close(sqlite3 *database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

/// How long a connection waits for a lock, and since when it waits, in nanoseconds.
typedef struct {
    int64_t limit;
    int64_t start;
} actor_store_lock_wait;

static inline int actor_store_wait_for_lock(void *context, int count) {
    actor_store_lock_wait *wait = context;
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    int64_t now = (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
    if (count == 0) { wait->start = now; }
    if (now - wait->start >= wait->limit) { return 0; }
    usleep(1000);
    return 1;
}

/// Makes a connection wait for locks, and try again every millisecond. The pauses of `sqlite3_busy_timeout` grow to
/// 100 ms: a connection would rarely find the moment between two commits of another one. `wait` must outlive the
/// connection.
static inline int actor_store_set_lock_wait(sqlite3 *database, actor_store_lock_wait *wait) {
    return sqlite3_busy_handler(database, actor_store_wait_for_lock, wait);
}

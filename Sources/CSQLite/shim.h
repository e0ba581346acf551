#include <sqlite3.h>
#include <stdint.h>
#include <unistd.h>

/// Prevents that closing the last connection copies the write-ahead log into the database. Swift cannot call the
/// function, because it has variadic arguments.
static inline int actor_store_keep_log_on_close(sqlite3 *database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

static inline int actor_store_wait_for_lock(void *attempts, int count) {
    if (count >= (intptr_t)attempts) { return 0; }
    usleep(1000);
    return 1;
}

/// Makes a connection wait for locks, and look for a free one every millisecond. The pauses of `sqlite3_busy_timeout`
/// grow to 100 ms: a connection hardly finds the moment between two commits of another one.
static inline int actor_store_set_lock_timeout(sqlite3 *database, int milliseconds) {
    return sqlite3_busy_handler(database, actor_store_wait_for_lock, (void *)(intptr_t)milliseconds);
}

#include <sqlite3.h>

/// Prevents that closing the last connection copies the write-ahead log into the database. Swift cannot call the
/// function, because it has variadic arguments.
static inline int actor_store_keep_log_on_close(sqlite3 *database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

#include <sqlite3.h>

/// Has the end of the last connection leave the log as it is, in place of copying it into the database. Swift cannot call
/// the function, because it has a variable number of arguments.
static inline int actor_store_keep_log_on_close(sqlite3 *database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

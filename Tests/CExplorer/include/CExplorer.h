#ifndef C_EXPLORER_H
#define C_EXPLORER_H

/// From now on, memory that is freed on the calling thread is kept until `explorer_release_memory`, so that a store that
/// the explorer has delayed never writes into memory that belongs to something else.
void explorer_keep_memory(void);

/// Whether the word at an address is in memory that has been freed and is kept. Always 0 under a sanitizer, which finds the
/// use of such memory itself.
int explorer_is_freed(const void *address);

/// The calling thread frees memory at once again.
void explorer_free_memory(void);

/// Frees what was kept.
void explorer_release_memory(void);

/// Has the process print `text`, which must stay where it is, should it crash.
void explorer_print_on_crash(const char *text);

/// Ends that, if it is still this text.
void explorer_forget_text(const char *text);

/// Whether the calling thread is inside of `Task.cancel()` or `TaskGroup.cancelAll()`, where the runtime holds a lock of a
/// task that is cancelled.
int explorer_is_cancelling(void);

/// Restricts the calling thread to one core, so that handing the baton on wakes no other core.
void explorer_stay_on_core(int core);

/// The core that the calling thread runs on.
int explorer_current_core(void);

#endif

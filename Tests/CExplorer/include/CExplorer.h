#ifndef C_EXPLORER_H
#define C_EXPLORER_H

/// From now on, memory freed on the calling thread is kept until `explorer_release_memory`, so that a delayed store of
/// the explorer never writes into reused memory.
void explorer_keep_memory(void);

/// Whether the word at an address is in freed and kept memory. Always 0 under a sanitizer, which detects the use of
/// such memory itself.
int explorer_is_freed(const void *address);

/// The calling thread frees memory at once again.
void explorer_free_memory(void);

/// Frees the kept memory.
void explorer_release_memory(void);

/// Makes the process print `text`, which must stay valid, if it crashes.
void explorer_print_on_crash(const char *text);

/// Ends that, if it is still this text.
void explorer_forget_text(const char *text);

/// Whether the calling thread is inside `Task.cancel()` or `TaskGroup.cancelAll()`, where the runtime holds a lock of a
/// cancelled task.
int explorer_is_cancelling(void);

/// Restricts the calling thread to one core, so that passing the baton on wakes no other core.
void explorer_stay_on_core(int core);

/// The core that the calling thread runs on.
int explorer_current_core(void);

#endif

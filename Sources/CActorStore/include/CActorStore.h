#ifndef C_ACTOR_STORE_H
#define C_ACTOR_STORE_H

#include <stdbool.h>

/// Whether the calling thread is changing the state of a store. Swift has no thread-local variables, and the pthread
/// functions that replace them cost a call each.
extern _Thread_local bool actor_store_thread_is_writing;

static inline bool actor_store_get_thread_is_writing(void) { return actor_store_thread_is_writing; }

static inline void actor_store_set_thread_is_writing(bool is_writing) { actor_store_thread_is_writing = is_writing; }

/// Whether the calling thread is creating a store while it changes the state of another one.
extern _Thread_local bool actor_store_thread_makes_store;

static inline bool actor_store_get_thread_makes_store(void) { return actor_store_thread_makes_store; }

static inline void actor_store_set_thread_makes_store(bool makes_store) { actor_store_thread_makes_store = makes_store; }

#endif

#include "CActorStore.h"

_Thread_local bool actor_store_thread_is_writing = false;
_Thread_local bool actor_store_thread_makes_store = false;

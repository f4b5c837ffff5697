#include "CSwiftRuntime.h"

_Thread_local const void *coredata_instantiating_entity = 0;
_Thread_local void *coredata_release_queue = 0;

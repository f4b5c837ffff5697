#include "CSwiftRuntime.h"

_Thread_local struct coredata_instantiation coredata_current_instantiation = {0, 0, 0};
_Thread_local void *coredata_release_queue = 0;

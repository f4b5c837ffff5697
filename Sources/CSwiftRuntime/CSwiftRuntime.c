#include "CSwiftRuntime.h"

_Thread_local const void *coredata_materialising_entity = 0;

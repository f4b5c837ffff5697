#ifndef CEMBEDDEDMODELS_H
#define CEMBEDDEDMODELS_H

/// Registers one model that a module of the program brings along.
typedef void (*opencoredata_registration)(void);

/// Keeps a registration for later. It may be called while the program, or a library of it, is being loaded: nothing
/// of Swift's runtime is used, since that may not know the caller's types yet.
void opencoredata_announce_model(opencoredata_registration registration);

/// Runs the registrations announced since the last call, in the order of their announcement. Call it from one
/// thread at a time.
void opencoredata_register_models(void);

#endif

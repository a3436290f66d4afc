/* What the parts of the fake share. */
#ifndef FAKE_H
#define FAKE_H

#include "scenario.h"

enum fn {
#define FN(x) F_##x,
#include "functions.h"
#undef FN
	F_END
};

typedef struct gpu *dev; /* also points at a struct mig */
typedef int rc;
enum { SUCCESS = 0, UNINITIALIZED = 1, INVALID = 2, NOT_SUPPORTED = 3, NOT_FOUND = 6, TOO_SMALL = 7, TIMEOUT = 10 };

const struct mig *as_mig(dev d);
int index_of(dev d);
void nap(int64_t ms);
int count(enum fn f);
rc enter_index(int gpu, enum fn f); /* every call on a card: counted, slowed down, perhaps refused */
rc enter(dev d, enum fn f);
double at(dev d, enum key k);
uint64_t bytes(double mib);
rc text(const char *s, char *out, unsigned n);

#define ENTER(d, f)                \
	do {                           \
		rc code_ = enter(d, F_##f); \
		if (code_)                 \
			return code_;          \
	} while (0)

#endif

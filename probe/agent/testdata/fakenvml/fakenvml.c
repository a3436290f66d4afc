/*
 * A stand-in for NVIDIA's libnvidia-ml.so.1 for tests: no card, no driver, a
 * scenario. Layouts are those of nvml.h. Reads two environment variables:
 *
 * FAKE_NVML_SCENARIO=FILE  text, one statement a line, # starts a comment. Times
 * are milliseconds since the library was loaded; GPU is an index or *.
 *
 *   gpus N                          0 to 16 cards (1)
 *   driver 550.54.15                version of the driver
 *   cuda 12040                      newest CUDA
 *   init RC [RC...]                 what nvmlInit returns, call by call; the last one stays
 *   init-delay MS                   how long it takes
 *   noise TEXT                      printed on stdout at init and at every hundredth reading
 *   set GPU name|uuid|bus TEXT
 *   set GPU KEY V [V@MS ...]        a value, or steps; see scenario.c for the keys: util, mem_used (MiB),
 *                                   power (W), temp, clock_sm, pcie_tx (MB/s), reasons, sample_ms, ...
 *   wave GPU KEY LOW HIGH PERIOD    a triangle
 *   rc GPU FUNCTION|* CODE [FROM [TO]]    return code of a function
 *   slow GPU FUNCTION|* MS [FROM [TO]]    it sleeps first
 *   field GPU ID CODE               nvmlReturn of one field value
 *   lost GPU [FROM [TO]]            rc GPU * 15
 *   proc GPU PID|self MEM_MIB [SM [compute|graphics|hidden [FROM [TO]]]]   MEM < 0: not available
 *   layout 24|32                    bytes of an entry of the v3 process list (32: drivers 535.43 to 535.97)
 *   mig GPU PROFILE TOTAL USED      adds an instance and switches MIG on
 *   xid GPU CODE AT
 *
 * FAKE_NVML_COUNTS=FILE  how often each function was called: records of 64 bytes, a name of 56 and a
 * native 64-bit count, mapped, so that it is right at any moment and however the process ends.
 *
 * An older driver is made by linking with a version script that hides symbols:
 * build.sh OUT [SYMBOL...].
 */
#include "fake.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

struct count {
	char name[56];
	uint64_t n;
};
static struct count local_counts[F_END], *counts = local_counts;
static int inits;

__attribute__((constructor)) static void loaded(void)
{
	scenario_load();
	const char *path = getenv("FAKE_NVML_COUNTS");
	if (path && *path) {
		int fd = open(path, O_RDWR | O_CREAT, 0600);
		if (fd >= 0 && ftruncate(fd, sizeof local_counts) == 0) {
			void *p = mmap(NULL, sizeof local_counts, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
			if (p != MAP_FAILED)
				counts = p;
		}
		if (fd >= 0)
			close(fd);
	}
	for (int i = 0; i < F_END; i++)
		snprintf(counts[i].name, sizeof counts[i].name, "%s", fn_name(i));
}

const struct mig *as_mig(dev d)
{
	for (int i = 0; i < MAX_GPUS; i++)
		for (int j = 0; j < sc.gpu[i].nmig; j++)
			if ((void *)d == (void *)&sc.gpu[i].mig[j])
				return &sc.gpu[i].mig[j];
	return NULL;
}

int index_of(dev d)
{
	const struct mig *m = as_mig(d);
	if (m)
		return m->gpu;
	return (int)(d - sc.gpu);
}

void nap(int64_t ms)
{
	struct timespec t = {ms / 1000, (ms % 1000) * 1000000};
	while (nanosleep(&t, &t) != 0)
		;
}

int count(enum fn f) { return (int)__atomic_fetch_add(&counts[f].n, 1, __ATOMIC_RELAXED); }

/* every call on a card passes here: counted, slowed down, perhaps refused */
rc enter_index(int gpu, enum fn f)
{
	int n = count(f);
	if (sc.noise[0] && f == F_nvmlDeviceGetUtilizationRates && n % 100 == 0) {
		printf("%s\n", sc.noise);
		fflush(stdout);
	}
	if (sc.nrules == 0)
		return SUCCESS;
	int code = SUCCESS;
	int64_t ms = now_ms(), delay = 0;
	for (int i = 0; i < sc.nrules; i++) {
		const struct rule *r = &sc.rule[i];
		if ((r->gpu != -1 && r->gpu != gpu) || (r->fn != -1 && r->fn != (int)f) || ms < r->from || ms >= r->to)
			continue;
		if (r->code >= 0)
			code = r->code;
		if (r->delay > 0)
			delay = r->delay;
	}
	if (delay)
		nap(delay);
	return code;
}

rc enter(dev d, enum fn f) { return enter_index(index_of(d), f); }

double at(dev d, enum key k) { return value_at(&sc.gpu[index_of(d)], k, now_ms()); }

static const uint64_t MiB = 1 << 20;

uint64_t bytes(double mib) { return mib < 0 ? 0 : (uint64_t)(mib * (double)MiB); }

/* ---- library and system ---- */

static rc init(enum fn f)
{
	int n = count(f);
	(void)n;
	if (sc.init_delay)
		nap(sc.init_delay);
	if (sc.noise[0]) {
		printf("%s\n", sc.noise);
		fflush(stdout);
	}
	if (sc.ninit == 0)
		return SUCCESS;
	int i = inits < sc.ninit ? inits : sc.ninit - 1;
	inits++;
	return sc.init[i];
}

rc nvmlInit_v2(void) { return init(F_nvmlInit_v2); }
rc nvmlInit(void) { return init(F_nvmlInit); }
rc nvmlShutdown(void) { count(F_nvmlShutdown); return SUCCESS; }
const char *nvmlErrorString(rc r) { (void)r; count(F_nvmlErrorString); return "an error"; }

rc text(const char *s, char *out, unsigned n)
{
	if (n <= strlen(s))
		return TOO_SMALL;
	strcpy(out, s);
	return SUCCESS;
}

rc nvmlSystemGetDriverVersion(char *out, unsigned n) { count(F_nvmlSystemGetDriverVersion); return text(sc.driver, out, n); }
rc nvmlSystemGetNVMLVersion(char *out, unsigned n)
{
	char v[96];
	count(F_nvmlSystemGetNVMLVersion);
	snprintf(v, sizeof v, "12.%s", sc.driver);
	return text(v, out, n);
}
rc nvmlSystemGetCudaDriverVersion(int *v) { count(F_nvmlSystemGetCudaDriverVersion); *v = sc.cuda; return SUCCESS; }
rc nvmlSystemGetCudaDriverVersion_v2(int *v) { count(F_nvmlSystemGetCudaDriverVersion_v2); *v = sc.cuda; return SUCCESS; }
rc nvmlSystemGetProcessName(unsigned pid, char *out, unsigned n)
{
	char path[64];
	count(F_nvmlSystemGetProcessName);
	snprintf(path, sizeof path, "/neighbour/%u", pid);
	return text(path, out, n);
}

rc nvmlDeviceGetCount_v2(unsigned *n) { count(F_nvmlDeviceGetCount_v2); *n = (unsigned)sc.gpus; return SUCCESS; }
rc nvmlDeviceGetCount(unsigned *n) { count(F_nvmlDeviceGetCount); *n = (unsigned)sc.gpus; return SUCCESS; }

static rc handle(unsigned i, dev *d, enum fn f)
{
	if (i >= (unsigned)sc.gpus)
		return INVALID;
	*d = &sc.gpu[i];
	return enter_index((int)i, f);
}
rc nvmlDeviceGetHandleByIndex_v2(unsigned i, dev *d) { return handle(i, d, F_nvmlDeviceGetHandleByIndex_v2); }
rc nvmlDeviceGetHandleByIndex(unsigned i, dev *d) { return handle(i, d, F_nvmlDeviceGetHandleByIndex); }

/* ---- what stays the same ---- */

rc nvmlDeviceGetIndex(dev d, unsigned *i) { ENTER(d, nvmlDeviceGetIndex); *i = (unsigned)index_of(d); return SUCCESS; }

rc nvmlDeviceGetName(dev d, char *out, unsigned n)
{
	ENTER(d, nvmlDeviceGetName);
	const struct mig *m = as_mig(d);
	char name[160];
	if (!m)
		return text(d->name, out, n);
	snprintf(name, sizeof name, "%s MIG %s", sc.gpu[m->gpu].name, m->profile);
	return text(name, out, n);
}

rc nvmlDeviceGetUUID(dev d, char *out, unsigned n)
{
	ENTER(d, nvmlDeviceGetUUID);
	const struct mig *m = as_mig(d);
	return text(m ? m->uuid : d->uuid, out, n);
}

struct pci {
	char legacy[16];
	unsigned domain, bus, device, id, subsystem;
	char bus_id[32];
};
static rc pci(dev d, struct pci *p)
{
	memset(p, 0, sizeof *p);
	snprintf(p->bus_id, sizeof p->bus_id, "%s", sc.gpu[index_of(d)].bus);
	return SUCCESS;
}
rc nvmlDeviceGetPciInfo_v3(dev d, struct pci *p) { ENTER(d, nvmlDeviceGetPciInfo_v3); return pci(d, p); }
rc nvmlDeviceGetPciInfo_v2(dev d, struct pci *p) { ENTER(d, nvmlDeviceGetPciInfo_v2); return pci(d, p); }
rc nvmlDeviceGetPciInfo(dev d, struct pci *p) { ENTER(d, nvmlDeviceGetPciInfo); return pci(d, p); }

rc nvmlDeviceGetPersistenceMode(dev d, int *on) { ENTER(d, nvmlDeviceGetPersistenceMode); *on = (int)at(d, K_PERSISTENCE); return SUCCESS; }
rc nvmlDeviceGetCudaComputeCapability(dev d, int *major, int *minor)
{
	ENTER(d, nvmlDeviceGetCudaComputeCapability);
	*major = (int)at(d, K_CC) / 10, *minor = (int)at(d, K_CC) % 10;
	return SUCCESS;
}

#define UINT(NAME, KEY, FACTOR)                       \
	rc NAME(dev d, unsigned *v)                       \
	{                                                 \
		ENTER(d, NAME);                               \
		double x = at(d, KEY) * (FACTOR);             \
		*v = x < 0 ? (unsigned)(int)x : (unsigned)x;  \
		return SUCCESS;                               \
	}
UINT(nvmlDeviceGetEnforcedPowerLimit, K_POWER_CAP, 1000)
UINT(nvmlDeviceGetPowerManagementDefaultLimit, K_POWER_DEFAULT, 1000)
UINT(nvmlDeviceGetMaxPcieLinkGeneration, K_PCIE_GEN_MAX, 1)
UINT(nvmlDeviceGetMaxPcieLinkWidth, K_PCIE_WIDTH_MAX, 1)
UINT(nvmlDeviceGetPowerUsage, K_POWER, 1000)
UINT(nvmlDeviceGetFanSpeed, K_FAN, 1)
UINT(nvmlDeviceGetPerformanceState, K_PSTATE, 1)
UINT(nvmlDeviceGetCurrPcieLinkGeneration, K_PCIE_GEN, 1)
UINT(nvmlDeviceGetCurrPcieLinkWidth, K_PCIE_WIDTH, 1)

rc nvmlDeviceGetPowerManagementLimitConstraints(dev d, unsigned *lo, unsigned *hi)
{
	ENTER(d, nvmlDeviceGetPowerManagementLimitConstraints);
	*lo = 100000, *hi = (unsigned)(at(d, K_POWER_MAX) * 1000);
	return SUCCESS;
}
/* clocks: 0 graphics, 1 SM, 2 memory, 3 video */
rc nvmlDeviceGetMaxClockInfo(dev d, int kind, unsigned *v)
{
	ENTER(d, nvmlDeviceGetMaxClockInfo);
	*v = (unsigned)at(d, kind == 2 ? K_CLOCK_MAX_MEM : K_CLOCK_MAX_SM);
	return SUCCESS;
}
rc nvmlDeviceGetClockInfo(dev d, int kind, unsigned *v)
{
	ENTER(d, nvmlDeviceGetClockInfo);
	*v = (unsigned)at(d, kind == 2 ? K_CLOCK_MEM : K_CLOCK_SM);
	return SUCCESS;
}
rc nvmlDeviceGetTemperatureThreshold(dev d, int kind, unsigned *v)
{
	ENTER(d, nvmlDeviceGetTemperatureThreshold);
	*v = (unsigned)at(d, K_TEMP_SLOW) + (kind == 0 ? 5 : 0);
	return SUCCESS;
}

/* ---- instances ---- */

rc nvmlDeviceGetMigMode(dev d, unsigned *now, unsigned *next)
{
	ENTER(d, nvmlDeviceGetMigMode);
	if (at(d, K_MIG) < 0)
		return NOT_SUPPORTED;
	*now = *next = (unsigned)at(d, K_MIG);
	return SUCCESS;
}
rc nvmlDeviceGetMaxMigDeviceCount(dev d, unsigned *n) { ENTER(d, nvmlDeviceGetMaxMigDeviceCount); *n = 7; return SUCCESS; }
rc nvmlDeviceGetMigDeviceHandleByIndex(dev d, unsigned i, dev *m)
{
	ENTER(d, nvmlDeviceGetMigDeviceHandleByIndex);
	if (i >= (unsigned)d->nmig)
		return NOT_FOUND;
	*m = (dev)&d->mig[i];
	return SUCCESS;
}
rc nvmlDeviceGetDeviceHandleFromMigDeviceHandle(dev d, dev *parent) { ENTER(d, nvmlDeviceGetDeviceHandleFromMigDeviceHandle); *parent = &sc.gpu[index_of(d)]; return SUCCESS; }
struct attributes {
	unsigned v[8];
	unsigned long long mib;
};
rc nvmlDeviceGetAttributes_v2(dev d, struct attributes *a)
{
	ENTER(d, nvmlDeviceGetAttributes_v2);
	const struct mig *m = as_mig(d);
	if (!m)
		return NOT_SUPPORTED;
	memset(a, 0, sizeof *a);
	a->v[6] = a->v[7] = 1;
	a->mib = (unsigned long long)m->total;
	return SUCCESS;
}

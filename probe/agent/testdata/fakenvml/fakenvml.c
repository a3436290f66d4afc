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
#include "scenario.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum fn {
#define FN(x) F_##x,
#include "functions.h"
#undef FN
	F_END
};

typedef struct gpu *dev; /* also points at a struct mig */
typedef int rc;
enum { SUCCESS = 0, UNINITIALIZED = 1, INVALID = 2, NOT_SUPPORTED = 3, NOT_FOUND = 6, TOO_SMALL = 7, TIMEOUT = 10 };

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

static const struct mig *as_mig(dev d)
{
	for (int i = 0; i < MAX_GPUS; i++)
		for (int j = 0; j < sc.gpu[i].nmig; j++)
			if ((void *)d == (void *)&sc.gpu[i].mig[j])
				return &sc.gpu[i].mig[j];
	return NULL;
}

static int index_of(dev d)
{
	const struct mig *m = as_mig(d);
	if (m)
		return m->gpu;
	return (int)(d - sc.gpu);
}

static void nap(int64_t ms)
{
	struct timespec t = {ms / 1000, (ms % 1000) * 1000000};
	while (nanosleep(&t, &t) != 0)
		;
}

static int count(enum fn f) { return (int)__atomic_fetch_add(&counts[f].n, 1, __ATOMIC_RELAXED); }

/* every call on a card passes here: counted, slowed down, perhaps refused */
static rc enter_index(int gpu, enum fn f)
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

static rc enter(dev d, enum fn f) { return enter_index(index_of(d), f); }

#define ENTER(d, f)                \
	do {                           \
		rc code_ = enter(d, F_##f); \
		if (code_)                 \
			return code_;          \
	} while (0)

static double at(dev d, enum key k) { return value_at(&sc.gpu[index_of(d)], k, now_ms()); }

static const uint64_t MiB = 1 << 20;

static uint64_t bytes(double mib) { return mib < 0 ? 0 : (uint64_t)(mib * (double)MiB); }

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

static rc text(const char *s, char *out, unsigned n)
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

/* ---- readings ---- */

struct memory {
	uint64_t total, free, used;
};
struct memory2 {
	unsigned version;
	uint64_t total, reserved, free, used;
};
static void memory(dev d, double *total, double *used, double *reserved)
{
	const struct mig *m = as_mig(d);
	*total = m ? m->total : at(d, K_MEM_TOTAL);
	*used = m ? m->used : at(d, K_MEM_USED);
	*reserved = m ? 0 : at(d, K_MEM_RESERVED);
}
rc nvmlDeviceGetMemoryInfo(dev d, struct memory *m)
{
	double total, used, reserved;
	ENTER(d, nvmlDeviceGetMemoryInfo);
	memory(d, &total, &used, &reserved);
	m->total = bytes(total), m->used = bytes(used + reserved), m->free = bytes(total - used - reserved);
	return SUCCESS;
}
rc nvmlDeviceGetMemoryInfo_v2(dev d, struct memory2 *m)
{
	double total, used, reserved;
	ENTER(d, nvmlDeviceGetMemoryInfo_v2);
	if (m->version != (sizeof *m | 2 << 24))
		return 25;
	memory(d, &total, &used, &reserved);
	m->total = bytes(total), m->used = bytes(used), m->reserved = bytes(reserved);
	m->free = bytes(total - used - reserved);
	return SUCCESS;
}
rc nvmlDeviceGetUtilizationRates(dev d, unsigned v[2])
{
	ENTER(d, nvmlDeviceGetUtilizationRates);
	if (as_mig(d) || at(d, K_MIG) > 0)
		return NOT_SUPPORTED;
	v[0] = (unsigned)at(d, K_UTIL), v[1] = (unsigned)at(d, K_UTIL_MEM);
	return SUCCESS;
}
rc nvmlDeviceGetEncoderUtilization(dev d, unsigned *v, unsigned *us) { ENTER(d, nvmlDeviceGetEncoderUtilization); *v = (unsigned)at(d, K_ENC), *us = 167000; return SUCCESS; }
rc nvmlDeviceGetDecoderUtilization(dev d, unsigned *v, unsigned *us) { ENTER(d, nvmlDeviceGetDecoderUtilization); *v = (unsigned)at(d, K_DEC), *us = 167000; return SUCCESS; }
rc nvmlDeviceGetTotalEnergyConsumption(dev d, unsigned long long *mj)
{
	ENTER(d, nvmlDeviceGetTotalEnergyConsumption);
	double set = at(d, K_ENERGY);
	*mj = set >= 0 ? (unsigned long long)(set * 1000) : (unsigned long long)(5e8 + at(d, K_POWER) * (double)now_ms());
	return SUCCESS;
}
rc nvmlDeviceGetTemperature(dev d, int sensor, unsigned *v) { (void)sensor; ENTER(d, nvmlDeviceGetTemperature); *v = (unsigned)(int)at(d, K_TEMP); return SUCCESS; }
rc nvmlDeviceGetPcieThroughput(dev d, int counter, unsigned *kb)
{
	ENTER(d, nvmlDeviceGetPcieThroughput);
	nap(20); /* as nvml.h says: it samples over 20 ms */
	*kb = (unsigned)(at(d, counter == 0 ? K_PCIE_TX : K_PCIE_RX) * 1000);
	return SUCCESS;
}
rc nvmlDeviceGetNvLinkState(dev d, unsigned link, int *active)
{
	ENTER(d, nvmlDeviceGetNvLinkState);
	if (at(d, K_NVLINKS) <= 0)
		return NOT_SUPPORTED;
	if (link >= (unsigned)at(d, K_NVLINKS))
		return INVALID;
	*active = 1;
	return SUCCESS;
}
struct field {
	unsigned id, scope;
	long long timestamp, latency;
	unsigned type;
	rc ret;
	union {
		double d;
		unsigned u;
		unsigned long long ull;
	} v;
};
rc nvmlDeviceGetFieldValues(dev d, int n, struct field *f)
{
	ENTER(d, nvmlDeviceGetFieldValues);
	for (int i = 0; i < n; i++) {
		f[i].timestamp = (long long)now_us_epoch();
		f[i].ret = SUCCESS;
		switch (f[i].id) {
		case 82: f[i].type = 1, f[i].v.u = (unsigned)at(d, K_TEMP_MEM); break;
		case 138: case 139:
			f[i].type = 3;
			f[i].v.ull = (unsigned long long)(at(d, f[i].id == 138 ? K_NVLINK_TX : K_NVLINK_RX) * 1e6 / 1024 * (double)now_ms() / 1000);
			f[i].ret = at(d, K_NVLINKS) > 0 ? SUCCESS : NOT_SUPPORTED;
			break;
		default: f[i].ret = NOT_SUPPORTED;
		}
		for (int r = 0; r < sc.nfields; r++)
			if (sc.field[r].field == (int)f[i].id && (sc.field[r].gpu == -1 || sc.field[r].gpu == index_of(d))) {
				f[i].ret = sc.field[r].code;
				f[i].v.ull = 0; /* undefined on real cards: a plausible 0 is the worst case */
			}
	}
	return SUCCESS;
}
rc nvmlDeviceGetCurrentClocksEventReasons(dev d, unsigned long long *m) { ENTER(d, nvmlDeviceGetCurrentClocksEventReasons); *m = (unsigned long long)at(d, K_REASONS); return SUCCESS; }
rc nvmlDeviceGetCurrentClocksThrottleReasons(dev d, unsigned long long *m) { ENTER(d, nvmlDeviceGetCurrentClocksThrottleReasons); *m = (unsigned long long)at(d, K_REASONS); return SUCCESS; }
rc nvmlDeviceGetTotalEccErrors(dev d, int type, int counter, unsigned long long *n)
{
	(void)counter;
	ENTER(d, nvmlDeviceGetTotalEccErrors);
	*n = (unsigned long long)at(d, type == 0 ? K_ECC_CORRECTED : K_ECC_UNCORRECTED);
	return SUCCESS;
}
rc nvmlDeviceGetRetiredPages(dev d, int cause, unsigned *n, unsigned long long *pages)
{
	(void)cause;
	ENTER(d, nvmlDeviceGetRetiredPages);
	unsigned have = (unsigned)at(d, K_RETIRED), room = *n;
	*n = have;
	if (have > room)
		return TOO_SMALL;
	for (unsigned i = 0; i < have; i++)
		pages[i] = i;
	return SUCCESS;
}
rc nvmlDeviceGetRemappedRows(dev d, unsigned *corr, unsigned *unc, unsigned *pending, unsigned *failed)
{
	ENTER(d, nvmlDeviceGetRemappedRows);
	*corr = 0, *unc = (unsigned)at(d, K_REMAPPED), *pending = 0, *failed = 0;
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

/* ---- processes ---- */

static rc processes(dev d, unsigned *n, unsigned char *out, int graphics, size_t size)
{
	const struct mig *m = as_mig(d);
	int64_t ms = now_ms();
	unsigned have = 0, room = *n;
	for (int i = 0; i < sc.nprocs; i++) {
		const struct proc *p = &sc.proc[i];
		if (p->gpu != index_of(d) || p->graphics != graphics || p->hidden || ms < p->from || ms >= p->to || (m && m->index != 0))
			continue;
		if (have < room && out) {
			unsigned char *e = out + have * size;
			uint64_t mem = p->mem < 0 ? UINT64_MAX : bytes(p->mem);
			unsigned none = 0xFFFFFFFF;
			memset(e, 0, size);
			memcpy(e, &p->pid, 4);
			memcpy(e + 8, &mem, 8);
			if (size > 16) {
				memcpy(e + 16, &none, 4);
				memcpy(e + 20, &none, 4);
			}
		}
		have++;
	}
	*n = have;
	return have > room ? TOO_SMALL : SUCCESS;
}
rc nvmlDeviceGetComputeRunningProcesses(dev d, unsigned *n, void *p) { ENTER(d, nvmlDeviceGetComputeRunningProcesses); return processes(d, n, p, 0, 16); }
rc nvmlDeviceGetComputeRunningProcesses_v2(dev d, unsigned *n, void *p) { ENTER(d, nvmlDeviceGetComputeRunningProcesses_v2); return processes(d, n, p, 0, 24); }
rc nvmlDeviceGetComputeRunningProcesses_v3(dev d, unsigned *n, void *p) { ENTER(d, nvmlDeviceGetComputeRunningProcesses_v3); return processes(d, n, p, 0, (size_t)sc.layout); }
rc nvmlDeviceGetGraphicsRunningProcesses(dev d, unsigned *n, void *p) { ENTER(d, nvmlDeviceGetGraphicsRunningProcesses); return processes(d, n, p, 1, 16); }
rc nvmlDeviceGetGraphicsRunningProcesses_v2(dev d, unsigned *n, void *p) { ENTER(d, nvmlDeviceGetGraphicsRunningProcesses_v2); return processes(d, n, p, 1, 24); }
rc nvmlDeviceGetGraphicsRunningProcesses_v3(dev d, unsigned *n, void *p) { ENTER(d, nvmlDeviceGetGraphicsRunningProcesses_v3); return processes(d, n, p, 1, (size_t)sc.layout); }

struct proc_sample {
	unsigned pid;
	uint64_t timestamp;
	unsigned sm, mem, enc, dec;
};
rc nvmlDeviceGetProcessUtilization(dev d, struct proc_sample *out, unsigned *n, uint64_t last)
{
	ENTER(d, nvmlDeviceGetProcessUtilization);
	int64_t ms = now_ms();
	uint64_t now = now_us_epoch();
	unsigned have = 0, room = *n;
	for (int i = 0; i < sc.nprocs; i++) {
		const struct proc *p = &sc.proc[i];
		if (p->gpu != index_of(d) || p->sm < 0 || ms < p->from || ms >= p->to || now <= last)
			continue;
		if (out && have < room)
			out[have] = (struct proc_sample){p->pid, now, (unsigned)p->sm, 1, 0, 0};
		have++;
	}
	if (have == 0)
		return NOT_FOUND;
	*n = have;
	return !out || have > room ? TOO_SMALL : SUCCESS;
}

/* ---- the driver's own buffer: 120 readings, one every sample_ms ---- */

struct sample {
	uint64_t timestamp;
	union {
		double d;
		unsigned u;
		unsigned long long ull;
	} v;
};
rc nvmlDeviceGetSamples(dev d, int kind, uint64_t last, int *type, unsigned *n, struct sample *out)
{
	ENTER(d, nvmlDeviceGetSamples);
	if (as_mig(d) || at(d, K_MIG) > 0 || kind > 4)
		return NOT_SUPPORTED;
	static const enum key keys[] = {K_POWER, K_UTIL, K_UTIL_MEM, K_ENC, K_DEC};
	const struct gpu *g = &sc.gpu[index_of(d)];
	int64_t ms = now_ms(), period = (int64_t)at(d, kind == 0 ? K_POWER_SAMPLE_MS : K_SAMPLE_MS);
	uint64_t epoch = now_us_epoch() - (uint64_t)(ms * 1000);
	unsigned have = 0, room = *n, zeros = (unsigned)at(d, K_SAMPLE_ZEROS);
	*type = 1;
	if (period <= 0)
		return NOT_FOUND;
	int64_t first = ms / period - 119;
	if (last > epoch) {
		int64_t next = (int64_t)((last - epoch) / 1000) / period + 1;
		if (next > first)
			first = next;
	}
	for (int64_t i = first < 0 ? 0 : first; i <= ms / period; i++, have++)
		if (out && have < room) {
			double v = value_at(g, keys[kind], i * period) * (kind == 0 ? 1000 : 1);
			memset(&out[have], 0, sizeof *out);
			out[have].timestamp = epoch + (uint64_t)(i * period) * 1000;
			out[have].v.u = (unsigned)v;
		}
	if (have == 0)
		return NOT_FOUND;
	for (unsigned z = 0; z < zeros; z++, have++)
		if (out && have < room)
			memset(&out[have], 0, sizeof *out);
	*n = have;
	return out && have > room ? TOO_SMALL : SUCCESS;
}

/* ---- events ---- */

struct event {
	dev d;
	unsigned long long type, data;
	unsigned gi, ci;
};
static unsigned registered;
static int64_t delivered[MAX_XIDS];
rc nvmlEventSetCreate(void **set) { count(F_nvmlEventSetCreate); *set = &registered; return SUCCESS; }
rc nvmlEventSetFree(void *set) { (void)set; count(F_nvmlEventSetFree); return SUCCESS; }
rc nvmlDeviceGetSupportedEventTypes(dev d, unsigned long long *types) { ENTER(d, nvmlDeviceGetSupportedEventTypes); *types = 0x1f; return SUCCESS; }
rc nvmlDeviceRegisterEvents(dev d, unsigned long long types, void *set) { (void)set; ENTER(d, nvmlDeviceRegisterEvents); if (types & 8) registered |= 1u << index_of(d); return SUCCESS; }
static rc wait_event(struct event *e, unsigned timeout)
{
	int64_t end = now_ms() + timeout;
	for (;;) {
		int64_t next = end, ms = now_ms();
		for (int i = 0; i < sc.nxids; i++) {
			if (delivered[i] || !(registered & 1u << sc.xid[i].gpu))
				continue;
			if (sc.xid[i].at <= ms) {
				delivered[i] = 1;
				*e = (struct event){&sc.gpu[sc.xid[i].gpu], 8, sc.xid[i].code, 0xFFFFFFFF, 0xFFFFFFFF};
				return SUCCESS;
			}
			if (sc.xid[i].at < next)
				next = sc.xid[i].at;
		}
		if (ms >= end)
			return TIMEOUT;
		nap(next - ms);
	}
}
rc nvmlEventSetWait_v2(void *set, struct event *e, unsigned ms) { (void)set; count(F_nvmlEventSetWait_v2); return wait_event(e, ms); }
rc nvmlEventSetWait(void *set, struct event *e, unsigned ms) { (void)set; count(F_nvmlEventSetWait); return wait_event(e, ms); }

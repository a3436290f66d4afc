/* What a tick reads. */
#include "fake.h"

#include <string.h>

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

/* Process lists, the driver's own buffers, events. */
#include "fake.h"

#include <string.h>

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

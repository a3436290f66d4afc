/* What a scenario holds; see fakenvml.c for the language. */
#ifndef SCENARIO_H
#define SCENARIO_H

#include <stdint.h>

#define MAX_GPUS 16
#define MAX_MIGS 8
#define MAX_STEPS 32
#define MAX_RULES 128
#define MAX_PROCS 64
#define MAX_XIDS 64

enum key {
	K_UTIL, K_UTIL_MEM, K_ENC, K_DEC, K_MEM_USED, K_MEM_RESERVED, K_MEM_TOTAL, K_POWER, K_POWER_CAP,
	K_POWER_DEFAULT, K_POWER_MAX, K_ENERGY, K_TEMP, K_TEMP_MEM, K_TEMP_SLOW, K_FAN, K_CLOCK_SM, K_CLOCK_MEM,
	K_CLOCK_MAX_SM, K_CLOCK_MAX_MEM, K_PSTATE, K_PCIE_GEN, K_PCIE_WIDTH, K_PCIE_GEN_MAX, K_PCIE_WIDTH_MAX,
	K_PCIE_TX, K_PCIE_RX, K_NVLINKS, K_NVLINK_TX, K_NVLINK_RX, K_REASONS, K_ECC_CORRECTED, K_ECC_UNCORRECTED,
	K_RETIRED, K_REMAPPED, K_PERSISTENCE, K_CC, K_MIG, K_SAMPLE_MS, K_POWER_SAMPLE_MS, K_SAMPLE_ZEROS, K_END
};

struct trace { /* steps over time, or a triangle wave between lo and hi */
	int n;
	double v[MAX_STEPS];
	int64_t at[MAX_STEPS];
	double lo, hi;
	int64_t period;
};

struct mig {
	char uuid[96], profile[32];
	double total, used;
	int gpu, index;
};

struct proc {
	int gpu;
	unsigned pid;
	double mem; /* MiB; negative: not available */
	double sm;  /* percent; negative: no sample */
	int graphics, hidden; /* hidden: only in the utilisation samples */
	int64_t from, to;
};

struct gpu {
	char name[96], uuid[96], bus[32];
	struct trace t[K_END];
	struct mig mig[MAX_MIGS];
	int nmig;
};

struct rule { /* a return code or a delay of a function */
	int gpu; /* -1: every one */
	int fn;  /* -1: every one that takes a device */
	int code;
	int64_t delay, from, to;
};

struct field_rule {
	int gpu, field, code;
};

struct scenario {
	int gpus, layout, ninit, nrules, nfields, nprocs, nxids;
	int init[16];
	int64_t init_delay;
	int cuda;
	char driver[80], noise[256];
	struct gpu gpu[MAX_GPUS];
	struct rule rule[MAX_RULES];
	struct field_rule field[MAX_RULES];
	struct proc proc[MAX_PROCS];
	struct {
		int gpu;
		uint64_t code;
		int64_t at;
	} xid[MAX_XIDS];
};

extern struct scenario sc;

void scenario_load(void);
int64_t now_ms(void);         /* since the library was loaded */
uint64_t now_us_epoch(void);  /* wall clock */
double value_at(const struct gpu *g, enum key k, int64_t ms);
int fn_index(const char *name); /* counts, rules: see functions.h */
const char *fn_name(int i);

#endif

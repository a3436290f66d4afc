/* Reads the scenario that FAKE_NVML_SCENARIO names and answers what it says. */
#include "scenario.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct scenario sc;

static const char *fn_names[] = {
#define FN(x) #x,
#include "functions.h"
#undef FN
};
#define FN_COUNT ((int)(sizeof fn_names / sizeof *fn_names))

static const char *key_names[K_END] = {
	"util", "util_mem", "enc", "dec", "mem_used", "mem_reserved", "mem_total", "power", "power_cap",
	"power_default", "power_max", "energy", "temp", "temp_mem", "temp_slow", "fan", "clock_sm", "clock_mem",
	"clock_max_sm", "clock_max_mem", "pstate", "pcie_gen", "pcie_width", "pcie_gen_max", "pcie_width_max",
	"pcie_tx", "pcie_rx", "nvlinks", "nvlink_tx", "nvlink_rx", "reasons", "ecc_corrected", "ecc_uncorrected",
	"retired", "remapped", "persistence", "cc", "mig", "sample_ms", "power_sample_ms", "sample_zeros",
};

static const double defaults[K_END] = {
	[K_UTIL] = 37, [K_UTIL_MEM] = 21, [K_ENC] = 0, [K_DEC] = 0, [K_MEM_USED] = 6000, [K_MEM_RESERVED] = 300,
	[K_MEM_TOTAL] = 24564, [K_POWER] = 210.5, [K_POWER_CAP] = 450, [K_POWER_DEFAULT] = 450, [K_POWER_MAX] = 600,
	[K_ENERGY] = -1, [K_TEMP] = 61, [K_TEMP_MEM] = 70, [K_TEMP_SLOW] = 84, [K_FAN] = 42, [K_CLOCK_SM] = 2520,
	[K_CLOCK_MEM] = 10501, [K_CLOCK_MAX_SM] = 3105, [K_CLOCK_MAX_MEM] = 10501, [K_PSTATE] = 2, [K_PCIE_GEN] = 4,
	[K_PCIE_WIDTH] = 16, [K_PCIE_GEN_MAX] = 4, [K_PCIE_WIDTH_MAX] = 16, [K_PCIE_TX] = 120, [K_PCIE_RX] = 340,
	[K_REASONS] = 0, [K_PERSISTENCE] = 1, [K_CC] = 89, [K_MIG] = -1, [K_SAMPLE_MS] = 167, [K_POWER_SAMPLE_MS] = 100,
};

static struct timespec t0_mono;
static int64_t t0_wall_us;

int64_t now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (t.tv_sec - t0_mono.tv_sec) * 1000 + (t.tv_nsec - t0_mono.tv_nsec) / 1000000;
}

uint64_t now_us_epoch(void) { return (uint64_t)(t0_wall_us + now_ms() * 1000); }

int fn_index(const char *name)
{
	for (int i = 0; i < FN_COUNT; i++)
		if (!strcmp(fn_names[i], name))
			return i;
	return -2;
}

const char *fn_name(int i) { return i >= 0 && i < FN_COUNT ? fn_names[i] : NULL; }

double value_at(const struct gpu *g, enum key k, int64_t ms)
{
	const struct trace *t = &g->t[k];
	if (t->period > 0) {
		int64_t p = ((ms % t->period) + t->period) % t->period;
		double x = (double)p / (double)t->period * 2;
		return t->lo + (t->hi - t->lo) * (x < 1 ? x : 2 - x);
	}
	if (t->n == 0)
		return defaults[k];
	double v = t->v[0];
	for (int i = 1; i < t->n && t->at[i] <= ms; i++)
		v = t->v[i];
	return v;
}

static void fail(int line, const char *text)
{
	fprintf(stderr, "fake nvml: scenario line %d: %s\n", line, text);
	_exit(70);
}

static int each(const char *who, int *from, int *to)
{
	if (!strcmp(who, "*")) {
		*from = 0, *to = MAX_GPUS;
		return 1;
	}
	*from = atoi(who), *to = *from + 1;
	return *from >= 0 && *from < MAX_GPUS;
}

static int key_of(const char *name)
{
	for (int k = 0; k < K_END; k++)
		if (!strcmp(key_names[k], name))
			return k;
	return -1;
}

static void set(int n, char *who, char *key, char *rest)
{
	int from, to, k;
	if (!each(who, &from, &to))
		fail(n, "no such card");
	for (int i = from; i < to; i++) {
		struct gpu *g = &sc.gpu[i];
		char buf[512], *save = NULL;
		if (!strcmp(key, "name")) {
			snprintf(g->name, sizeof g->name, "%s", rest);
			continue;
		}
		if (!strcmp(key, "uuid")) {
			snprintf(g->uuid, sizeof g->uuid, "%s", rest);
			continue;
		}
		if (!strcmp(key, "bus")) {
			snprintf(g->bus, sizeof g->bus, "%s", rest);
			continue;
		}
		if ((k = key_of(key)) < 0)
			fail(n, "unknown key");
		struct trace *t = &g->t[k];
		memset(t, 0, sizeof *t);
		snprintf(buf, sizeof buf, "%s", rest);
		for (char *w = strtok_r(buf, " ", &save); w && t->n < MAX_STEPS; w = strtok_r(NULL, " ", &save)) {
			char *at = strchr(w, '@');
			t->at[t->n] = at ? atoll(at + 1) : 0;
			t->v[t->n++] = strtod(w, NULL);
		}
	}
}

static void wave(int n, char *who, char *key, char *rest)
{
	int from, to, k = key_of(key);
	if (!each(who, &from, &to) || k < 0)
		fail(n, "wave GPU KEY LOW HIGH PERIOD_MS");
	for (int i = from; i < to; i++) {
		struct trace *t = &sc.gpu[i].t[k];
		double period;
		if (sscanf(rest, "%lf %lf %lf", &t->lo, &t->hi, &period) != 3)
			fail(n, "wave GPU KEY LOW HIGH PERIOD_MS");
		t->period = (int64_t)period;
	}
}

static void rule(int n, char *who, char *fn, char *rest, int slow)
{
	struct rule r = {.gpu = strcmp(who, "*") ? atoi(who) : -1, .fn = strcmp(fn, "*") ? fn_index(fn) : -1, .code = -1, .to = INT64_MAX};
	double value = 0, from = 0, to = 0;
	int got = sscanf(rest, "%lf %lf %lf", &value, &from, &to);
	if (r.fn == -2 || got < 1 || sc.nrules == MAX_RULES)
		fail(n, "rc|slow GPU FUNCTION VALUE [FROM_MS [TO_MS]]");
	if (slow)
		r.delay = (int64_t)value;
	else
		r.code = (int)value;
	if (got > 1)
		r.from = (int64_t)from;
	if (got > 2)
		r.to = (int64_t)to;
	sc.rule[sc.nrules++] = r;
}

static void process(int n, char *gpu, char *pid, char *rest)
{
	struct proc p = {.gpu = atoi(gpu), .to = INT64_MAX, .sm = -1};
	char kind[32] = "";
	double from = 0, to = 0;
	int got = sscanf(rest, "%lf %lf %31s %lf %lf", &p.mem, &p.sm, kind, &from, &to);
	if (got < 1 || sc.nprocs == MAX_PROCS)
		fail(n, "proc GPU PID MEM_MIB [SM_PCT [compute|graphics|hidden [FROM_MS [TO_MS]]]]");
	p.pid = strcmp(pid, "self") ? (unsigned)strtoul(pid, NULL, 10) : (unsigned)getpid();
	p.graphics = !strcmp(kind, "graphics");
	p.hidden = !strcmp(kind, "hidden");
	if (got > 3)
		p.from = (int64_t)from;
	if (got > 4)
		p.to = (int64_t)to;
	sc.proc[sc.nprocs++] = p;
}

static void mig(int n, char *gpu, char *profile, char *rest)
{
	int i = atoi(gpu);
	if (i < 0 || i >= MAX_GPUS || sc.gpu[i].nmig == MAX_MIGS)
		fail(n, "mig GPU PROFILE TOTAL_MIB USED_MIB");
	struct mig *m = &sc.gpu[i].mig[sc.gpu[i].nmig];
	snprintf(m->profile, sizeof m->profile, "%s", profile);
	if (sscanf(rest, "%lf %lf", &m->total, &m->used) != 2)
		fail(n, "mig GPU PROFILE TOTAL_MIB USED_MIB");
	snprintf(m->uuid, sizeof m->uuid, "MIG-%08d-0000-0000-0000-%012d", i, sc.gpu[i].nmig);
	m->gpu = i, m->index = sc.gpu[i].nmig++;
	set(n, gpu, "mig", "1");
}

static void parse(int n, char *line)
{
	char *w[4] = {0}, *save = NULL;
	line[strcspn(line, "\r\n")] = 0;
	if (!*line || *line == '#')
		return;
	w[0] = strtok_r(line, " ", &save);
	if (!w[0])
		return;
	const char *verb = w[0];
	if (!strcmp(verb, "noise")) {
		snprintf(sc.noise, sizeof sc.noise, "%s", save ? save : "");
		return;
	}
	if (!strcmp(verb, "init")) {
		for (char *c = strtok_r(NULL, " ", &save); c && sc.ninit < 16; c = strtok_r(NULL, " ", &save))
			sc.init[sc.ninit++] = atoi(c);
		return;
	}
	w[1] = strtok_r(NULL, " ", &save);
	if (!w[1])
		fail(n, "a value is missing");
	if (!strcmp(verb, "gpus"))
		sc.gpus = atoi(w[1]);
	else if (!strcmp(verb, "driver"))
		snprintf(sc.driver, sizeof sc.driver, "%s", w[1]);
	else if (!strcmp(verb, "cuda"))
		sc.cuda = atoi(w[1]);
	else if (!strcmp(verb, "init-delay"))
		sc.init_delay = atoll(w[1]);
	else if (!strcmp(verb, "layout"))
		sc.layout = atoi(w[1]);
	else if (!strcmp(verb, "xid")) {
		double code, at;
		if (sscanf(save, "%lf %lf", &code, &at) != 2 || sc.nxids == MAX_XIDS)
			fail(n, "xid GPU CODE AT_MS");
		sc.xid[sc.nxids].gpu = atoi(w[1]);
		sc.xid[sc.nxids].code = (uint64_t)code;
		sc.xid[sc.nxids++].at = (int64_t)at;
	} else if (!strcmp(verb, "lost")) {
		rule(n, w[1], "*", save && *save ? strcat(strcpy(malloc(strlen(save) + 8), "15 "), save) : "15", 0);
	} else {
		w[2] = strtok_r(NULL, " ", &save);
		if (!w[2])
			fail(n, "a value is missing");
		char *rest = save ? save : "";
		if (!strcmp(verb, "set"))
			set(n, w[1], w[2], rest);
		else if (!strcmp(verb, "wave"))
			wave(n, w[1], w[2], rest);
		else if (!strcmp(verb, "rc"))
			rule(n, w[1], w[2], rest, 0);
		else if (!strcmp(verb, "slow"))
			rule(n, w[1], w[2], rest, 1);
		else if (!strcmp(verb, "proc"))
			process(n, w[1], w[2], rest);
		else if (!strcmp(verb, "mig"))
			mig(n, w[1], w[2], rest);
		else if (!strcmp(verb, "field") && sc.nfields < MAX_RULES)
			sc.field[sc.nfields++] = (struct field_rule){strcmp(w[1], "*") ? atoi(w[1]) : -1, atoi(w[2]), atoi(rest)};
		else
			fail(n, "unknown word");
	}
}

void scenario_load(void)
{
	struct timespec wall;
	clock_gettime(CLOCK_MONOTONIC, &t0_mono);
	clock_gettime(CLOCK_REALTIME, &wall);
	t0_wall_us = (int64_t)wall.tv_sec * 1000000 + wall.tv_nsec / 1000;
	sc.gpus = 1, sc.cuda = 12040, sc.layout = 24;
	strcpy(sc.driver, "550.54.15");
	for (int i = 0; i < MAX_GPUS; i++) {
		strcpy(sc.gpu[i].name, "NVIDIA GeForce RTX 4090");
		snprintf(sc.gpu[i].uuid, sizeof sc.gpu[i].uuid, "GPU-0000%04d-fa4e-fa4e-fa4e-000000000000", i);
		snprintf(sc.gpu[i].bus, sizeof sc.gpu[i].bus, "00000000:%02X:00.0", i + 1);
	}
	const char *path = getenv("FAKE_NVML_SCENARIO");
	if (!path || !*path)
		return;
	FILE *f = fopen(path, "r");
	if (!f)
		fail(0, "cannot open the file");
	char line[1024];
	for (int n = 1; fgets(line, sizeof line, f); n++)
		parse(n, line);
	fclose(f);
	if (sc.gpus < 0 || sc.gpus > MAX_GPUS)
		fail(0, "0 to 16 cards");
}

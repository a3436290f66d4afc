//go:build linux && cgo

package nvml

/*
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef int (*rentgen_pcie_fn)(void *device, int counter, unsigned int *kb);

enum { RENTGEN_CARDS = 64 };

// A thread that reads PCIe throughput once a second. Each call sleeps for 20 ms
// inside the driver, and sixteen such calls from Go wake its scheduler so often
// that they cost three times what all other readings do.
struct rentgen_pcie {
	void *fn;
	int n;
	void *device[RENTGEN_CARDS];
	int skip[RENTGEN_CARDS];  // set by Go: leave this card out
	int rounds;               // set by Go: how many to read before waiting for more
	int step;                 // counts calls, so that Go sees one that hangs
	int at;                   // the card being read, n between rounds
	int stop, ended;          // Go asks for the end; the thread has seen it
	unsigned int done[RENTGEN_CARDS]; // readings of a card
	int rc[RENTGEN_CARDS][2];
	unsigned int kb[RENTGEN_CARDS][2];
};

#define GET(x) __atomic_load_n(&(x), __ATOMIC_ACQUIRE)
#define SET(x, v) __atomic_store_n(&(x), v, __ATOMIC_RELEASE)

static void rentgen_pcie_read(struct rentgen_pcie *p, int i) {
	int rc[2];
	unsigned int kb[2] = {0, 0};
	for (int c = 0; c < 2; c++) {
		SET(p->step, p->step + 1);
		rc[c] = c == 1 && rc[0] != 0 ? rc[0] : ((rentgen_pcie_fn)p->fn)(p->device[i], c, &kb[c]);
		if (GET(p->stop)) return;
	}
	for (int c = 0; c < 2; c++) {
		SET(p->rc[i][c], rc[c]);
		SET(p->kb[i][c], kb[c]);
	}
	SET(p->done[i], p->done[i] + 1);
}

static void *rentgen_pcie_loop(void *arg) {
	struct rentgen_pcie *p = arg;
	while (!GET(p->stop)) {
		long rest = 1000;
		if (GET(p->rounds) > 0) {
			__atomic_fetch_sub(&p->rounds, 1, __ATOMIC_ACQ_REL);
			for (int i = 0; i < p->n && !GET(p->stop); i++) {
				if (GET(p->skip[i])) continue;
				SET(p->at, i);
				rentgen_pcie_read(p, i);
				rest -= 40;
			}
			SET(p->at, p->n);
		}
		if (rest < 100) rest = 100;
		struct timespec t = {rest / 1000, rest % 1000 * 1000000};
		nanosleep(&t, NULL);
	}
	SET(p->ended, 1);
	return NULL;
}

static struct rentgen_pcie *rentgen_pcie_new(void *fn, int n) {
	struct rentgen_pcie *p = malloc(sizeof *p);
	if (p) {
		memset(p, 0, sizeof *p);
		p->fn = fn;
		p->n = p->at = n;
	}
	return p;
}

// rentgen_pcie_start gives the thread no signals: they are Go's to handle.
static int rentgen_pcie_start(struct rentgen_pcie *p) {
	pthread_t id;
	pthread_attr_t attr;
	sigset_t all, before;
	sigfillset(&all);
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int rc = pthread_create(&id, &attr, rentgen_pcie_loop, p);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	return rc;
}

struct rentgen_pcie_look { int at, step, ended; };

static struct rentgen_pcie_look rentgen_pcie_look(struct rentgen_pcie *p) {
	struct rentgen_pcie_look l = {GET(p->at), GET(p->step), GET(p->ended)};
	return l;
}
static void rentgen_pcie_stop(struct rentgen_pcie *p) { SET(p->stop, 1); }
static void rentgen_pcie_allow(struct rentgen_pcie *p, int rounds) { SET(p->rounds, rounds); }

struct rentgen_pcie_got { unsigned int done; int rc[2]; unsigned int kb[2]; };

static struct rentgen_pcie_got rentgen_pcie_get(struct rentgen_pcie *p, int i, int skip) {
	struct rentgen_pcie_got g;
	SET(p->skip[i], skip);
	g.done = GET(p->done[i]);
	for (int c = 0; c < 2; c++) {
		g.rc[c] = GET(p->rc[i][c]);
		g.kb[c] = GET(p->kb[i][c]);
	}
	return g;
}
*/
import "C"

import (
	"time"
	"unsafe"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"rentgen/probe"
)

// pcieReader is the thread and what Go knows of it. It belongs to the goroutine
// that takes the ticks.
type pcieReader struct {
	fn   unsafe.Pointer
	c    *C.struct_rentgen_pcie
	step int // the last one seen, and since when
	when time.Time
	gone []pcieGone // threads told to stop, some in a call that hangs
}

type pcieGone struct {
	c *C.struct_rentgen_pcie
	d *device // the card whose call hangs, nil where none does
}

// pcieRounds is how many rounds a tick allows: none go on in a pause.
const pcieRounds = 3

func (p *pcieReader) start(devs []*device) {
	if p.fn == nil || len(devs) == 0 {
		return
	}
	p.c = C.rentgen_pcie_new(p.fn, C.int(len(devs)))
	if p.c == nil {
		return
	}
	for i, d := range devs {
		p.c.device[i] = d.raw0
		if d.mig || d.raw0 == nil || d.bgBusy.Load() {
			p.c.skip[i] = 1
		}
		d.pcieDone = 0
	}
	C.rentgen_pcie_allow(p.c, pcieRounds)
	if C.rentgen_pcie_start(p.c) != 0 {
		C.free(unsafe.Pointer(p.c))
		p.c = nil
	}
}

// collect takes the newest readings over and replaces the thread where it hangs.
func (p *pcieReader) collect(l *Library) {
	if p.c == nil {
		if p.fn == nil {
			v := missing(nvml.ERROR_FUNCTION_NOT_FOUND)
			for _, d := range l.devs {
				d.keepThroughput(v, v, time.Since(l.start))
			}
		}
		return
	}
	C.rentgen_pcie_allow(p.c, pcieRounds)
	now := time.Since(l.start)
	for i, d := range l.devs {
		d.mu.Lock()
		skip := d.mig || d.problem != "" || d.raw0 == nil
		d.mu.Unlock()
		flag := C.int(0)
		if skip || d.bgBusy.Load() {
			flag = 1
		}
		g := C.rentgen_pcie_get(p.c, C.int(i), flag)
		if uint32(g.done) == d.pcieDone {
			continue
		}
		d.pcieDone = uint32(g.done)
		d.keepThroughput(throughput(g.rc[0], g.kb[0]), throughput(g.rc[1], g.kb[1]), now)
	}
	p.watch(l)
}

func throughput(rc C.int, kb C.uint) probe.Value {
	v := within(nvml.Return(rc), float64(kb), 0.001, 0, maxMBs)
	if n, ok := v.Ok(); ok {
		return probe.Of(tenths(n))
	}
	return v
}

func (d *device) keepThroughput(tx, rx probe.Value, now time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.bg.keep(probe.PCIeTx, tx, now, pcieFresh)
	d.bg.keep(probe.PCIeRx, rx, now, pcieFresh)
}

// restart is for when a card's handle has changed.
func (p *pcieReader) restart(devs []*device) {
	if p.c != nil {
		C.rentgen_pcie_stop(p.c)
		p.gone = append(p.gone, pcieGone{c: p.c})
	}
	p.step, p.when = 0, time.Now()
	p.start(devs)
}

func (p *pcieReader) watch(l *Library) {
	for i := 0; i < len(p.gone); i++ {
		if g := p.gone[i]; C.rentgen_pcie_look(g.c).ended != 0 {
			if g.d != nil {
				g.d.bgBusy.Store(false)
			}
			C.free(unsafe.Pointer(g.c))
			p.gone = append(p.gone[:i], p.gone[i+1:]...)
			i--
		}
	}
	look := C.rentgen_pcie_look(p.c)
	if int(look.step) != p.step || int(look.at) >= len(l.devs) {
		p.step, p.when = int(look.step), time.Now()
		return
	}
	if time.Since(p.when) < backStall {
		return
	}
	d := l.devs[look.at]
	d.bgBusy.Store(true)
	p.restart(l.devs)
	p.gone[len(p.gone)-1].d = d
}

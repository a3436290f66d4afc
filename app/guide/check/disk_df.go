package check

import (
	"strings"

	"rentgen/app/guide"
	"rentgen/assets/texts"
)

func init() { judges[guide.DiskDf] = judgeDf }

var (
	dfMissing = guide.Regexp(`^df: ['"‘“]?(.+?)['"’”]?\s*[:：] (?:No such file or directory|没有那个文件或目录|没有该文件或目录)`)
	dfBroken  = guide.Regexp(`^df: ['"‘“]?(.+?)['"’”]?\s*[:：] (?:Stale file handle|Stale NFS file handle|Transport endpoint is not connected|Input/output error|Host is down|过旧的文件控柄|传输端点尚未连接|输入/输出错误)`)
)

// sizeText is a number of bytes as the texts of this check show it.
func sizeText(bytes float64) string { return texts.MiB(bytes / mib) }

func judgeDf(l *look) {
	t := l.dfTables()
	if l.says(quotaSaid...) {
		l.set("error", "quota_exceeded")
		l.find(guide.Fail, "quota")
	} else if l.says(fullSaid...) {
		l.find(guide.Fail, "no-space")
	}
	if len(t.rows)+len(t.inodes) == 0 {
		if m := l.line(dfMissing); m != nil {
			l.find(guide.Warn, "no-dir", "dir", m[1])
		} else if len(l.found) == 0 {
			l.unread(t.cut)
		}
		return
	}
	d := l.dfFacts(t)
	l.dfFull(t, d)
	l.dfSmall(d)
	if d.shm > 0 {
		l.find(guide.Warn, "shm", "size", sizeText(d.shm))
	}
	for _, re := range []*guide.Pattern{dfMissing, dfBroken} {
		if m := l.line(re); m != nil {
			code := "no-dir"
			if re == dfBroken {
				code = "broken"
			}
			if f := l.find(guide.Warn, code, "dir", m[1]); re == dfBroken {
				l.ofHost(f)
			}
		}
	}
	l.cutShort()
	if len(t.cut) > 0 {
		l.unread(t.cut)
	}
	if l.inodesLeftOut(t) {
		l.find(guide.Warn, "no-inodes")
	}
	if len(l.found) == 0 {
		l.find(guide.Pass, "ok", "root", sizeText(d.root.avail), "data", sizeText(d.room), "dir", d.where)
	}
}

// unread notes that lines could not be read.
func (l *look) unread(lines []string) {
	l.use(lines...)
	l.find(guide.Warn, "unread")
}

// cutShort notes that the time limit ended the command: what it printed is not
// all.
func (l *look) cutShort() {
	if l.in.TimedOut {
		l.find(guide.Warn, "cut")
	}
}

// disks is what counts of the tables.
type disks struct {
	root      dfRow
	hasRoot   bool
	data      []dfRow // can hold data
	best      float64 // bytes, most room among those that can be trusted; -1: none
	bestMount string
	trusted   bool
	// room and where are what counts as the place for data: on a whole machine the
	// root, too.
	room  float64
	where string
	shm   float64 // bytes of a shared memory that is too small; 0: it isn't
}

func (l *look) dfFacts(t dfTable) disks {
	d := disks{best: -1, room: -1, trusted: true}
	var list []volume
	for _, r := range t.rows {
		list = append(list, r.volume)
		untrusted := strings.HasPrefix(r.source, "mfs#") || r.total >= guide.Threshold("disk.df.implausible")*tib
		switch {
		case r.mount == "/dev/shm":
			if r.total >= 0 {
				l.set("shm_mib", r.total/mib)
				if r.total <= guide.Threshold("disk.df.shm")*mib {
					l.use(r.line)
					d.shm = r.total
				}
			}
		case r.kind() == kindRoot:
			d.root, d.hasRoot = r, true
			l.use(r.line)
		case r.kind() == kindData:
			d.data = append(d.data, r)
			l.use(r.line)
			if untrusted {
				d.trusted = false
			} else if r.avail > d.best {
				d.best, d.bestMount = r.avail, r.mount
			}
		}
	}
	if len(t.rows) > 0 {
		l.noteVolumes(list)
		l.set("capacity_trustworthy", d.trusted)
	}
	if len(t.rows) > 0 {
		l.set("persistent_avail_gib", orNil(d.best/gib, d.best >= 0))
	}
	d.room, d.where = d.best, d.bestMount
	if d.hasRoot {
		l.set("root_total_gib", orNil(d.root.total/gib, d.root.total >= 0))
		l.set("root_avail_gib", orNil(d.root.avail/gib, d.root.avail >= 0))
		l.set("root_use_pct", orNil(d.root.usePct, d.root.usePct >= 0))
		if l.in.Track == guide.Dedicated && d.root.avail > d.room {
			d.room, d.where = d.root.avail, "/"
		}
	}
	if dir := guide.Known(l.ctx.Dir, ""); dir != "" {
		if v, ok := of(list, dir); ok && (v.mount != "/" || len(list) > 1) {
			l.set("mount_point", v.mount)
			if v.fstype != "" {
				l.set("fstype", v.fstype)
			}
		}
	}
	return d
}

// smallDisk is the size in bytes below which a volume was never meant for data:
// a full one is no fault.
const smallDisk = 8 * gib

// dfFull finds what is full: no bytes or no inodes left.
func (l *look) dfFull(t dfTable, d disks) {
	least := guide.Threshold("disk.df.least") * gib
	if d.hasRoot && d.root.avail >= 0 && d.root.avail < least {
		l.find(guide.Fail, "root-full", "avail", sizeText(d.root.avail))
	}
	for _, r := range d.data {
		if r.avail >= 0 && r.avail < least && (r.total < 0 || r.total >= smallDisk) {
			l.find(guide.Fail, "data-full", "avail", sizeText(r.avail), "dir", r.mount)
		}
	}
	worst := -1
	for _, r := range t.inodes {
		if k := r.kind(); k != kindRoot && k != kindData {
			continue
		}
		worst = max(worst, r.usePct)
		if float64(r.usePct) >= guide.Threshold("disk.df.inodes") {
			l.use(r.line)
			l.find(guide.Fail, "inodes", "dir", r.mount, "use", texts.Percent(float64(r.usePct)))
		}
	}
	if worst >= 0 {
		l.set("inode_use_pct", worst)
	}
}

// dfSmall finds what is too small for models, and what isn't shown at all.
func (l *look) dfSmall(d disks) {
	least := guide.Threshold("disk.df.least") * gib
	switch {
	case !d.hasRoot:
		l.find(guide.Warn, "no-root")
	case d.root.avail < 0:
		l.unread([]string{d.root.line})
	case d.root.avail >= least:
		if want := guide.Threshold("disk.df.root-avail"); d.root.avail < want*gib {
			l.find(guide.Warn, "root-low", "avail", sizeText(d.root.avail), "want", sizeText(want*gib))
		} else if float64(d.root.usePct) >= guide.Threshold("disk.df.root-use") {
			l.find(guide.Warn, "root-used", "use", texts.Percent(float64(d.root.usePct)), "avail", sizeText(d.root.avail))
		}
	}
	want := guide.Threshold("disk.df.persistent-avail")
	switch {
	case !d.trusted:
		l.find(guide.Warn, "pool", "dir", mountOfPool(d))
	case d.room < 0 && l.in.Track == guide.Dedicated:
		// the root would count, and it isn't shown: said already
	case len(d.data) == 0 && l.in.Track != guide.Dedicated:
		l.find(guide.Warn, "no-data-disk")
	case d.room < 0:
		l.find(guide.Warn, "unread")
	case d.room < want*gib && d.room >= least:
		l.find(guide.Warn, "data-low", "avail", sizeText(d.room), "want", sizeText(want*gib), "dir", d.where)
	case d.room < least && len(l.found) == 0:
		l.find(guide.Warn, "no-data-disk")
	}
}

func mountOfPool(d disks) string {
	for _, r := range d.data {
		if strings.HasPrefix(r.source, "mfs#") || r.total >= guide.Threshold("disk.df.implausible")*tib {
			return r.mount
		}
	}
	return ""
}

// inodesLeftOut reports whether inodes were asked for and those of a disk that
// counts are not there: the output was cut.
func (l *look) inodesLeftOut(t dfTable) bool {
	asked := t.ihead
	for _, c := range calling(l.asked("df"), "df") {
		asked = asked || c.short('i')
	}
	if !asked {
		return false
	}
	have := map[string]bool{}
	for _, r := range t.inodes {
		have[r.mount] = true
	}
	for _, r := range t.rows {
		if k := r.kind(); (k == kindRoot || k == kindData) && !have[r.mount] {
			return true
		}
	}
	return false
}

package check

import (
	"strings"

	"rentgen/app/guide"
)

// dfRow is a row of df. Sizes are bytes, or inodes of df -i; one that isn't known
// is -1.
type dfRow struct {
	volume
	total, used, avail float64
	usePct             int // -1: not known
}

// dfTable is what df printed.
type dfTable struct {
	rows   []dfRow
	inodes []dfRow
	cut    []string // lines of a table that are no whole rows
	heads  int      // headers of tables
	ihead  bool     // one of them counts inodes
}

const dfSize = `(?:-|\d+(?:[.,]\d+)?(?:[KMGTPEZYkmgtp](?:i?B?)|B)?)`

var (
	dfLine   = guide.Regexp(`^(\S.*?)\s+(` + dfSize + `)\s+(` + dfSize + `)\s+(` + dfSize + `)\s+(\d{1,3}%|-)\s+(/.*)$`)
	dfRest   = guide.Regexp(`^\s*(?:[a-z][\w.+-]*\s+)?` + dfSize + `\s+` + dfSize + `\s+` + dfSize + `\s+(?:\d{1,3}%|-)\s+/`)
	dfType   = guide.Regexp(`^(.*\S)\s+([a-z][\w.+-]*)$`)
	dfBlocks = guide.Regexp(`(?i)\s(\d+)([KMGT]?)(?:i?B)?-\S`)
	dfMark   = guide.Regexp(`\d%`)
	dfSum    = guide.Regexp(`^(?:total|总计|總計|insgesamt)\s`)
	ownLine  = guide.Regexp(`^[\w./-]+: |^\S*\d[KMGT]?\s+/`) // "df: ...", a line of du
	knownFS  = guide.Regexp(`^(?:ext[234]|xfs|btrfs|zfs|overlay|overlayfs|aufs|nfs4?|cifs|smb3|fuse(?:\.[\w.-]+)?|fuseblk|ceph|tmpfs|devtmpfs|squashfs|vfat|ntfs3?|exfat|f2fs|jfs|9p|virtiofs|lustre|glusterfs|iso9660|ramfs|efivarfs|rootfs|erofs|bcachefs|beegfs|gpfs|wekafs|mfs)$`)
)

// dfTables reads what df printed, sizes and inodes, with wrapped lines, with or
// without types, translated or not.
func (l *look) dfTables() dfTable {
	var t dfTable
	command := l.asked("df")
	thousand := false
	plain, inodes, typed := 1024.0, false, false
	if c := calling(command, "df"); len(c) > 0 {
		inodes, typed = c[0].short('i') && !c[len(c)-1].short('h'), c[0].short('T')
		thousand = c[0].short('H') || c[0].has("--si")
	}
	inTable, pending := false, ""
	drop := func() {
		if pending != "" {
			t.cut = append(t.cut, pending)
		}
		pending = ""
	}
	for _, s := range l.lines {
		switch {
		case strings.TrimSpace(s) == "":
			continue
		case dfHead(s):
			drop()
			t.heads++
			inTable, inodes = true, strings.Contains(strings.ToLower(s), "inode") || strings.Contains(s, "(I)")
			t.ihead = t.ihead || inodes
			plain, typed = 1, len(strings.Fields(s)) > 1 && (strings.Contains(s, " Type ") || strings.Contains(s, " 类型 ") || strings.Contains(s, " Typ ") || strings.Contains(s, "類型") || typed)
			if m := dfBlocks.FindStringSubmatch(s); m != nil && !inodes {
				n, _ := number(m[1])
				k, _ := bytesOf("1" + m[2])
				plain = n * k
			}
			continue
		case dfSum.MatchString(s):
			continue
		}
		if pending != "" && dfRest.MatchString(s) && (s[0] == ' ' || s[0] == '\t' || !dfLine.MatchString(s)) {
			s = pending + " " + strings.TrimSpace(s)
			pending = ""
		}
		if r, ok := dfRowOf(s, plain, thousand, typed); ok {
			drop()
			again := inodes
			if t.heads == 0 && strings.Contains(command, "-i") { // no header: the second row of a mount counts inodes
				for _, o := range t.rows {
					again = again || o.mount == r.mount
				}
			}
			if again {
				t.inodes = append(t.inodes, r)
			} else {
				t.rows = append(t.rows, r)
			}
			continue
		}
		drop()
		if (inTable || dfMark.MatchString(s)) && !ownLine.MatchString(s) {
			pending = s
		}
	}
	drop()
	return t
}

// dfHead reports whether a line is the head of a table, in any language: its
// columns have a share without a number.
func dfHead(s string) bool {
	f := strings.Fields(s)
	if len(f) < 5 || strings.HasPrefix(s, "/") || dfMark.MatchString(s) {
		return false
	}
	if strings.HasPrefix(s, "Filesystem ") || strings.HasPrefix(s, "文件系统 ") || strings.HasPrefix(s, "檔案系統 ") {
		return true
	}
	for _, w := range f[2:] {
		if strings.HasSuffix(w, "%") {
			return true
		}
	}
	return false
}

func dfRowOf(s string, plain float64, thousand, typed bool) (dfRow, bool) {
	m := dfLine.FindStringSubmatch(s)
	if m == nil {
		return dfRow{}, false
	}
	r := dfRow{volume: volume{source: m[1], mount: strings.TrimRight(unescaped(m[6]), " \t"), line: s}, usePct: -1}
	if f := dfType.FindStringSubmatch(m[1]); f != nil && (typed || knownFS.MatchString(f[2])) {
		r.source, r.fstype = f[1], f[2]
	}
	for i, p := range []*float64{&r.total, &r.used, &r.avail} {
		v, ok := bytesOf(m[2+i])
		if !ok {
			v = -1
		} else if last := m[2+i][len(m[2+i])-1]; last >= '0' && last <= '9' {
			v *= plain
		} else if thousand {
			v, _ = bytesOf(strings.TrimRight(m[2+i], "iB") + "B")
		}
		*p = v
	}
	if n, ok := whole(strings.TrimSuffix(m[5], "%")); ok {
		r.usePct = n
	}
	return r, true
}

// Package client looks after pictures that are made under contract: where files
// of the client's lie, what pictures give away, who can still read them, and what
// has to be deleted at the end. It deletes nothing, and it doesn't judge the
// contract.
package client

import (
	"context"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"rentgen/app/guide"
	"rentgen/app/guide/keep"
	"rentgen/app/guide/script"
	"rentgen/app/provider"
	"rentgen/assets/texts"
)

// Kind is why a place may hold something of the client's.
type Kind string

// The kinds of places.
const (
	Inputs  Kind = "inputs"
	Outputs Kind = "outputs"
	Temp    Kind = "temp" // previews and uploads of programs
	Logs    Kind = "logs"
	Prompts Kind = "prompts" // files that keep prompts, and workflows
	History Kind = "history" // of shells
	Trash   Kind = "trash"
)

// Kinds returns the kinds in the order of lists.
func Kinds() []Kind { return []Kind{Inputs, Outputs, Prompts, Temp, Logs, History, Trash} }

// Place is a file or folder that may hold something of the client's.
type Place struct {
	Kind   Kind          `json:"kind"`
	Path   string        `json:"path"`
	File   bool          `json:"file,omitempty"`
	Files  int           `json:"files"`
	Bytes  int64         `json:"bytes"`
	Newest time.Time     `json:"newest,omitzero"` // the host's clock
	Whole  bool          `json:"whole"`           // counted to the end
	Rest   Rest          `json:"rest"`
	Mount  string        `json:"mount,omitempty"` // mount point
	Fate   provider.Fate `json:"-"`               // at a release
}

// Rest is how a place is encrypted at rest, as far as it shows from inside.
type Rest string

// The kinds of rest. What the provider does below the machine never shows.
const (
	DMCrypt     Rest = "dm-crypt"
	Ecryptfs    Rest = "ecryptfs" // and other file systems that encrypt
	NoneSeen    Rest = "none"     // a disk without it
	RestUnknown Rest = ""         // no disk shows: layers of a container, network disks
)

// Says puts it in words.
func (r Rest) Says() texts.Phrase {
	if r == RestUnknown {
		return texts.P("client.rest.unknown")
	}
	return texts.P("client.rest." + string(r))
}

// Picture is a picture that was looked into.
type Picture struct {
	Path string
	PNG  PNG
	Bad  bool // no PNG, in spite of its name
}

// Look is what was seen.
type Look struct {
	Time   time.Time // laptop's clock
	Run    guide.Run
	Places []Place
	Ports  []Port
	// PortsRead and PicturesSeen say that it could be looked at all.
	PortsRead bool
	Pictures  []Picture // the newest ones
	PNGs      int       // how many there are; -1 where that isn't known
	Keys      int       // that may log in; -1 where that isn't known
	Whole     bool
}

// Params is what looking needs.
type Params struct {
	Runner  guide.Runner
	Survey  keep.Survey
	Profile provider.Profile
	Now     time.Time
}

// Applies reports whether client data is the user's concern.
func Applies(n guide.Needs) bool { return n.UnderContract }

// How many pictures are looked into, and how much of each.
const (
	pictures = 24
	headSize = 96 << 10
)

const lookText = `
P=$1 S=$2 E=/etc
shift 2
` + script.RunText + `
{
  if [ -r "$P/net/tcp" ]; then
    cat "$P/net/tcp" "$P/net/tcp6" 2>/dev/null | awk '$4 == "0A" { print $1, $2, $3, $4 }' | head -n 5000
    echo read
  fi
} | list ports
keys=0 known=
if [ -x "$HOME/.ssh" ] || [ ! -e "$HOME/.ssh" ]; then
  known=yes
  for f in "$HOME/.ssh/authorized_keys" "$HOME/.ssh/authorized_keys2"; do
    [ -e "$f" ] || continue
    [ -r "$f" ] || { known=; continue; }
    keys=$((keys + $(grep -cE '^[[:space:]]*[^#[:space:]]' "$f")))
  done
fi
say keys "$known" "$keys"
mode= nth=0
for a in "$@"; do
  case $a in
    -places|-devices) mode=$a; continue ;;
  esac
  case $mode in
    -places)
      nth=$((nth+1))
      if [ -d "$a/" ]; then
        say place $nth dir "$({ soon 12 find "$a/" -xdev -type f ! -path "*$NL*" -exec stat -c 'f %s %Y' {} + 2>/dev/null; echo "end $?"; } | awk '
          $1 == "f" { s += $2; n++; if ($3 > t) t = $3 }
          $1 == "end" { code = $2 }
          END { printf "%.0f %.0f %.0f %d", s, n, t, code }')"
      elif [ -f "$a" ]; then
        say place $nth file "$(stat -L -c '%s 1 %Y 0' "$a" 2>/dev/null)"
      fi ;;
    -devices)
      d=$S/dev/block/$a
      if [ -e "$d" ]; then
        say device "$a" yes "$(cat "$d/dm/uuid" "$d/../dm/uuid" "$d"/slaves/*/dm/uuid "$d"/slaves/*/slaves/*/dm/uuid 2>/dev/null | head -c 2000)"
      else
        say device "$a" no
      fi ;;
  esac
done
`

// picturesText counts pictures and tells the beginnings of the newest ones. Its
// arguments: how many, how many bytes of each, the folders.
const picturesText = `
many=$1 size=$2
shift 2
all=$(for a in "$@"; do
  soon 20 find "$a/" -xdev -type f \( -name '*.png' -o -name '*.PNG' \) ! -path "*$NL*" -exec stat -c '%Y %n' {} + 2>/dev/null
done | sort -rn | awk -v many="$many" 'NR <= many { print } END { print NR }')
say count "${all##*$NL}"
printf '%s\n' "$all" | sed '$d' | while IFS= read -r line; do
  f=${line#* }
  sayhead png "$size" "$f" "$f"
done
`

// candidates are the places that may hold something of the client's.
func candidates(s keep.Survey) []Place {
	var l []Place
	add := func(k Kind, paths ...string) {
		for _, p := range paths {
			if path.IsAbs(p) && !slices.ContainsFunc(l, func(o Place) bool { return o.Path == p }) && len(l) < 100 {
				l = append(l, Place{Kind: k, Path: p})
			}
		}
	}
	for _, p := range s.Places {
		if p.State != keep.Seen || p.Link {
			continue
		}
		at := p.At()
		switch p.Kind {
		case keep.Inputs:
			add(Inputs, at)
		case keep.Pictures:
			add(Outputs, at)
		case keep.Workflows:
			add(Prompts, at)
		}
	}
	for _, u := range s.UIs {
		switch u.Kind {
		case keep.ComfyUI:
			add(Temp, path.Join(u.Root, "temp"))
			add(Logs, path.Join(u.Root, "user/comfyui.log"), path.Join(u.Root, "comfyui.log"), path.Join(u.Root, "nohup.out"))
			add(Prompts, path.Join(u.Root, "user/comfyui.db"))
		case keep.A1111:
			add(Inputs, path.Join(u.Root, "inputs"))
			add(Outputs, path.Join(u.Root, "log/images"))
			add(Temp, path.Join(u.Root, "tmp"))
			add(Logs, path.Join(u.Root, "nohup.out"), path.Join(u.Root, "webui.log"))
			add(Prompts, path.Join(u.Root, "params.txt"), path.Join(u.Root, "cache.json"), path.Join(u.Root, "styles.csv"))
		}
	}
	add(Temp, "/tmp/gradio", "/tmp/comfyui")
	if s.Home != "" {
		for _, f := range []string{".bash_history", ".zsh_history", ".local/share/fish/fish_history", ".python_history", ".ipython/profile_default/history.sqlite", ".viminfo"} {
			add(History, path.Join(s.Home, f))
		}
		add(Logs, path.Join(s.Home, "nohup.out"))
		add(Trash, path.Join(s.Home, ".local/share/Trash"), path.Join(s.Home, ".Trash-0"))
	}
	return l
}

// At looks at a host. The error is that of the link.
func At(ctx context.Context, p Params) (Look, error) { return p.at(ctx, "/proc", "/sys") }

func (p Params) at(ctx context.Context, proc, sys string) (Look, error) {
	l := Look{Time: p.Now, PNGs: -1, Keys: -1, Places: candidates(p.Survey)}
	args := []string{proc, sys}
	args = append(args, "-places")
	for _, c := range l.Places {
		args = append(args, c.Path)
	}
	args = append(args, "-devices")
	var devices []string
	for _, m := range p.Survey.Mounts {
		if m.Device != "" && !strings.HasPrefix(m.Device, "0:") && !slices.Contains(devices, m.Device) && len(devices) < 40 {
			devices = append(devices, m.Device)
		}
	}
	args = append(args, devices...)
	told, err := script.Run(ctx, script.Params{Runner: p.Runner, Text: lookText, Args: args, Timeout: 3 * time.Minute})
	if err != nil {
		return Look{}, err
	}
	p.read(&l, told)
	var dirs []string
	for _, c := range l.Places {
		if c.Kind == Outputs && !c.File {
			dirs = append(dirs, c.Path)
		}
	}
	if len(dirs) == 0 {
		return l, nil
	}
	told, err = script.Run(ctx, script.Params{
		Runner: p.Runner, Text: picturesText, Args: append([]string{strconv.Itoa(pictures), strconv.Itoa(headSize)}, dirs...),
		Timeout: 2 * time.Minute, Limit: 2*pictures*headSize + 1<<20,
	})
	if err != nil {
		return Look{}, err
	}
	l.readPictures(told)
	return l, nil
}

// read takes what the first script told.
func (p Params) read(l *Look, t script.Told) {
	l.Run, l.Whole = script.RunOf(t), t.Whole
	if ports, ok := t.One("ports"); ok && slices.Contains(ports.Lines, "read") {
		l.Ports, l.PortsRead = readPorts(ports.Lines), true
	}
	if k, ok := t.One("keys"); ok && k.Field(0) == "yes" {
		if n, err := strconv.Atoi(k.Field(1)); err == nil && n >= 0 {
			l.Keys = n
		}
	}
	crypt := map[string]Rest{}
	for _, r := range t.Of("device") {
		switch {
		case r.Field(1) != "yes":
		case strings.Contains(r.Field(2), "CRYPT-"):
			crypt[r.Field(0)] = DMCrypt
		default:
			crypt[r.Field(0)] = NoneSeen
		}
	}
	seen := map[int]Place{}
	for _, r := range t.Of("place") {
		n, err := strconv.Atoi(r.Field(0))
		if err != nil || n < 1 || n > len(l.Places) {
			continue
		}
		c := l.Places[n-1]
		c.File = r.Field(1) == "file"
		if w, ok := script.ReadWeight(r.Field(2)); ok {
			c.Bytes, c.Files, c.Newest, c.Whole = w.Bytes, w.Files, w.Newest, w.Whole
			m, _ := keep.MountOf(p.Survey.Mounts, c.Path)
			c.Mount, c.Rest = m.Point, restOf(m, crypt)
			if d, ok := p.Profile.DirOf(c.Path, m.Point, m.FS); ok && m.Point != "" {
				c.Fate = d.Events[provider.Release].Fate
			}
			seen[n] = c
		}
	}
	var found []Place
	for n := 1; n <= len(l.Places); n++ {
		if c, ok := seen[n]; ok && (c.Files > 0 || !c.Whole) {
			found = append(found, c)
		}
	}
	kinds := Kinds()
	slices.SortStableFunc(found, func(a, b Place) int { return slices.Index(kinds, a.Kind) - slices.Index(kinds, b.Kind) })
	l.Places = found
}

func restOf(m keep.Mount, crypt map[string]Rest) Rest {
	if slices.Contains([]string{"ecryptfs", "fuse.gocryptfs", "fuse.encfs", "fuse.cryfs"}, m.FS) {
		return Ecryptfs
	}
	if m.Network() {
		return RestUnknown
	}
	return crypt[m.Device]
}

func (l *Look) readPictures(t script.Told) {
	l.Whole = l.Whole && t.Whole
	if c, ok := t.One("count"); ok {
		if n, err := strconv.Atoi(strings.TrimSpace(c.Field(0))); err == nil && n >= 0 {
			l.PNGs = n
		}
	}
	for _, r := range t.Of("png") {
		if len(l.Pictures) == pictures {
			break
		}
		x := Picture{Path: r.Field(0)}
		var err error
		if x.PNG, err = readPNG([]byte(r.Field(1))); err != nil {
			x.Bad = true
		}
		l.Pictures = append(l.Pictures, x)
	}
}

// Telling counts the pictures that carry prompt, workflow or settings, of those
// that were looked into.
func (l Look) Telling() (telling, of int) {
	for _, p := range l.Pictures {
		if !p.Bad {
			of++
			if p.PNG.Tells() {
				telling++
			}
		}
	}
	return telling, of
}

// Bytes is the sum of all places.
func (l Look) Bytes() (n int64) {
	for _, p := range l.Places {
		n += p.Bytes
	}
	return n
}

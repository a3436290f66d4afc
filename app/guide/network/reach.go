package network

import (
	"context"
	"math"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"rentgen/app/guide"
	"rentgen/app/guide/script"
	"rentgen/assets/texts"
)

// reachText asks addresses, all at once, with curl or wget. Its arguments come in
// threes: number, address, variable that leads elsewhere or "". An address that a
// variable of the instance gives is an argument of curl and never text.
const reachText = `
names='HF_ENDPOINT|PIP_INDEX_URL|http_proxy|https_proxy|all_proxy|HTTP_PROXY|HTTPS_PROXY|ALL_PROXY'
vars() { grep -E "^($names)=" | head -n 20 | while IFS= read -r line; do printf '%s\n' "$line" | head -c 500; echo; done; }
set_here=$(env | vars)
set_login=$(soon 6 env HISTFILE=/dev/null "${SHELL:-/bin/sh}" -lic env </dev/null 2>/dev/null | vars)
index=$(have pip && soon 6 pip config get global.index-url </dev/null 2>/dev/null | head -c 500)
[ -n "$index" ] && set_login="$set_login
PIP_INDEX_URL=$index"
say resolv "$(head -c 2000 /etc/resolv.conf 2>/dev/null)"
say vars "$set_here" "$set_login"
value() { printf '%s\n%s\n' "$set_login" "$set_here" | sed -n "s/^$1=//p" | head -n 1; }
ask() { # number, address, variable
  if have curl; then
    out=$(curl -gsSL -o /dev/null --connect-timeout 6 --max-time 12 -r 0-1048575 -w '\n%{http_code} %{time_namelookup} %{time_connect} %{time_appconnect} %{time_starttransfer} %{time_total} %{size_download} %{speed_download} %{remote_ip} %{url_effective}' -- "$2" </dev/null 2>/dev/null | tail -n 1 | head -c 1500)
    rc=$(curl_code "$out")
  elif have wget; then
    out=
    soon 12 wget -q -O /dev/null "$2" </dev/null 2>/dev/null
    rc=w$?
  else
    out= rc=none
  fi
  say place "$1" "$rc" "$3" "$2" "$out"
}
# Without curl's own code (a pipe hides it) its numbers tell: no status, no answer.
curl_code() { case $1 in '') echo 1 ;; 000*) echo 7 ;; *) echo 0 ;; esac; }
while [ $# -ge 3 ]; do
  ask "$1" "$2" '' &
  if [ -n "$3" ]; then
    v=$(value "$3")
    tail=
    case $3 in HF_ENDPOINT) tail=/gpt2/resolve/main/config.json ;; PIP_INDEX_URL) tail=/pip/ ;; esac
    case $v in
      http://* | https://*) ask "$1" "${v%/}$tail" "$3" & ;;
    esac
  fi
  shift 3
done
wait
`

// Reached is what came of asking an address from the instance. Times that weren't
// measured are nil.
type Reached struct {
	Probe
	// Used says that it is the address that a variable of the instance leads to:
	// what programs there will use.
	Used  bool
	Asked string // host that was asked
	Host  string // host that answered in the end
	IP    string // its address, "" where it isn't shown
	Code  int    // HTTP status, 0 for none
	// Fault says what was in the way: "", "dns", "connect", "timeout", "tls", "tool"
	// (none was there to ask with) or "unknown".
	Fault                       string
	Lookup, Connect, First, All *time.Duration
	Size                        int64
	Verdict                     guide.Verdict

	n int // of the probe
}

// Ways is what an instance says about its ways out.
type Ways struct {
	Places  []Reached
	Servers []string // that resolve names, as the instance has them
	// Vars are the variables set there that lead programs elsewhere, values cleaned.
	Vars  map[string]string
	Whole bool // the instance told it to the end
}

// Reach asks addresses from the instance: a megabyte of each at most, a dozen
// seconds. The error is that of the link.
func Reach(ctx context.Context, r guide.Runner, probes []Probe) (Ways, error) {
	probes = probes[:min(len(probes), 24)]
	var args []string
	for i, p := range probes {
		args = append(args, strconv.Itoa(i), p.URL, p.Env)
	}
	told, err := script.Run(ctx, script.Params{Runner: r, Text: reachText, Args: args, Timeout: 45 * time.Second, Limit: 256 << 10})
	return readWays(told, probes), err
}

// readWays reads what an instance told about addresses.
func readWays(t script.Told, probes []Probe) Ways {
	w := Ways{Whole: t.Whole, Vars: map[string]string{}}
	if r, ok := t.One("resolv"); ok {
		for _, line := range strings.Split(guide.Clean([]byte(r.Field(0)), 2000), "\n") {
			f := strings.Fields(line)
			if len(f) > 1 && f[0] == "nameserver" && len(w.Servers) < 8 {
				if a, err := netip.ParseAddr(f[1]); err == nil {
					w.Servers = append(w.Servers, a.String())
				}
			}
		}
	}
	if r, ok := t.One("vars"); ok {
		for _, block := range []string{r.Field(1), r.Field(0)} { // what a login shell sets comes first
			for _, line := range strings.Split(guide.Clean([]byte(block), 8000), "\n") {
				name, value, ok := strings.Cut(line, "=")
				if _, known := w.Vars[name]; ok && !known && value != "" && variable.MatchString(name) && len(w.Vars) < 16 {
					w.Vars[name] = bare(value)
				}
			}
		}
	}
	for _, r := range t.Of("place") {
		n, err := strconv.Atoi(r.Field(0))
		if err != nil || n < 0 || n >= len(probes) || len(w.Places) >= 2*len(probes) {
			continue
		}
		p := readPlace(r, probes[n])
		p.n = n
		w.Places = append(w.Places, p)
	}
	// They end in any order; what is really used stands behind what was asked.
	slices.SortStableFunc(w.Places, func(a, b Reached) int {
		if a.n != b.n || a.Used == b.Used {
			return a.n - b.n
		}
		if b.Used {
			return -1
		}
		return 1
	})
	return w
}

var variable = guide.Regexp(`^[A-Za-z_]{1,40}$`)

// bare is an address without the name and password that a proxy's may hold.
func bare(s string) string {
	if u, err := url.Parse(s); err == nil && u.User != nil {
		u.User = nil
		return u.String()
	}
	if scheme, rest, ok := strings.Cut(s, "://"); ok && strings.Contains(rest, "@") {
		return scheme + "://" + rest[strings.LastIndexByte(rest, '@')+1:]
	}
	return s
}

// readPlace reads one answer: number, curl's code, variable, address, numbers.
func readPlace(r script.Record, p Probe) Reached {
	out := Reached{Probe: p, Used: r.Field(2) != "", Verdict: guide.Warn}
	asked := guide.Clean([]byte(r.Field(3)), 2000)
	if out.Used {
		out.URL = bare(asked)
	}
	out.Asked = hostOf(asked)
	out.Host = out.Asked
	rc := r.Field(1)
	f := strings.Fields(guide.Clean([]byte(r.Field(4)), 1500))
	if len(f) >= 8 {
		out.Code, _ = strconv.Atoi(f[0])
		out.Lookup, out.Connect, out.First, out.All = seconds(f[1]), seconds(f[2]), seconds(f[4]), seconds(f[5])
		if v, err := strconv.ParseFloat(f[6], 64); err == nil && v >= 0 && v < 1e12 {
			out.Size = int64(v)
		}
		for _, s := range f[8:] {
			if a, err := netip.ParseAddr(s); err == nil {
				out.IP = a.String()
			} else if h := hostOf(s); h != "" {
				out.Host = h
			}
		}
	}
	out.Fault = out.fault(rc, len(f) >= 8)
	switch {
	case out.Fault == "" && (out.Code == 0 || out.Code < 400):
		out.Verdict = guide.Pass
	case out.Used && out.Fault != "tool" && out.Fault != "unknown":
		out.Verdict = guide.Fail // programs there will go this way
	}
	return out
}

// fault says what was in the way. Where curl has no status, the stage that it
// never came to tells why.
func (r Reached) fault(rc string, numbers bool) string {
	switch {
	case rc == "none":
		return "tool"
	case rc == "w0":
		return ""
	case strings.HasPrefix(rc, "w"):
		return "connect"
	case !numbers:
		return "unknown"
	case r.Code >= 100 && r.Code < 600:
		return ""
	case r.Lookup == nil || *r.Lookup == 0:
		return "dns"
	case r.Connect == nil || *r.Connect == 0:
		if r.All != nil && *r.All >= 5*time.Second {
			return "timeout"
		}
		return "connect"
	case r.All != nil && *r.All >= 11*time.Second:
		return "timeout"
	}
	return "tls"
}

// seconds reads a time of curl; what isn't one is nil.
func seconds(s string) *time.Duration {
	v, err := strconv.ParseFloat(strings.Replace(s, ",", ".", 1), 64)
	if err != nil || math.IsNaN(v) || v < 0 || v > 3600 {
		return nil
	}
	d := time.Duration(v * float64(time.Second))
	return &d
}

// Says tells what came of one address, in a sentence that names the host.
func (r Reached) Says() texts.Phrase {
	host := r.Asked
	if host == "" {
		host = texts.Dash
	}
	args := []any{"host", host, "to", r.Host, "code", r.Code}
	first := texts.Dash
	if r.First != nil && *r.First > 0 {
		first = ms(*r.First)
	}
	args = append(args, "first", first)
	switch {
	case r.Fault != "":
		return texts.P("network.reach.fault."+r.Fault, args...)
	case r.Code >= 400:
		return texts.P("network.reach.refused", args...)
	case r.Host != r.Asked && r.Host != "":
		return texts.P("network.reach.elsewhere", args...)
	case private(r.IP):
		return texts.P("network.reach.private", args...)
	case r.First == nil:
		return texts.P("network.reach.plain", args...)
	}
	return texts.P("network.reach.good", args...)
}

// Says tells all ways in one sentence.
func (w Ways) Says() texts.Phrase {
	good := 0
	var near *Reached
	for i, r := range w.Places {
		if r.Verdict != guide.Pass {
			continue
		}
		good++
		if r.First != nil && (near == nil || *r.First < *near.First) {
			near = &w.Places[i]
		}
	}
	switch {
	case len(w.Places) == 0:
		return texts.P("network.reach.nothing")
	case near == nil:
		return texts.P("network.reach.all", "good", good, "n", len(w.Places))
	}
	return texts.P("network.reach.near", "good", good, "n", len(w.Places), "host", near.Asked, "first", ms(*near.First))
}

package remote

import (
	"slices"
	"strconv"
	"strings"
)

// Config is the user's ssh config as far as it could be read. It is immutable
// and safe for use from several goroutines.
type Config struct {
	blocks []configBlock
	home   string
}

// Aliases returns the names of the config that stand for one machine, in the
// order of the file: no wildcards, no negations.
func (c *Config) Aliases() []string {
	var names []string
	if c == nil {
		return nil
	}
	for _, b := range c.blocks {
		if b.match {
			continue
		}
		for _, p := range b.patterns {
			if !strings.ContainsAny(p, "*?!") && checkHost(p) && !slices.Contains(names, p) {
				names = append(names, p)
			}
		}
	}
	return names
}

// Has reports whether the config says something about exactly this name.
func (c *Config) Has(alias string) bool { return slices.Contains(c.Aliases(), alias) }

// Resolve fills in what the login leaves open from the config: what stands in
// the login wins, then the first value that the config gives. Jump hosts are
// resolved under their own names. Notices say what of the config is left out.
func (c *Config) Resolve(l Login) (Login, []Notice) {
	var r resolver
	r.c = c
	out := r.resolve(l, 0)
	return out, r.notices
}

type resolver struct {
	c       *Config
	notices []Notice
}

func (r *resolver) resolve(l Login, depth int) Login {
	alias := l.Host
	p := &loginParser{l: l}
	p.l.Notices = nil
	p.l.Options = make(map[string]string, len(l.Options))
	for k, v := range l.Options {
		p.l.Options[k] = v
	}
	p.l.Identities = slices.Clone(l.Identities)
	p.l.Certificates = slices.Clone(l.Certificates)
	p.l.Forwards = nil
	if l.Port != 0 {
		p.port = strconv.Itoa(l.Port)
	}
	jumpSet := len(l.Jumps) > 0 || l.ProxyCommand != ""
	user := l.User
	if r.c != nil {
		host := alias
		for _, b := range r.c.blocks {
			if !b.applies(&matchContext{alias: alias, host: host, user: p.l.User, home: r.c.home}) {
				continue
			}
			for _, kv := range b.values {
				r.apply(p, kv, &jumpSet)
			}
			if h := p.l.Options["HostName"]; h != "" {
				host = h
			}
		}
	}
	out := p.l
	if user != "" {
		out.User = user
	}
	if p.port != "" {
		out.Port, _ = strconv.Atoi(p.port)
	}
	out.Password, out.Command, out.Forwards, out.Notices = l.Password, l.Command, l.Forwards, l.Notices
	r.tokens(&out, alias)
	if len(out.Options) == 0 {
		out.Options = nil
	}
	out.Jumps = r.jumps(out.Jumps, depth)
	return out
}

// apply takes one value of the config unless the login or an earlier value
// settled it.
func (r *resolver) apply(p *loginParser, kv configValue, jumpSet *bool) {
	name := strings.ToLower(kv.key)
	switch name {
	case "proxyjump", "proxycommand":
		if *jumpSet {
			return
		}
		*jumpSet = true // the first of the two counts, "none" too
	case "localforward", "remotecommand":
		return // the config's own; nothing of it is opened or run here
	case "user":
		if p.l.User != "" {
			return
		}
	}
	before := len(p.l.Notices)
	if err := p.set(kv.key, kv.value); err != nil {
		r.notice("config-line", "file", kv.file, "line", strconv.Itoa(kv.line), "text", Clean(kv.key+" "+kv.value))
		return
	}
	for _, n := range p.l.Notices[before:] {
		if n.Code == "option-ignored" { // hundreds of options have no meaning here; silence is right
			continue
		}
		n.Args["file"], n.Args["line"] = kv.file, strconv.Itoa(kv.line)
		r.notices = append(r.notices, n)
	}
	p.l.Notices = p.l.Notices[:before]
}

func (r *resolver) notice(code string, pairs ...string) {
	n := Notice{Code: code, Args: make(map[string]string)}
	for i := 0; i+1 < len(pairs); i += 2 {
		n.Args[pairs[i]] = pairs[i+1]
	}
	r.notices = append(r.notices, n)
}

// tokens fills %h and its like where ssh does.
func (r *resolver) tokens(l *Login, alias string) {
	home := ""
	if r.c != nil {
		home = r.c.home
	}
	if h := l.Options["HostName"]; strings.Contains(h, "%") {
		h = strings.NewReplacer("%h", alias, "%n", alias, "%%", "%").Replace(h)
		delete(l.Options, "HostName")
		if checkHost(h) {
			l.Options["HostName"] = h
		} else {
			r.notice("config-line", "file", "", "line", "", "text", Clean("HostName "+h))
		}
	}
	if h := l.Options["HostName"]; h == alias {
		delete(l.Options, "HostName")
	}
	for i, id := range l.Identities {
		l.Identities[i] = expandTokens(id, *l, alias, home)
	}
	for i, c := range l.Certificates {
		l.Certificates[i] = expandTokens(c, *l, alias, home)
	}
}

// jumps resolves every jump host under its own name. The first one's own jumps
// come before it, as in ssh.
func (r *resolver) jumps(jumps []Login, depth int) []Login {
	if len(jumps) == 0 || depth > maxJumps {
		return nil
	}
	var all []Login
	for i, j := range jumps {
		full := r.resolve(j, depth+1)
		if i == 0 {
			all = append(all, full.Jumps...)
		}
		full.Jumps = nil
		all = append(all, full)
	}
	if len(all) > maxJumps+1 { // a ring; Dial names it
		all = all[len(all)-maxJumps-1:]
	}
	return all
}

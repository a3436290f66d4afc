package track

import (
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"

	"rentgen/app/guide"
	"rentgen/app/provider"
	"rentgen/assets/texts"
)

// prefill fills the fields of an item from the profile, the login host and what
// was checked. It never overwrites what the user wrote.
func (p *MakeParams) prefill(v *ItemView) {
	seen := func(field string, id guide.CheckID, fact string, write func(any) string) {
		j, ok := p.Elsewhere(p.Main, id)
		if !ok {
			j, ok = p.Elsewhere(guide.Network, id)
		}
		if ok && j.Outcome.Facts[fact] != nil && Aged(j.Record, p.Instance, p.Now) == StaleNot {
			v.fillIn(field, guide.Clean([]byte(write(j.Outcome.Facts[fact])), 300), texts.P("track.filled.check", "check", CheckName(id)))
		}
	}
	for field, f := range p.Measured[v.Item.ID] {
		v.fillIn(field, f.Value, f.Why)
	}
	switch v.Item.ID {
	case ItemRegion:
		p.prefillRegion(v)
	case "image":
		seen("torch", guide.TorchCUDA, "torch_version", text)
		seen("cuda", guide.TorchCUDA, "torch_cuda", text)
	case "size":
		seen("card", guide.GPUSMI, "names", first)
		seen("cores", guide.CPUCgroup, "effective_cores", number(1, ""))
		seen("ram", guide.MemCgroup, "effective_gib", number(0, "GiB"))
		seen("disk", guide.DiskDf, "root_total_gib", number(0, "GiB"))
		seen("mbps", guide.NetCurl, "speed_mb_s", megabits)
	case "group":
		seen("ports", guide.SecPorts, "public_ports", ports)
	case "bandwidth":
		seen("down", guide.NetCurl, "speed_mb_s", megabits)
	case "nat":
		var list []string
		for _, s := range p.Profile.Services {
			if s.Port > 0 {
				list = append(list, strconv.Itoa(s.Port))
			}
		}
		v.fillIn("ports", strings.Join(list, ", "), p.fromProfile())
	case "billing":
		if p.Needs.PriceHour != "" {
			v.fillIn("mode", "metered", texts.P("track.filled.bill", "price", p.Needs.PriceHour))
		}
	}
}

func (p *MakeParams) fromProfile() texts.Phrase {
	return texts.P("track.filled.profile", "provider", func(c *texts.Catalogue) string { return p.Profile.NameIn(c.Lang) })
}

// prefillRegion takes the instance's region from the login host, where the
// provider writes it there; a disk of the instance is where the instance is.
func (p *MakeParams) prefillRegion(v *ItemView) {
	region := regionOf(p.LoginHost, p.Profile)
	v.fillIn("instance", region, texts.P("track.filled.host", "host", p.LoginHost))
	if region != "" {
		for _, d := range p.Profile.Dirs {
			if d.Holds == provider.HoldsData {
				v.fillIn("storage", region, p.fromProfile())
			}
		}
	}
	for _, name := range []string{"url", "hf_endpoint"} {
		if u, err := url.Parse(p.Values[name]); err == nil && u.Hostname() != "" {
			v.fillIn("data", u.Hostname(), texts.P("track.filled.value", "value", texts.P("track.value."+name)))
		}
	}
}

// regionOf is the part of a login host that a provider's pattern leaves open:
// "westb" of connect.westb.seetacloud.com under *.seetacloud.com.
func regionOf(host string, p provider.Profile) string {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	for _, h := range p.Hosts {
		domain, wild := strings.CutPrefix(h, "*.")
		label, ok := strings.CutSuffix(host, "."+domain)
		if !wild || !ok || label == "" {
			continue
		}
		label = strings.TrimPrefix(label, "connect.")
		if !strings.Contains(label, ".") && label != "connect" && label != "ssh" {
			return label
		}
	}
	return ""
}

func text(v any) string { return fmt.Sprint(v) }

func first(v any) string {
	switch l := v.(type) {
	case []string:
		if len(l) > 0 {
			return l[0]
		}
	case []any:
		if len(l) > 0 {
			return fmt.Sprint(l[0])
		}
	}
	return ""
}

func number(decimals int, unit string) func(any) string {
	return func(v any) string {
		f := guide.Figure(v)
		if math.IsNaN(f) {
			return ""
		}
		if f == math.Trunc(f) {
			return texts.WithUnit(texts.Number(f, 0), unit)
		}
		return texts.WithUnit(texts.Number(f, decimals), unit)
	}
}

func megabits(v any) string {
	f := guide.Figure(v)
	if math.IsNaN(f) {
		return ""
	}
	return texts.WithUnit(texts.Number(8*f, 0), "Mbit/s")
}

func ports(v any) string {
	var list []string
	for _, f := range guide.Figures(v) {
		list = append(list, strconv.Itoa(int(f)))
	}
	return strings.Join(list, ", ")
}

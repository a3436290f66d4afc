package client

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rentgen/app/guide"
	"rentgen/app/guide/guidetest"
	"rentgen/app/guide/keep"
	"rentgen/app/guide/script"
	"rentgen/app/provider"
	"rentgen/assets/texts"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// picture is a PNG of the standard encoder with chunks behind its header, as
// painting programs put them.
func picture(t *testing.T, chunks ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 4, 4))); err != nil {
		t.Fatal(err)
	}
	const head = 8 + 25 // signature, IHDR
	out := slices.Clone(b.Bytes()[:head])
	for _, c := range chunks {
		kind, data := c[:4], []byte(c[4:])
		out = binary.BigEndian.AppendUint32(out, uint32(len(data)))
		body := append([]byte(kind), data...)
		out = append(out, body...)
		out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(body))
	}
	return append(out, b.Bytes()[head:]...)
}

func TestReadPNG(t *testing.T) {
	full := picture(t, "tEXtprompt\x00{}", "tEXtworkflow\x00"+strings.Repeat("w", 1000), "iTXtTitle\x00\x00\x00\x00\x00x", "eXIfdata")
	p, err := readPNG(full)
	want := []TextChunk{{"tEXt", "prompt", 9}, {"tEXt", "workflow", 1009}, {"iTXt", "Title", 11}, {"eXIf", "", 4}}
	if err != nil || p.Cut || !slices.Equal(p.Chunks, want) || !p.Tells() {
		t.Errorf("%+v %v", p, err)
	}
	// A beginning never tells less than it holds, and never more than the whole.
	for n := range full {
		q, err := readPNG(full[:n])
		if n < 8 {
			if err == nil {
				t.Fatalf("%d bytes are no PNG", n)
			}
			continue
		}
		if err != nil || len(q.Chunks) > len(p.Chunks) || !slices.Equal(q.Chunks, p.Chunks[:len(q.Chunks)]) {
			t.Fatalf("%d bytes: %+v %v", n, q, err)
		}
		if len(q.Chunks) < len(p.Chunks) && !q.Cut {
			t.Fatalf("%d bytes: some are missing, and it isn't said", n)
		}
	}
	if p, err := readPNG(picture(t)); err != nil || p.Tells() || p.Cut {
		t.Errorf("%+v %v", p, err)
	}
	if p, err := readPNG(picture(t, "tEXtSoftware\x00x")); err != nil || p.Tells() {
		t.Errorf("%+v %v", p, err)
	}
	if p, _ := readPNG(picture(t, "tEXtparameters\x00a cat")); !p.Tells() {
		t.Error("A1111's settings")
	}
	for _, bad := range []string{"", "GIF89a", "\x89PNG\r\n\x1a\n\xff\xff\xff\xffIHDR", "\x89PNG\r\n\x1a\n\x00\x00\x00\x01\x00\x01\x02\x03"} {
		if _, err := readPNG([]byte(bad)); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

func FuzzReadPNG(f *testing.F) {
	f.Add([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR0123456789012CRC \x00\x00\x00\x08tEXtprompt\x00xCRC \x00\x00\x00\x00IDAT"))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := readPNG(b)
		if err == nil && len(p.Chunks) > maxChunks {
			t.Fatal(len(p.Chunks))
		}
		for _, c := range p.Chunks {
			if len(c.Keyword) > 80 || strings.ContainsAny(c.Keyword, "\x00\x1b") {
				t.Fatalf("%q", c.Keyword)
			}
		}
	})
}

const tcp = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 00000000:1FFC 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1 0 100 0 0 10 0
   1: 0100007F:22B8 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1 0 100 0 0 10 0
   2: 00000000:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1 0 100 0 0 10 0
   3: 0100007F:1FFC 0100007F:9999 01 00000000:00000000 00:00000000 00000000     0        0 1 1 0 100 0 0 10 0
`

const tcp6 = `  sl  local_address                         remote_address                        st
   0: 00000000000000000000000001000000:1EB4 00000000000000000000000000000000:0000 0A 0
   1: 00000000000000000000000000000000:2328 00000000000000000000000000000000:0000 0A 0
   2: 0000000000000000FFFF00000100007F:2329 00000000000000000000000000000000:0000 0A 0
`

func TestPorts(t *testing.T) {
	l := readPorts(strings.Split(tcp+tcp6+"garbage\n 1: ZZ:1 x 0A\n 1: 00000000:0 x 0A\n", "\n"))
	want := []Port{{22, true, "SSH"}, {7860, false, "Stable Diffusion WebUI"}, {8188, true, "ComfyUI"}, {8888, false, "Jupyter"}, {9000, true, ""}, {9001, false, ""}}
	if !slices.Equal(l, want) {
		t.Errorf("%+v", l)
	}
}

func put(t *testing.T, name string, b []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, b, 0o644); err != nil {
		t.Fatal(err)
	}
}

// box is a fake instance with a ComfyUI that has worked for a client.
func box(t *testing.T, sh guidetest.Shell) (Params, string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(s string) string { return filepath.Join(dir, s) }
	put(t, at("proc/net/tcp"), []byte(tcp))
	put(t, at("proc/net/tcp6"), []byte(tcp6))
	put(t, at("proc/sys/kernel/hostname"), []byte("box\n"))
	put(t, at("sys/dev/block/253:1/slaves/dm-0/dm/uuid"), []byte("CRYPT-LUKS2-abc-root\n"))
	put(t, at("sys/dev/block/8:1/size"), []byte("1\n"))
	put(t, at("root/.ssh/authorized_keys"), []byte("# mine\nssh-ed25519 AAAA me\n\nssh-rsa BBBB other\n"))
	put(t, at("root/.bash_history"), []byte("ls client\n"))
	put(t, at("root/ComfyUI/user/comfyui.log"), []byte("got prompt\n"))
	put(t, at("root/ComfyUI/temp/preview.png"), picture(t))
	put(t, at("root/ComfyUI/input/face.jpg"), []byte("jpeg"))
	put(t, at("data/out/telling.png"), picture(t, "tEXtprompt\x00{}"))
	put(t, at("data/out/sub dir/clean.PNG"), picture(t))
	put(t, at("data/out/broken.png"), []byte("no picture"))
	put(t, at("data/out/odd\nname.png"), picture(t))
	for i := range 5 {
		p := at(fmt.Sprintf("data/out/old%d.png", i))
		put(t, p, picture(t))
		if err := os.Chtimes(p, noon, noon.AddDate(-1, 0, 0)); err != nil {
			t.Fatal(err)
		}
	}
	sh.Env = []string{guidetest.Path(), "HOME=" + at("root")}
	seen := func(k keep.Kind, p string) keep.Place {
		return keep.Place{Kind: k, Path: at(p), Real: at(p), State: keep.Seen}
	}
	p, _ := provider.ProfileOf("autodl")
	return Params{
		Runner: sh, Profile: p, Now: noon,
		Survey: keep.Survey{
			Home: at("root"), UIs: []keep.UI{{Kind: keep.ComfyUI, Root: at("root/ComfyUI")}},
			Mounts: []keep.Mount{{Point: "/", FS: "overlay", Device: "0:55"}, {Point: at("data"), FS: "ext4", Device: "253:1"}, {Point: at("root/ComfyUI/input"), FS: "ext4", Device: "8:1"}},
			Places: []keep.Place{seen(keep.Inputs, "root/ComfyUI/input"), seen(keep.Pictures, "data/out"), seen(keep.Models, "root/ComfyUI/models")},
		},
	}, dir
}

func TestLook(t *testing.T) {
	for _, sh := range guidetest.Shells() {
		p, dir := box(t, sh)
		l, err := p.at(t.Context(), dir+"/proc", dir+"/sys")
		if err != nil || !l.Whole || !l.PortsRead || l.Keys != 2 || l.Run.Instance == "" {
			t.Fatalf("%v: %+v %v", sh.Command, l, err)
		}
		var got []string
		for _, c := range l.Places {
			got = append(got, fmt.Sprintf("%s %s %d %s", c.Kind, c.Path[len(dir):], c.Files, c.Rest))
		}
		want := []string{
			"inputs /root/ComfyUI/input 1 none", "outputs /data/out 8 dm-crypt", "temp /root/ComfyUI/temp 1 ",
			"logs /root/ComfyUI/user/comfyui.log 1 ", "history /root/.bash_history 1 ",
		}
		if !slices.Equal(got, want) {
			t.Errorf("%v: %q", sh.Command, got)
		}
		if l.PNGs != 8 || len(l.Pictures) != 8 {
			t.Errorf("%v: %d PNGs, %+v", sh.Command, l.PNGs, l.Pictures)
		}
		for _, x := range l.Pictures {
			if x.Bad != strings.HasSuffix(x.Path, "broken.png") || x.PNG.Tells() != strings.HasSuffix(x.Path, "telling.png") {
				t.Errorf("%v: %+v", sh.Command, x)
			}
		}
		if telling, of := l.Telling(); telling != 1 || of != 7 {
			t.Errorf("%v: %d of %d", sh.Command, telling, of)
		}
		var codes []string
		for _, f := range Findings(l) {
			codes = append(codes, f.Code)
		}
		if want := []string{"port", "port_other", "telling", "history", "logs", "temp", "plain", "keys"}; !slices.Equal(codes, want) {
			t.Errorf("%v: %q", sh.Command, codes)
		}
		if Sentence(l).Key != "client.sentence.fail" {
			t.Error(Sentence(l))
		}
		codes = nil
		for _, r := range Readers(l, p.Profile) {
			codes = append(codes, r.ID)
		}
		if want := []string{"provider_crypt", "port", "keys", "image", "backup"}; !slices.Equal(codes, want) {
			t.Errorf("%v: %q", sh.Command, codes)
		}
	}
}

func TestNothingToSee(t *testing.T) {
	sh := guidetest.Shell{Env: []string{guidetest.Path(), "HOME=" + t.TempDir()}}
	p := Params{Runner: sh, Now: noon}
	l, err := p.at(t.Context(), t.TempDir(), t.TempDir())
	if err != nil || l.PortsRead || l.PNGs != -1 || l.Keys != 0 || len(l.Places) != 0 {
		t.Fatalf("%+v %v", l, err)
	}
	if f := Findings(l); len(f) != 1 || f[0].Code != "ports_unread" {
		t.Errorf("%+v", f)
	}
	if Sentence(l).Key != "client.sentence.none" || Sentence(Look{}).Key != "client.sentence.cut" {
		t.Error("what was not looked at is not nothing")
	}
	if Applies(guide.Needs{}) || !Applies(guide.Needs{UnderContract: true}) {
		t.Error("applies")
	}
	r := Readers(Look{Keys: -1, Places: []Place{{Path: "/root/autodl-fs/x", Mount: "/root/autodl-fs"}}}, mustProfile(t, "autodl"))
	if len(r) != 3 || r[0].ID != "provider" || r[1].ID != "network" {
		t.Errorf("%+v", r)
	}
}

func mustProfile(t *testing.T, id string) provider.Profile {
	p, ok := provider.ProfileOf(id)
	if !ok {
		t.Fatal(id)
	}
	return p
}

func TestTexts(t *testing.T) {
	l := Look{
		Places: []Place{{Kind: Trash, Bytes: 1, Path: "/t"}, {Kind: History, Bytes: 1}, {Kind: Temp, Bytes: 1}, {Kind: Logs, Bytes: 1, Rest: NoneSeen}},
		Ports:  []Port{{8188, true, "ComfyUI"}, {9, true, ""}}, Keys: 3, Pictures: []Picture{{PNG: PNG{Chunks: []TextChunk{{Keyword: "prompt"}}}}},
	}
	phrases := []texts.Phrase{Question(), Sentence(l), Sentence(Look{Places: l.Places}), Sentence(Look{Whole: true}), Sentence(Look{})}
	for _, f := range append(Findings(l), Findings(Look{Places: []Place{{Kind: Inputs}}})...) {
		phrases = append(phrases, f.Says, f.Do)
	}
	for _, r := range append(Readers(l, mustProfile(t, "autodl")), Readers(Look{Places: []Place{{Rest: DMCrypt, Mount: "/"}}}, mustProfile(t, "autodl"))...) {
		phrases = append(phrases, r.Says)
	}
	for _, r := range []Rest{DMCrypt, Ecryptfs, NoneSeen, RestUnknown} {
		phrases = append(phrases, r.Says())
	}
	for _, lang := range texts.Langs() {
		c := texts.For(lang)
		for _, p := range phrases {
			if s := c.Say(p); !c.Has(p.Key) || strings.ContainsAny(s, "{}") {
				t.Errorf("%s: %q", p.Key, s)
			}
		}
		for _, k := range Kinds() {
			if !c.Has("client.kind." + string(k)) {
				t.Error(k)
			}
		}
	}
}

func TestRecord(t *testing.T) {
	p, dir := box(t, guidetest.Shell{})
	look := func() Look {
		l, err := p.at(t.Context(), dir+"/proc", dir+"/sys")
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	r := NewRecord(look(), "covers | for\x1b[31m <Acme>", "4090")
	if len(r.Items) != 5 || r.Done() || r.Telling != 1 || !slices.Equal(r.Open, []int{8188, 9000}) {
		t.Fatalf("%+v", r)
	}
	fate := func(r Record, suffix string) Fate {
		for _, i := range r.Items {
			if strings.HasSuffix(i.Place.Path, suffix) {
				return i.Fate
			}
		}
		return "not listed"
	}
	for _, gone := range []string{"data/out", "root/ComfyUI/input", "root/ComfyUI/temp"} {
		if err := os.RemoveAll(filepath.Join(dir, gone)); err != nil {
			t.Fatal(err)
		}
	}
	put(t, filepath.Join(dir, "root/.python_history"), []byte("x"))
	now := r.Keep(filepath.Join(dir, "root/.bash_history"), "nothing of the\nclient's in it", noon).Again(look())
	for suffix, want := range map[string]Fate{
		"/out": Gone, "/input": Gone, "/temp": Gone, "comfyui.log": There, ".bash_history": Kept, ".python_history": There, "nothing": "not listed",
	} {
		if got := fate(now, suffix); got != want {
			t.Errorf("%s: %q, want %q", suffix, got, want)
		}
	}
	if now.Done() || fate(r, "/out") != ToDo {
		t.Error("the list is not finished, and the first one unchanged")
	}
	// neither another instance nor a look that was cut off proves anything
	other := look()
	other.Run.Instance = "another"
	if got := r.Again(other); fate(got, "/out") != Unclear {
		t.Errorf("%+v", got)
	}
	cut := look()
	cut.Whole = false
	if got := r.Again(cut); fate(got, "/out") != Unclear {
		t.Errorf("%+v", got)
	}
	for _, f := range []string{"root/ComfyUI/user/comfyui.log", "root/.python_history"} {
		if err := os.Remove(filepath.Join(dir, f)); err != nil {
			t.Fatal(err)
		}
	}
	if now = now.Again(look()); !now.Done() {
		t.Errorf("%+v", now)
	}
	e, err := now.Entry()
	if back := Records([]guide.Entry{e, {Kind: guide.KindClient, Body: []byte("{}")}}); err != nil || len(back) != 1 || len(back[0].Items) != 6 || !back[0].Done() {
		t.Errorf("%+v %v", back, err)
	}
	for _, lang := range texts.Langs() {
		for _, rec := range []Record{r, now} {
			md := rec.Markdown(texts.For(lang))
			if strings.Contains(md, "<Acme>") || strings.Contains(md, "\x1b") || strings.Contains(md, "client.") || strings.Count(md, "\n| ") != len(rec.Items)+2 {
				t.Error(md)
			}
		}
	}
}

// FuzzLook reads whatever a host may tell, in both scripts.
func FuzzLook(f *testing.F) {
	f.Add([]byte("tok place 31 646972 31203120312030\ntok begin ports\n0: 00000000:1FFC x 0A\nread\ntok end ports\ntok png 2f61 89504e47 .\ntok keys 796573 32\ntok done\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		told := script.Parse("tok", b, 1<<16)
		p := Params{Survey: keep.Survey{Home: "/root", Mounts: []keep.Mount{{Point: "/"}}}}
		l := Look{PNGs: -1, Keys: -1, Places: candidates(p.Survey)}
		n := len(l.Places)
		p.read(&l, told)
		l.readPictures(told)
		if len(l.Places) > n || len(l.Pictures) > pictures {
			t.Fatal("more than was asked for")
		}
		NewRecord(l, "", "").Markdown(texts.For(texts.English))
		Findings(l)
	})
}

package stream

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"rentgen/probe"
	"rentgen/probe/remote"
	"rentgen/probe/wire"
)

// fallback says that our program can't be used on this host and why; simple
// readings are tried instead.
type fallback struct{ reason, detail string }

func (f *fallback) Error() string {
	return "our program can't run there: " + f.reason + ": " + f.detail
}

const (
	helloLimit  = 256 << 10
	helloTime   = 20 * time.Second
	uploadStall = 30 * time.Second // without a byte taken by the link
	uploadChunk = 32 << 10
	shortSHA    = 12 // digits of the content hash in the file's name
)

// prepare decides from the report whether our program can run there; it
// returns the program for the host's processor.
func (h *Host) prepare(r *report) (gz []byte, sha string, err error) {
	switch {
	case r.OS != "Linux":
		return nil, "", &fallback{probe.ReasonNotLinux, r.OS}
	case r.goarch() == "":
		return nil, "", &fallback{probe.ReasonArch, r.Arch}
	case r.Libc == "musl":
		return nil, "", &fallback{probe.ReasonMusl, r.Libc}
	}
	if h.p.Agents != nil {
		gz, sha, ok := h.p.Agents(r.goarch())
		if ok && len(sha) == 64 && len(gz) > 0 {
			return gz, strings.ToLower(sha), nil
		}
	}
	return nil, "", &fallback{probe.ReasonNoAgent, r.goarch()}
}

// launch gets our program running in the session and returns its hello.
// uploaded reports whether it had to be put there.
func (h *Host) launch(ctx context.Context, s *session) (hello wire.Hello, uploaded bool, err error) {
	r := &s.report
	gz, sha, err := h.prepare(r)
	if err != nil {
		return hello, false, err
	}
	if r.Tools["head"] == "" || (r.Tools["sha256sum"] == "" && r.Tools["shasum"] == "" &&
		r.Tools["openssl"] == "" && r.Tools["python3"] == "") {
		return hello, false, &fallback{probe.ReasonUpload, "no head or no sha256sum"}
	}
	s.left = reportLimit
	place := func() (string, error) {
		if r.Dir == "" {
			return "need", nil
		}
		s.guard.set(reportTime)
		if err := s.tell("run", sha, sha[:shortSHA]); err != nil {
			return "", err
		}
		return s.until("start", "need")
	}
	answer, err := place()
	if err != nil {
		return hello, false, h.launchError(s, err)
	}
	if !strings.HasPrefix(answer, "start") {
		uploaded = true
		if err := h.put(ctx, s, gz, sha); err != nil {
			return hello, false, err
		}
	}
	h.stage(StageStart)
	s.guard.set(helloTime)
	hello, before, err := wire.ScanHello(s.out, s.marker, helloLimit)
	if err != nil {
		_, _ = s.said.Write(before)
		return hello, uploaded, h.launchError(s, err)
	}
	s.guard.set(0)
	if hello.Proto != wire.Proto {
		return hello, uploaded, &fallback{probe.ReasonStart, fmt.Sprintf("speaks protocol %d", hello.Proto)}
	}
	if hello.SHA == "" {
		hello.SHA = sha
	}
	if !strings.HasPrefix(sha, strings.ToLower(hello.SHA)) {
		return hello, uploaded, &fallback{probe.ReasonStart, "another program answered: " + clip(hello.SHA, 64)}
	}
	return hello, uploaded, nil
}

// launchError says why no hello came: the wait was given up, or the program
// did not start, with its last words.
func (h *Host) launchError(s *session, err error) error {
	if cause := s.guard.cause(); cause != nil && !errors.Is(cause, errTimedOut) {
		return cause
	}
	s.close(h.clock) // waits for the last words
	detail := s.words()
	var exit *remote.ExitError
	if werr := s.proc.Wait(); errors.As(werr, &exit) {
		if detail != "" {
			detail += "; "
		}
		detail += exit.Error()
	} else if detail == "" {
		detail = err.Error()
	}
	return &fallback{probe.ReasonStart, clip(detail, saidLimit)}
}

// put sends our program until it starts: a broken transfer is tried once more,
// a full disk leads to the next directory, no directory to memory.
func (h *Host) put(ctx context.Context, s *session, gz []byte, sha string) error {
	broken := 0
	for {
		r := &s.report
		memory := r.Dir == ""
		if memory && r.Tools["python3"] == "" {
			full, detail := r.hopeless()
			if full {
				return &fallback{probe.ReasonDisk, detail}
			}
			return &fallback{probe.ReasonNoExec, detail}
		}
		payload, form, size := gz, "gz", int64(len(gz))*3
		if !memory && r.Tools["gzip"] == "" {
			raw, err := unpack(gz)
			if err != nil {
				return &fallback{probe.ReasonUpload, err.Error()}
			}
			payload, form, size = raw, "raw", int64(len(raw))
		}
		q := UploadQuestion{Host: h.p.Name, Size: size, Sent: int64(len(payload))}
		if raw, err := unpack(gz); err == nil {
			q.Size = int64(len(raw))
		}
		if !memory {
			q.Path = r.Dir + "/agent-" + sha[:shortSHA]
		}
		if err := h.consent(ctx, q); err != nil {
			return err
		}
		h.stage(StageUpload)
		answer, err := h.send(ctx, s, memory, payload, form, sha)
		if err != nil {
			if cause := s.guard.cause(); cause != nil && !errors.Is(cause, errTimedOut) {
				return cause
			}
			s.close(h.clock)
			if memory && s.begun {
				return &fallback{probe.ReasonNoExec, clip(strings.Join(r.Tried, "; ")+"; "+s.words(), saidLimit)}
			}
			return &fallback{probe.ReasonUpload, clip(firstOf(s.words(), err.Error()), saidLimit)}
		}
		switch word, rest, _ := strings.Cut(answer, " "); word {
		case "start":
			return nil
		case "again": // the disk was full; the report holds the next directory
		case "bad":
			broken++
			if broken > 1 || memory {
				return &fallback{probe.ReasonUpload, firstOf(rest, "what arrived is not what was sent")}
			}
			if again, sum, err := h.prepare(r); err == nil && sum == sha {
				gz = again
			}
		}
	}
}

// send transfers the payload once and returns the script's answer. The payload
// goes only after the script said that it reads: a shell reads ahead.
func (h *Host) send(ctx context.Context, s *session, memory bool, payload []byte, form, sha string) (string, error) {
	verb := "put"
	if memory {
		verb = "mem"
	}
	s.guard.set(reportTime)
	if err := s.tell(verb, sha, sha[:shortSHA], fmt.Sprint(len(payload)), form); err != nil {
		return "", err
	}
	if _, err := s.until("send"); err != nil {
		return "", err
	}
	for rest := payload; len(rest) > 0; {
		n := min(len(rest), uploadChunk)
		s.guard.set(uploadStall)
		if _, err := s.in.Write(rest[:n]); err != nil {
			break // the script or the loader says why
		}
		rest = rest[n:]
	}
	// What is still under way depends on the link; the program starts after it.
	s.guard.set(4 * uploadStall)
	answer, err := s.until("start", "bad", "again", "full")
	if err == nil && strings.HasPrefix(answer, "full") {
		s.report.Tried = append(s.report.Tried, "full "+s.report.Dir)
		answer, err = s.until("again")
	}
	return answer, err
}

// consent asks once for this host before anything is put on it. A no is not asked
// again when a link breaks.
func (h *Host) consent(ctx context.Context, q UploadQuestion) error {
	if h.p.Consent == nil || h.agreed {
		return nil
	}
	if h.refused {
		return &Error{Kind: KindDeclined, Stage: StageUpload, Err: ErrDeclined}
	}
	if err := h.p.Consent(ctx, q); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		h.refused = errors.Is(err, ErrDeclined)
		return &Error{Kind: KindDeclined, Stage: StageUpload, Err: err}
	}
	h.agreed = true
	return nil
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

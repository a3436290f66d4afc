package cli

import (
	"bytes"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"rentgen/app/purse"
	"rentgen/app/purse/push"
	"rentgen/app/settings"
	"rentgen/assets/texts"
	"rentgen/probe/remote"
	"rentgen/store"
)

// TestPushSecretsAreInNoFile lets a pusher work over the real history and log,
// with a service that refuses and echoes the secret, and reads every file then.
func TestPushSecretsAreInNoFile(t *testing.T) {
	paths := settings.PathsIn(t.TempDir())
	if err := paths.Make(); err != nil {
		t.Fatal(err)
	}
	var redactor settings.Redactor
	log, closing, err := settings.OpenLog(paths.Log, &redactor)
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), store.Params{Dir: paths.Database, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	url, got := robot(t, 403, `{"errcode":1,"errmsg":"`+canary+` and `+canary+`-secret"}`)
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	u, err := push.New(t.Context(), push.Params{
		Store: s, Secrets: remote.NewMemory(), Now: func() time.Time { return now }, Redact: redactor.Secret,
	})
	if err != nil {
		t.Fatal(err)
	}
	held, err := u.Set(t.Context(), "dingtalk", url+"/robot/send?access_token="+canary, canary+"-secret")
	if !held || err != nil {
		t.Fatal(held, err)
	}
	if err := u.Turn(t.Context(), "dingtalk", true); err != nil {
		t.Fatal(err)
	}
	u.Send(purse.Alert{ID: "idle-1", Kind: purse.AlertIdle, At: now, Say: texts.P("alert.idle")})
	err = u.Test(t.Context(), "dingtalk")
	if err == nil || len(*got) != 1 || !bytes.Contains([]byte((*got)[0]), []byte(canary)) {
		t.Fatalf("%v, sent %q", err, *got)
	}
	log.Warn("push", slog.Any("err", err), slog.Any("targets", u.Targets()))
	log.Warn("a careless line about " + canary + "-secret")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := closing.Close(); err != nil {
		t.Fatal(err)
	}
	files, bytesRead := 0, 0
	err = filepath.WalkDir(paths.Home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		files, bytesRead = files+1, bytesRead+len(b)
		if bytes.Contains(b, []byte(canary)) {
			t.Errorf("%s holds the secret", filepath.Base(path))
		}
		return err
	})
	if err != nil || files < 2 || bytesRead == 0 {
		t.Errorf("read %d files, %d bytes: %v", files, bytesRead, err)
	}
}

package ui

import (
	"path/filepath"
	"testing"

	"rentgen/app/settings"
)

func TestOlderSettingsNeverOverwriteNewerOnes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	s := settings.Default(path)
	var w saver
	s.Theme = "dark"
	first := w.save(s)
	s.Theme = "light"
	second := w.save(s)
	for _, write := range []func() error{second, first} {
		if err := write(); err != nil {
			t.Fatal(err)
		}
	}
	w.wait()
	got, err := settings.Load(path)
	if err != nil || got.Theme != "light" {
		t.Errorf("kept %q, %v; the last choice was light", got.Theme, err)
	}
}

func TestSettingsAreWrittenAsTheyWereWhenHandedOver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	s := settings.Default(path)
	var w saver
	s.Theme = "dark"
	write := w.save(s)
	s.Theme = "light" // not yet handed over
	if err := write(); err != nil {
		t.Fatal(err)
	}
	if got, _ := settings.Load(path); got.Theme != "dark" {
		t.Errorf("kept %q", got.Theme)
	}
}

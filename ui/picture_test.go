package ui

import (
	"errors"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/storage"
	"fyne.io/fyne/v2/test"

	"rentgen/assets/texts"
)

// brokenFile is a file on a full disk.
type brokenFile struct{ fyne.URIWriteCloser }

func (brokenFile) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestAPictureIsWrittenInTheBackground(t *testing.T) {
	test.NewTempApp(t)
	var slow []func()
	said := 0
	w := &Window{c: texts.For(texts.English), p: Params{
		Go: func(f func()) { slow = append(slow, f) },
		Do: func(func()) { said++ },
	}}
	path := filepath.Join(t.TempDir(), "a.png")
	for _, broken := range []bool{false, true} {
		out, err := storage.Writer(storage.NewFileURI(path))
		if err != nil {
			t.Fatal(err)
		}
		if broken {
			out = brokenFile{out}
		}
		w.writePicture(out, image.NewGray(image.Rect(0, 0, 40, 30)))
		if b, _ := os.ReadFile(path); len(b) != 0 {
			t.Fatal("written on the UI thread")
		}
		slow[len(slow)-1]()
		f, err := os.Open(path)
		if broken {
			if err == nil || said != 1 {
				t.Errorf("half a picture stays: %v, said %d times", err == nil, said)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(f)
		_ = f.Close()
		if err != nil || img.Bounds().Dx() != 40 || said != 0 {
			t.Errorf("read back: %v, said %d times", err, said)
		}
	}
}

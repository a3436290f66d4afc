// Appicon draws assets/icons/app.svg into assets/icons/app.png.
//
//	go run ./.ci/tools/appicon
package main

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"os"

	"github.com/srwiley/oksvg"
	"github.com/srwiley/rasterx"
)

const size = 512

func main() {
	if err := draw("assets/icons/app.svg", "assets/icons/app.png"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func draw(from, to string) error {
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	icon, err := oksvg.ReadIconStream(bytes.NewReader(b), oksvg.StrictErrorMode)
	if err != nil {
		return fmt.Errorf("read %s: %w", from, err)
	}
	icon.SetTarget(0, 0, size, size)
	img := image.NewRGBA(image.Rect(0, 0, size, size))
	icon.Draw(rasterx.NewDasher(size, size, rasterx.NewScannerGV(size, size, img, img.Bounds())), 1)
	var out bytes.Buffer
	e := png.Encoder{CompressionLevel: png.BestCompression}
	if err := e.Encode(&out, img); err != nil {
		return err
	}
	return os.WriteFile(to, out.Bytes(), 0o644)
}

package test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"os"
	"path"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/llmtest"
)

// picture writes a picture without a pattern, so that it cannot be packed: picture NAME.png WIDTH HEIGHT
func picture(ts *testscript.TestScript, _ bool, args []string) {
	w, err := strconv.Atoi(args[1])
	ts.Check(err)
	h, err := strconv.Atoi(args[2])
	ts.Check(err)
	m, random := image.NewPaletted(image.Rect(0, 0, w, h), nil), rand.New(rand.NewPCG(1, 2))
	for i := range 256 {
		m.Palette = append(m.Palette, color.RGBA{uint8(i), uint8(i * 7), uint8(i * 31), 255})
	}
	for i := range m.Pix {
		m.Pix[i] = uint8(random.Uint32())
	}
	var b bytes.Buffer
	switch path.Ext(args[0]) {
	case ".gif":
		err = gif.Encode(&b, m, nil)
	case ".jpg":
		err = jpeg.Encode(&b, m, nil)
	default:
		err = png.Encode(&b, m)
	}
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b.Bytes(), 0o666))
}

// attached says what a server was sent besides text.
func attached(a llmtest.Ask) string {
	var all []string
	for _, m := range a.Messages {
		for _, p := range m.Parts {
			x, ok := p.(llm.Attachment)
			if !ok {
				continue
			}
			c, _, _ := image.DecodeConfig(bytes.NewReader(x.Data))
			all = append(all, fmt.Sprintf("%s %s %dx%d %t", x.MIME, x.Name, c.Width, c.Height, len(x.Data) < 3_900_000))
		}
	}
	return strings.Join(all, "; ")
}

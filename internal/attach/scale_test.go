package attach

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"os"
	"runtime"
	"strings"
	"testing"
)

// claims is a small PNG that says of itself that it has so many pixels.
func claims(w, h uint32, depth, colour, interlace byte) []byte {
	head := binary.BigEndian.AppendUint32(nil, w)
	head = append(binary.BigEndian.AppendUint32(head, h), depth, colour, 0, 0, interlace)
	var small bytes.Buffer
	png.Encode(&small, image.NewNRGBA(image.Rect(0, 0, 1, 1)))
	body := small.Bytes()
	copy(body[16:], head)
	binary.BigEndian.PutUint32(body[29:], crc32.ChecksumIEEE(body[12:29]))
	return body
}

// A few bytes that claim to be a large picture are refused before memory is taken for it.
func TestPictureBombs(t *testing.T) {
	gif := append([]byte("GIF89a\xff\xff\xff\xff\xf7\x00\x00"), make([]byte, 768)...)
	gif = append(gif, ",\x00\x00\x00\x00\xff\xff\xff\xff\x00\x08\x00;"...)
	padded := append(claims(9000, 9000, 16, 6, 0), make([]byte, 8<<20)...)
	for name, body := range map[string][]byte{
		"square":                  claims(65535, 65535, 8, 6, 0),
		"overflows":               claims(1<<31-1, 1<<31-1, 8, 6, 0),
		"a thin line":             claims(99_000_000, 1, 8, 6, 0),
		"a tall line":             claims(1, 99_000_000, 1, 0, 0),
		"sixteen bits":            padded,
		"interlaced":              claims(5000, 5000, 16, 6, 1),
		"within the limits":       claims(8000, 8000, 8, 6, 0),
		"a GIF":                   gif,
		"nothing wide":            claims(0, 10, 8, 6, 0),
		"a damaged one of a page": claims(3000, 3000, 8, 6, 0),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Read("p.png", body)
		runtime.ReadMemStats(&after)
		if took := (after.TotalAlloc - before.TotalAlloc) >> 20; err == nil || took > 40 {
			t.Errorf("%s: %d bytes took %d MB, and %v", name, len(body), took, err)
		}
	}
}

// What is not a picture by its bytes is none by its name, and never text that runs somewhere.
func TestWrongTypes(t *testing.T) {
	for name, body := range map[string]string{"x.svg": `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`, "p.png": "<svg/>",
		"p.pdf": "<html><script>alert(1)</script>", "e.png": "", "p.webp": "RIFF\x00\x00\x00\x00WEBPVP8 ", "n.ipynb": strings.Repeat("[", 1<<20)} {
		if f, err := Read(name, []byte(body)); err == nil {
			t.Errorf("%s became %+v", name, f)
		}
	}
}

// A picture that is really so large is scaled.
func TestLargePicture(t *testing.T) {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 9000, 3000))); err != nil {
		t.Fatal(err)
	}
	a, err := Picture(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if c, _, err := image.DecodeConfig(bytes.NewReader(a.Data)); err != nil || c.Width != mostSide || c.Height != 666 {
		t.Errorf("it became %d × %d, %v", c.Width, c.Height, err)
	}
}

// A photo that says how the camera was held is sent the right way up, whatever its size; what it says in a damaged way is passed over.
func TestTurned(t *testing.T) {
	src := image.NewRGBA(image.Rect(0, 0, 40, 20)) // its upper left corner is white
	draw.Draw(src, src.Rect, image.NewUniform(color.RGBA{A: 255}), image.Point{}, draw.Src)
	draw.Draw(src, image.Rect(0, 0, 20, 10), image.White, image.Point{}, draw.Src)
	var plain bytes.Buffer
	if err := jpeg.Encode(&plain, src, nil); err != nil {
		t.Fatal(err)
	}
	says := func(o byte) []byte {
		exif := append([]byte("Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00"), o, 0, 0, 0, 0, 0, 0)
		head := append([]byte{0xff, 0xd8, 0xff, 0xe1}, binary.BigEndian.AppendUint16(nil, uint16(len(exif)+2))...)
		return append(append(head, exif...), plain.Bytes()[2:]...)
	}
	for o, corner := range map[byte]string{1: "left top", 2: "right top", 3: "right bottom", 4: "left bottom", 5: "left top", 6: "right top",
		7: "right bottom", 8: "left bottom", 9: "left top", 0: "left top"} {
		a, err := Picture(says(o))
		if err != nil {
			t.Fatal(o, err)
		}
		got, err := jpeg.Decode(bytes.NewReader(a.Data))
		if err != nil {
			t.Fatal(o, err)
		}
		w, h := got.Bounds().Dx(), got.Bounds().Dy()
		if tall := h > w; tall != (o > 4 && o < 9) {
			t.Errorf("%d is %d × %d", o, w, h)
		}
		for x, side := range map[int]string{2: "left", w - 3: "right"} {
			for y, edge := range map[int]string{2: "top", h - 3: "bottom"} {
				if r, _, _, _ := got.At(x, y).RGBA(); (r > 0x8000) != (side+" "+edge == corner) {
					t.Errorf("%d: the %s %s is %x", o, side, edge, r)
				}
			}
		}
	}
	for n := range len(says(6)) {
		orientation(says(6)[:n])
	}
}

// What is drawn here is read within the same bounds as what is sent, and never larger than it has room for.
func TestSmall(t *testing.T) {
	var body bytes.Buffer
	if err := png.Encode(&body, image.NewRGBA(image.Rect(0, 0, 400, 100))); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ room, want image.Point }{
		{image.Pt(480, 240), image.Pt(400, 100)},
		{image.Pt(200, 240), image.Pt(200, 50)},
		{image.Pt(480, 20), image.Pt(80, 20)},
	} {
		m, err := Small(body.Bytes(), c.room)
		if err != nil || m.Bounds().Size() != c.want {
			t.Errorf("in %v: %v, %v", c.room, m, err)
		}
	}
	for name, bad := range map[string][]byte{"nothing": nil, "text": []byte("hello"), "a bomb": claims(1900, 1900, 8, 6, 0),
		"huge": claims(60000, 60000, 8, 6, 0), "a head alone": body.Bytes()[:40]} {
		if m, err := Small(bad, image.Pt(100, 100)); err == nil {
			t.Errorf("%s: %v", name, m.Bounds())
		}
	}
}

// WebP pictures are scaled like others: with loss, without, and with places that can be seen through. One that moves has no decoder.
func TestWebP(t *testing.T) {
	for name, want := range map[string]struct {
		left  color.NRGBA
		right color.NRGBA
	}{
		"lossy.webp":    {color.NRGBA{200, 30, 40, 255}, color.NRGBA{20, 40, 220, 255}},
		"lossless.webp": {color.NRGBA{200, 30, 40, 255}, color.NRGBA{20, 40, 220, 255}},
		"clear.webp":    {color.NRGBA{200, 30, 40, 255}, color.NRGBA{}},
	} {
		body, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := Read(name, body)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got, kind, err := image.Decode(bytes.NewReader(f.Attachments[0].Data))
		if err != nil || kind != "png" || got.Bounds().Dx() != mostSide {
			t.Errorf("%s became %s of %v: %v", name, kind, got.Bounds(), err)
			continue
		}
		for x, want := range map[int]color.NRGBA{100: want.left, 1900: want.right} {
			if is := color.NRGBAModel.Convert(got.At(x, 1)).(color.NRGBA); far(is, want) {
				t.Errorf("%s is %v at %d, want %v", name, is, x, want)
			}
		}
	}
	body, err := os.ReadFile("testdata/moving.webp")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Read("moving.webp", body); err == nil || !strings.Contains(err.Error(), "is animated") {
		t.Errorf("a moving picture: %v", err)
	}
	body[len(body)/2] ^= 0xff // whatever it is then, nothing breaks
	Read("moving.webp", body)
}

// far says whether two colours differ by more than what is lost in a picture; what cannot be seen has none.
func far(a, b color.NRGBA) bool {
	if a.A < 8 && b.A < 8 {
		return false
	}
	for _, d := range []int{int(a.R) - int(b.R), int(a.G) - int(b.G), int(a.B) - int(b.B), int(a.A) - int(b.A)} {
		if d < -12 || d > 12 {
			return true
		}
	}
	return false
}

package attach

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	_ "image/gif" // the first picture of one that moves
	"image/jpeg"
	"image/png"

	"github.com/socrates-cli/socrates/internal/llm"
)

// What every vendor takes of one picture.
const (
	mostSide   = 2000        // pixels
	mostSent   = 3750 << 10  // bytes: 5 MB in base64
	mostPixels = 100_000_000 // of one that is decoded to be scaled, which takes up to eight bytes each
)

// fit passes a picture on as it is, or makes it smaller.
func fit(kind string, body []byte) (llm.Attachment, error) {
	w, h, err := dimensions(kind, body)
	switch {
	case err != nil:
		return llm.Attachment{}, errors.New("the picture is damaged")
	case w <= mostSide && h <= mostSide && len(body) <= mostSent:
		return llm.Attachment{MIME: kind, Data: body}, nil
	case kind == "image/webp":
		return llm.Attachment{}, fmt.Errorf("the WebP picture has %d × %d pixels and %d KB; vendors take %d a side and %d KB, "+
			"and only PNG, JPEG and GIF are scaled here: convert it to PNG", w, h, len(body)>>10, mostSide, mostSent>>10)
	case w*h > mostPixels:
		return llm.Attachment{}, fmt.Errorf("the picture has %d × %d pixels; up to %d megapixels are scaled", w, h, mostPixels/1_000_000)
	}
	src, _, err := image.Decode(bytes.NewReader(body))
	if err != nil {
		return llm.Attachment{}, errors.New("the picture is damaged")
	}
	for side := mostSide; side >= 250; side = side * 3 / 4 {
		small := shrink(src, side)
		if kind != "image/jpeg" {
			if a, ok := encode("image/png", func(b *bytes.Buffer) error { return png.Encode(b, small) }); ok {
				return a, nil
			}
		}
		flat := image.NewRGBA(small.Bounds())
		draw.Draw(flat, flat.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
		draw.Draw(flat, flat.Bounds(), small, image.Point{}, draw.Over)
		if a, ok := encode("image/jpeg", func(b *bytes.Buffer) error { return jpeg.Encode(b, flat, &jpeg.Options{Quality: 88}) }); ok {
			return a, nil
		}
	}
	return llm.Attachment{}, errors.New("the picture cannot be made small enough")
}

// encode is a picture in a form; false if it is too large in it.
func encode(kind string, write func(*bytes.Buffer) error) (llm.Attachment, bool) {
	var b bytes.Buffer
	if err := write(&b); err != nil || b.Len() > mostSent {
		return llm.Attachment{}, false
	}
	return llm.Attachment{MIME: kind, Data: b.Bytes()}, true
}

// shrink makes a picture fit a square: each pixel is the mean of those it takes the place of. One that fits stays as large.
// It holds a band of the original at a time, so that no second copy of it is needed.
func shrink(src image.Image, side int) *image.RGBA {
	b := src.Bounds()
	w, h := b.Dx(), b.Dy()
	long := max(w, h)
	if side > long {
		side = long
	}
	out := image.NewRGBA(image.Rect(0, 0, max(1, w*side/long), max(1, h*side/long)))
	nw, nh := out.Rect.Dx(), out.Rect.Dy()
	band := image.NewRGBA(image.Rect(0, 0, w, h/nh+2))
	for y := range nh {
		top, bottom := y*h/nh, max((y+1)*h/nh, y*h/nh+1)
		draw.Draw(band, image.Rect(0, 0, w, bottom-top), src, image.Pt(b.Min.X, b.Min.Y+top), draw.Src)
		for x := range nw {
			left, right := x*w/nw, max((x+1)*w/nw, x*w/nw+1)
			var sum [4]int
			for row := range bottom - top {
				for _, p := range pixels(band, row, left, right) {
					for i := range sum {
						sum[i] += int(p[i])
					}
				}
			}
			n := (right - left) * (bottom - top)
			at := out.PixOffset(x, y)
			for i := range sum {
				out.Pix[at+i] = uint8((sum[i] + n/2) / n)
			}
		}
	}
	return out
}

// pixels are those of a row from left to right.
func pixels(m *image.RGBA, row, left, right int) (out [][4]uint8) {
	line := m.Pix[row*m.Stride+left*4 : row*m.Stride+right*4]
	for ; len(line) >= 4; line = line[4:] {
		out = append(out, [4]uint8(line[:4]))
	}
	return out
}

// dimensions of a picture, of which only the beginning is looked at.
func dimensions(kind string, body []byte) (w, h int, err error) {
	if kind == "image/webp" {
		return webp(body)
	}
	c, _, err := image.DecodeConfig(bytes.NewReader(body))
	return c.Width, c.Height, err
}

// webp reads the head of a WebP picture (RFC 9649): the standard library has no decoder of it.
func webp(body []byte) (w, h int, err error) {
	if len(body) < 30 {
		return 0, 0, errors.New("too short")
	}
	le := binary.LittleEndian
	switch string(body[12:16]) {
	case "VP8 ":
		return int(le.Uint16(body[26:])) & 0x3fff, int(le.Uint16(body[28:])) & 0x3fff, nil
	case "VP8L":
		bits := le.Uint32(body[21:])
		return int(bits&0x3fff) + 1, int(bits>>14&0x3fff) + 1, nil
	case "VP8X":
		return int(le.Uint32(body[23:])>>8) + 1, int(le.Uint32(body[26:])>>8) + 1, nil
	}
	return 0, 0, errors.New("unknown form")
}

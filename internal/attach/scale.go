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
	"net/http"

	_ "golang.org/x/image/webp"

	"github.com/socrates-cli/socrates/internal/llm"
)

// What every vendor takes of one picture.
const (
	mostSide = 2000       // pixels
	mostSent = 3750 << 10 // bytes: 5 MB in base64
)

// What is decoded to be scaled at most: a few bytes can claim to be any number of pixels.
const (
	mostDecoded = 256 << 20     // bytes in memory
	mostPixels  = 100_000_000   // also of those that take less, for the time it takes
	mostLong    = 50 * mostSide // pixels of one side
	mostPacked  = 1100          // how many times larger a PNG can be than its bytes: deflate packs 1,032 into one
)

// fit passes a picture on as it is, or makes it smaller and turns it the right way up.
func fit(kind string, body []byte) (llm.Attachment, error) {
	w, h, each, err := dimensions(kind, body)
	lies := 1
	if kind == "image/jpeg" {
		lies = orientation(body)
	}
	switch {
	case err != nil || w <= 0 || h <= 0:
		return llm.Attachment{}, errors.New("the picture is damaged")
	case w <= mostSide && h <= mostSide && len(body) <= mostSent && lies == 1:
		return llm.Attachment{MIME: kind, Data: body}, nil
	case kind == "image/webp" && moves(body):
		return llm.Attachment{}, fmt.Errorf("the WebP picture is animated and has %d × %d pixels and %d KB; vendors take "+
			"%d a side and %d KB: convert its first frame to PNG", w, h, len(body)>>10, mostSide, mostSent>>10)
	case w > mostLong || h > mostLong || w > min(mostPixels, mostDecoded/each)/h:
		return llm.Attachment{}, fmt.Errorf("the picture has %d × %d pixels, too many to scale here (limit for this format: "+
			"%d megapixels, %d pixels a side); make it smaller first", w, h, min(mostPixels, mostDecoded/each)/1_000_000, mostLong)
	case kind == "image/png" && w*h/8/mostPacked > len(body): // a pixel has a bit at least
		return llm.Attachment{}, errors.New("the picture is damaged")
	}
	src, _, err := image.Decode(bytes.NewReader(body))
	if err != nil {
		return llm.Attachment{}, errors.New("the picture is damaged")
	}
	for side := mostSide; side >= 250; side = side * 3 / 4 {
		small := turned(shrink(src, side), lies)
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

// Small is a picture as it was attached, scaled to fit some pixels. It is for eyes here: no vendor sees it.
func Small(body []byte, room image.Point) (image.Image, error) {
	kind := http.DetectContentType(body)
	w, h, _, err := dimensions(kind, body)
	if err != nil || w <= 0 || h <= 0 || w > mostSide || h > mostSide || kind == "image/webp" && moves(body) ||
		kind == "image/png" && w*h/8/mostPacked > len(body) {
		return nil, errors.New("the picture is damaged, or cannot be read here")
	}
	src, _, err := image.Decode(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	side := max(w, h)
	side = min(side, max(1, side*room.X/w), max(1, side*room.Y/h))
	return shrink(src, side), nil
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
				for line := band.Pix[row*band.Stride+left*4 : row*band.Stride+right*4]; len(line) >= 4; line = line[4:] {
					for i := range sum {
						sum[i] += int(line[i])
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

// dimensions of a picture, of which only the beginning is looked at, and how many bytes a pixel takes once it is decoded.
func dimensions(kind string, body []byte) (w, h, each int, err error) {
	if kind == "image/webp" {
		w, h, err = webp(body)
		return w, h, 8, err // without loss, a transformed picture is held beside the one it becomes
	}
	c, _, err := image.DecodeConfig(bytes.NewReader(body))
	each = 4
	switch c.ColorModel {
	case color.RGBA64Model, color.NRGBA64Model:
		each = 8
	case color.YCbCrModel:
		each = 3
	case color.GrayModel:
		each = 1
	}
	if _, ok := c.ColorModel.(color.Palette); ok {
		each = 1
	}
	if kind == "image/png" && len(body) > interlaced && body[interlaced] != 0 {
		each *= 2 // its passes are pictures of their own
	}
	return c.Width, c.Height, each, err
}

// interlaced is where a PNG says that it is.
const interlaced = 28

// moves says whether a WebP picture has frames, which its decoder does not read.
func moves(body []byte) bool {
	const animated = 0x02
	return len(body) > 20 && string(body[12:16]) == "VP8X" && body[20]&animated != 0
}

// webp reads the head of a WebP picture (RFC 9649), whatever its frames are.
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

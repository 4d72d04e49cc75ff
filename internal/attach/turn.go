package attach

import (
	"bytes"
	"encoding/binary"
	"image"
)

// orientation is how a JPEG says that it is to be turned, as Exif has it: 1 to 8; 1: not at all. Cameras store what they see and say how
// they were held; whoever decodes or passes a picture on without that shows it lying on its side.
func orientation(body []byte) int {
	for at := 2; at+4 <= len(body) && body[at] == 0xff && body[at+1] != 0xda; { // segments, up to the picture itself
		n := int(binary.BigEndian.Uint16(body[at+2:]))
		if n < 2 || at+2+n > len(body) {
			break
		}
		if data, ok := bytes.CutPrefix(body[at+4:at+2+n], []byte("Exif\x00\x00")); ok && body[at+1] == 0xe1 {
			return oriented(data)
		}
		at += 2 + n
	}
	return 1
}

// oriented looks for the orientation in the first directory of Exif data, which has the form of a TIFF.
func oriented(data []byte) int {
	if len(data) < 8 {
		return 1
	}
	var order binary.ByteOrder = binary.LittleEndian
	if data[0] == 'M' {
		order = binary.BigEndian
	}
	at := int(order.Uint32(data[4:]))
	if at < 8 || at+2 > len(data) {
		return 1
	}
	entries := data[at+2:]
	for range order.Uint16(data[at:]) {
		if len(entries) < 12 {
			break
		}
		if order.Uint16(entries) == 0x0112 {
			if o := int(order.Uint16(entries[8:])); o >= 1 && o <= 8 {
				return o
			}
			break
		}
		entries = entries[12:]
	}
	return 1
}

// turned is a picture the right way up.
func turned(src *image.RGBA, orientation int) *image.RGBA {
	w, h := src.Rect.Dx(), src.Rect.Dy()
	from := map[int]func(x, y int) (int, int){
		2: func(x, y int) (int, int) { return w - 1 - x, y },
		3: func(x, y int) (int, int) { return w - 1 - x, h - 1 - y },
		4: func(x, y int) (int, int) { return x, h - 1 - y },
		5: func(x, y int) (int, int) { return y, x },
		6: func(x, y int) (int, int) { return y, h - 1 - x },
		7: func(x, y int) (int, int) { return w - 1 - y, h - 1 - x },
		8: func(x, y int) (int, int) { return w - 1 - y, x },
	}[orientation]
	if from == nil {
		return src
	}
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	if orientation > 4 {
		out = image.NewRGBA(image.Rect(0, 0, h, w))
	}
	for y := range out.Rect.Dy() {
		for x := range out.Rect.Dx() {
			sx, sy := from(x, y)
			copy(out.Pix[out.PixOffset(x, y):][:4], src.Pix[src.PixOffset(sx, sy):])
		}
	}
	return out
}

package picture

import (
	"fmt"
	"image"
	"image/color/palette"
	"image/draw"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// band is how many rows of pixels a sixel contains.
const band = 6

// sixels encodes a picture in 216 colours. Its last band has no rows beyond the picture: a terminal would paint
// below it.
func sixels(src image.Image) string {
	b := src.Bounds()
	w, h := b.Dx(), b.Dy()
	flat := image.NewPaletted(image.Rect(0, 0, w, h), palette.WebSafe)
	draw.FloydSteinberg.Draw(flat, flat.Rect, src, b.Min)
	var out strings.Builder
	fmt.Fprintf(&out, "\"1;1;%d;%d", w, h)
	defined := map[uint8]bool{}
	for top := 0; top < h; top += band {
		rows := map[uint8][]byte{} // by colour, the bits of each column
		var order []uint8
		for y := top; y < min(top+band, h); y++ {
			for x, c := range flat.Pix[y*flat.Stride : y*flat.Stride+w] {
				if rows[c] == nil {
					rows[c] = make([]byte, w)
					order = append(order, c)
				}
				rows[c][x] |= 1 << (y - top)
			}
		}
		for i, c := range order {
			if i > 0 {
				out.WriteByte('$') // back to the beginning of the band
			}
			if !defined[c] {
				defined[c] = true
				r, g, b, _ := palette.WebSafe[c].RGBA()
				fmt.Fprintf(&out, "#%d;2;%d;%d;%d", c, r*100/0xffff, g*100/0xffff, b*100/0xffff)
			}
			fmt.Fprintf(&out, "#%d", c)
			repeat(&out, rows[c])
		}
		out.WriteByte('-')
	}
	return ansi.SixelGraphics(0, 1, 0, []byte(out.String()))
}

// repeat writes the columns of a colour, run-length encoded.
func repeat(out *strings.Builder, columns []byte) {
	for i := 0; i < len(columns); {
		n := 1
		for i+n < len(columns) && columns[i+n] == columns[i] {
			n++
		}
		sign := string(rune('?' + columns[i]))
		if n > 3 {
			fmt.Fprintf(out, "!%d%s", n, sign)
		} else {
			out.WriteString(strings.Repeat(sign, n))
		}
		i += n
	}
}

package attach

import (
	"encoding/base64"
	"strings"
)

// packedLine is how many letters a line of a packed text has: in longer ones chance makes what looks like a key, and it would be redacted.
const packedLine = 12

// Pack is the bytes of an attachment as a text, which a record can carry: base64 in short lines.
func Pack(data []byte) string {
	all := base64.StdEncoding.EncodeToString(data)
	var b strings.Builder
	b.Grow(len(all) + len(all)/packedLine + 1)
	for ; len(all) > packedLine; all = all[packedLine:] {
		b.WriteString(all[:packedLine])
		b.WriteByte('\n')
	}
	b.WriteString(all)
	return b.String()
}

// Unpack is what Pack was given; nil: the text is none of Pack's.
func Unpack(text string) []byte {
	data, err := base64.StdEncoding.DecodeString(text) // which passes over line ends
	if err != nil || len(data) == 0 {
		return nil
	}
	return data
}

// Printable are the readable texts within some bytes, a line each, to look for secrets in: a PDF may hold some as they are.
func Printable(data []byte) string {
	const least = 16 // letters; shorter runs are chance
	var b strings.Builder
	from := 0
	for i := range len(data) + 1 {
		if i < len(data) && data[i] >= ' ' && data[i] < 0x7f {
			continue
		}
		if i-from >= least {
			b.Write(data[from:i])
			b.WriteByte('\n')
		}
		from = i + 1
	}
	return b.String()
}

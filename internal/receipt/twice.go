package receipt

import (
	"bytes"
	"encoding/json"
)

// twice returns a key that an object in a valid JSON text has more than once, so that two readers may read different values; empty:
// none. Keys are compared after unescaping.
func twice(text []byte) string {
	return repeated(json.NewDecoder(bytes.NewReader(text)))
}

// repeated reads one value.
func repeated(dec *json.Decoder) string {
	begin, _ := dec.Token()
	if begin != json.Delim('{') && begin != json.Delim('[') {
		return ""
	}
	seen := map[string]bool{}
	for dec.More() {
		if begin == json.Delim('{') {
			key, _ := dec.Token()
			name, _ := key.(string)
			if seen[name] {
				return name
			}
			seen[name] = true
		}
		if name := repeated(dec); name != "" {
			return name
		}
	}
	dec.Token() // its end
	return ""
}

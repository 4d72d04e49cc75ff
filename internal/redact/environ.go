package redact

import "strings"

// FromEnviron returns the values in environ, a list of NAME=value, whose names say they are secret. It omits values
// under 8 bytes, paths, numbers and ordinary words: as exact secrets they would hide innocent text.
func FromEnviron(environ []string) []string {
	var out []string
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if SecretName(name) && secretValue(value) {
			out = append(out, value)
		}
	}
	return out
}

// SecretName reports whether the words of a name say that its value is secret; the last one can make it public.
func SecretName(name string) bool {
	words := strings.FieldsFunc(strings.ToUpper(name), func(r rune) bool { return r == '_' || r == '-' || r == '.' })
	if len(words) == 0 || publicName([]byte(words[len(words)-1])) {
		return false
	}
	for i, w := range words {
		switch w {
		case "SECRET", "SECRETS", "TOKEN", "PASSWORD", "PASSWD", "PASSPHRASE", "PWD", "PASS", "APIKEY", "CREDENTIAL", "CREDENTIALS":
			return len(words) > 1 || w != "PWD"
		case "KEY", "PAT", "AUTH":
			if i > 0 && i == len(words)-1 {
				return true
			}
		}
		if strings.HasSuffix(w, "TOKEN") || strings.HasSuffix(w, "PASSWORD") || strings.HasSuffix(w, "SECRET") {
			return true
		}
	}
	return false
}

// secretValue reports whether a value is long and unusual enough to be searched for literally.
func secretValue(v string) bool {
	if len(v) < shortest || digits.count([]byte(v)) == len(v) {
		return false
	}
	if strings.HasPrefix(v, "/") || strings.HasPrefix(v, "./") || strings.HasPrefix(v, "../") || strings.HasPrefix(v, "~") ||
		strings.HasPrefix(v, `\\`) || len(v) > 2 && v[1] == ':' && (v[2] == '\\' || v[2] == '/') {
		return false
	}
	return !notSecret(v)
}

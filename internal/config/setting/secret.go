package setting

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/socrates-cli/socrates/internal/pattern"
)

// Secret is a key or a reference to one. However it is printed or encoded, a key itself is masked.
// The zero value is no key.
// Format, String and MarshalText all mask, so that neither a log nor JSON nor %v can leak one by accident. Only Reveal
// gives the key.
type Secret struct {
	// text is behind a pointer so that even a dump of a struct around it, which calls no methods, shows an address.
	text *string
}

const (
	mask       = "********"
	longestKey = 64 << 10 // bytes of a file with a key
)

var variableName = pattern.Of(`^[A-Za-z_][A-Za-z0-9_]*$`)

// ParseSecret reads a key or a reference to one, as settings hold them. Its errors never show a key.
// A path need not exist and a variable need not be set.
func ParseSecret(text string) (Secret, error) {
	if text == "" {
		return Secret{}, nil
	}
	if name, ok := strings.CutPrefix(text, "${"); ok && strings.HasSuffix(name, "}") { // as shells write it
		text = "env:" + strings.TrimSuffix(name, "}")
	}
	s := Secret{&text}
	if name, ok := strings.CutPrefix(text, "env:"); ok && !variableName().MatchString(name) {
		return Secret{}, errors.New("env: must be followed by a variable name")
	}
	if path, ok := strings.CutPrefix(text, "file:"); ok {
		if _, err := Absolute(path); err != nil || path == "" {
			return Secret{}, errors.New("file: must be followed by an absolute path or one starting with ~/")
		}
	}
	if s.IsPlain() && strings.ContainsAny(text, " \t") {
		return Secret{}, errors.New("must be env:NAME, file:PATH or a key without spaces")
	}
	return s, nil
}

// IsPlain says that the text is the key itself.
func (s Secret) IsPlain() bool {
	return s.text != nil && !strings.HasPrefix(*s.text, "env:") && !strings.HasPrefix(*s.text, "file:")
}

// IsReference says that it is said where the key is, not what it is.
func (s Secret) IsReference() bool { return s.text != nil && !s.IsPlain() }

// IsZero says that there is no key.
func (s Secret) IsZero() bool { return s.text == nil }

// String is the reference as written, or a mask for a key itself; empty if there is none.
func (s Secret) String() string {
	switch {
	case s.text == nil:
		return ""
	case s.IsPlain():
		return mask
	}
	return *s.text
}

// Format prints what String returns, whatever the verb.
func (s Secret) Format(f fmt.State, _ rune) { io.WriteString(f, s.String()) }

// MarshalText encodes what String returns.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Reveal follows the reference and returns the key; environ looks up a variable, as os.LookupEnv does.
// It is "" without error only for the zero Secret. Errors name the reference, never a key.
func (s Secret) Reveal(environ func(string) (string, bool)) (string, error) {
	if s.text == nil {
		return "", nil
	}
	key := *s.text
	if name, ok := strings.CutPrefix(key, "env:"); ok {
		key, _ = environ(name)
	} else if path, ok := strings.CutPrefix(key, "file:"); ok {
		full, err := Absolute(path)
		if err != nil {
			return "", fmt.Errorf("key %s: %w", s, err)
		}
		text, _, err := ReadFile(full, longestKey)
		if err != nil {
			return "", fmt.Errorf("key %s: %w", s, err)
		}
		key = string(text)
	}
	if key = strings.TrimSpace(key); key == "" {
		return "", fmt.Errorf("key %s: is empty", s)
	}
	return key, nil
}

// ReadFile reads a file of at most that many bytes. It does not wait for a pipe or a device.
// It is used for settings, too, which may be named by a flag and be anything.
func ReadFile(path string, most int64) ([]byte, os.FileInfo, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, err
	}
	switch {
	case info.IsDir():
		return nil, nil, errors.New("is a folder")
	case !info.Mode().IsRegular():
		return nil, nil, errors.New("is not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("is larger than %d KiB", most>>10)
	}
	return text, info, err
}

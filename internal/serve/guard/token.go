package guard

import (
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/socrates-cli/socrates/internal/private"
)

// Token authenticates a program. Only its hash is stored. Names are unique. It never expires, but can be revoked.
type Token struct {
	Name  string    `json:"name"`
	Scope Scope     `json:"scope"`
	Made  time.Time `json:"made"`
	Hash  string    `json:"sha256"`
	// Person of a hub who owns it, and whose role limits it; empty: whoever runs the server.
	Person string `json:"person,omitempty"`
}

// tokenMark begins every token, so that one is recognized wherever it appears. Scanners for secrets, ours included,
// look for it.
const tokenMark = "soc_"

// ErrTaken and ErrUnknown are why a change of tokens is refused.
var (
	ErrTaken   = errors.New("a token with this name exists")
	ErrUnknown = errors.New("no token with this name")
)

// tokenFile is where tokens are kept.
func tokenFile(dir string) string { return filepath.Join(dir, "tokens.json") }

// Tokens lists the tokens of a folder. Without a file there are none. A damaged file is an error, so that nobody adds
// to what they cannot see.
func Tokens(dir string) (list []Token, err error) {
	raw, err := os.ReadFile(tokenFile(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, fmt.Errorf("%s: %w", tokenFile(dir), err)
	}
	return list, nil
}

// AddToken creates a token for a person of a hub or for whoever runs the server. It is returned once and cannot be
// read again.
func AddToken(dir, name string, scope Scope, person string) (token string, err error) {
	token = tokenMark + random()
	return token, change(dir, func(list []Token) ([]Token, error) {
		if slices.ContainsFunc(list, func(t Token) bool { return t.Name == name }) {
			return nil, ErrTaken
		}
		return append(list, Token{name, scope, time.Now().UTC().Truncate(time.Second), hashOf(token), person}), nil
	})
}

// RemoveToken revokes a token at once.
func RemoveToken(dir, name string) error {
	return change(dir, func(list []Token) ([]Token, error) {
		left := slices.DeleteFunc(slices.Clone(list), func(t Token) bool { return t.Name == name })
		if len(left) == len(list) {
			return nil, ErrUnknown
		}
		return left, nil
	})
}

// RemoveTokens revokes all tokens of a person; without a name it revokes none.
func RemoveTokens(dir, person string) error {
	if person == "" {
		return ErrUnknown
	}
	return change(dir, func(list []Token) ([]Token, error) {
		return slices.DeleteFunc(list, func(t Token) bool { return t.Person == person }), nil
	})
}

// change rewrites the tokens, one process at a time.
func change(dir string, f func([]Token) ([]Token, error)) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	lock := flock.New(tokenFile(dir) + ".lock")
	if err := lock.Lock(); err != nil {
		return err
	}
	defer lock.Unlock()
	list, err := Tokens(dir)
	if err != nil {
		return err
	}
	if list, err = f(list); err != nil {
		return err
	}
	raw, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return err
	}
	return private.Replace(tokenFile(dir), append(raw, '\n'))
}

// token finds a token. The file is read each time, so that a revoked one stops working. A file that cannot be read
// allows nobody.
func (g *Guard) token(given string) (Token, bool) {
	if !strings.HasPrefix(given, tokenMark) {
		return Token{}, false
	}
	list, err := Tokens(g.dir)
	if err != nil {
		return Token{}, false
	}
	hash := []byte(hashOf(given))
	for _, t := range list {
		if subtle.ConstantTimeCompare([]byte(t.Hash), hash) == 1 {
			return t, true
		}
	}
	return Token{}, false
}

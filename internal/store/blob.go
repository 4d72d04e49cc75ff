package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"
)

// PutBlob keeps text once, however often it is put, and returns the name to fetch it by: its SHA-256 after cleaning.
// The text is on disk no later than the next commit of this store, so a node that names it is never without it.
func (s *texts) PutBlob(_ context.Context, text string) (string, error) {
	if s.clean != nil {
		text = s.clean(text)
	}
	sum := sha256.Sum256([]byte(text))
	hash := hex.EncodeToString(sum[:])
	s.queue.add(hash, text)
	return hash, nil
}

// add puts a text into the next transaction, unless this process has put it into one not long ago.
func (q *queue) add(hash, text string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.texts == nil {
		q.texts, q.stored = map[string][]byte{}, map[string]time.Time{}
	}
	// Half the time after which Purge may remove a text that no node names: one that is skipped here is safe until
	// then.
	if time.Since(q.stored[hash]) > settled/2 {
		q.texts[hash] = []byte(text)
	}
}

// wrote notes texts that are on disk now, and lets go of those that add would write again by now: a process that runs for weeks holds
// the names of one day.
func (q *queue) wrote(hashes []string, now time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, hash := range hashes {
		delete(q.texts, hash)
		q.stored[hash] = now
	}
	if now.Sub(q.purged) > settled/2 {
		maps.DeleteFunc(q.stored, func(_ string, at time.Time) bool { return now.Sub(at) > settled/2 })
		q.purged = now
	}
}

// text is one that waits to be written: whoever put it can read it at once.
func (q *queue) text(hash string) ([]byte, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	data, ok := q.texts[hash]
	return data, ok
}

func (q *queue) hasTexts() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.texts) > 0
}

// Blob fetches a text by its hash and makes sure it still is that text.
//
// The error is ErrNotFound if there is none, and ErrDamaged if it is not the text that the hash was made of.
func (s *texts) Blob(ctx context.Context, hash string) (string, error) {
	if data, ok := s.queue.text(hash); ok {
		return string(data), nil
	}
	var data []byte
	err := s.reader.QueryRowContext(ctx, "SELECT data FROM blob WHERE hash = ?", hash).Scan(&data)
	if errors.Is(err, sql.ErrNoRows) {
		return "", fmt.Errorf("text %.12s: %w", hash, ErrNotFound)
	} else if err != nil {
		return "", s.explain("read", err)
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != hash {
		return "", damage(s.path, fmt.Sprintf("is damaged: the text %.12s was changed on disk", hash), nil)
	}
	return string(data), nil
}

// cleanJSON applies clean to every string in a JSON value, to what it means and not to how it is escaped. Untouched
// values keep their bytes.
func cleanJSON(raw json.RawMessage, clean func(string) string) (json.RawMessage, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber() // every digit is kept
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	// Encoding again would reorder keys and change escapes, and with them the bytes that hashes of records are made
	// of.
	touched := false
	v = walk(v, func(s string) string {
		c := clean(s)
		touched = touched || c != s
		return c
	})
	if !touched {
		return raw, nil
	}
	return json.Marshal(v)
}

// walk applies clean to the strings and keys of a decoded value.
func walk(v any, clean func(string) string) any {
	switch v := v.(type) {
	case string:
		return clean(v)
	case []any:
		for i := range v {
			v[i] = walk(v[i], clean)
		}
	case map[string]any:
		out := make(map[string]any, len(v))
		for k := range v {
			out[clean(k)] = walk(v[k], clean)
		}
		return out
	}
	return v
}

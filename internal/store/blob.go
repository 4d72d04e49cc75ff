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

// PutBlob stores a text once, however often it is put, and returns its key for Blob: the SHA-256 of the cleaned text.
// The text is on disk no later than the next commit of this store, so no node is stored without the texts it names.
func (s *texts) PutBlob(_ context.Context, text string) (string, error) {
	if s.clean != nil {
		text = s.clean(text)
	}
	sum := sha256.Sum256([]byte(text))
	hash := hex.EncodeToString(sum[:])
	s.queue.add(hash, text)
	return hash, nil
}

// add puts a text into the next transaction, unless this process wrote it recently.
func (q *queue) add(hash, text string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.texts == nil {
		q.texts, q.stored = map[string][]byte{}, map[string]time.Time{}
	}
	// This is half the time after which Purge may remove a text that no node names: a text that is skipped here is safe until then.
	if time.Since(q.stored[hash]) > settled/2 {
		q.texts[hash] = []byte(text)
	}
}

// wrote marks texts as written, and forgets those old enough that add would write them again: a process that runs for weeks remembers the
// hashes of one day.
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

// text returns a text that waits to be written, so that it can be read as soon as it is put.
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

// Blob fetches a text by its hash and checks that it still has that hash.
//
// The error is ErrNotFound if there is none, and ErrDamaged if the text does not match the hash.
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

// cleanJSON applies clean to the decoded value of every string in a JSON value. Values that need no change keep their bytes.
func cleanJSON(raw json.RawMessage, clean func(string) string) (json.RawMessage, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber() // keeps every digit
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	// Encoding a value again would reorder keys and change escapes, and with them the bytes from which hashes of records are computed.
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

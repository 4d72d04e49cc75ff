package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
)

// PutBlob keeps text once, however often it is put, and returns the name to fetch it by: its SHA-256 after cleaning.
func (s *Store) PutBlob(ctx context.Context, text string) (string, error) {
	if s.clean != nil {
		text = s.clean(text)
	}
	sum := sha256.Sum256([]byte(text))
	hash := hex.EncodeToString(sum[:])
	var have int
	if s.reader.QueryRowContext(ctx, "SELECT 1 FROM blob WHERE hash = ?", hash).Scan(&have) == nil {
		return hash, nil
	}
	_, err := s.writer.ExecContext(ctx, "INSERT INTO blob (hash, data) VALUES (?, ?) ON CONFLICT DO NOTHING", hash, []byte(text))
	if err != nil {
		return "", explain(s.path, "write to", err)
	}
	return hash, nil
}

// Blob fetches a text by its hash and makes sure it still is that text.
func (s *Store) Blob(ctx context.Context, hash string) (string, error) {
	var data []byte
	err := s.reader.QueryRowContext(ctx, "SELECT data FROM blob WHERE hash = ?", hash).Scan(&data)
	if errors.Is(err, sql.ErrNoRows) {
		return "", fmt.Errorf("text %.12s: %w", hash, ErrNotFound)
	} else if err != nil {
		return "", explain(s.path, "read", err)
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != hash {
		return "", &Error{Path: s.path, Message: fmt.Sprintf("the text %.12s was changed on disk", hash), Hint: "restore the store from a backup"}
	}
	return string(data), nil
}

// cleanJSON applies clean to every string in a JSON value. Untouched values keep their bytes.
func cleanJSON(raw json.RawMessage, clean func(string) string) json.RawMessage {
	if clean(string(raw)) == string(raw) {
		return raw
	}
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return json.RawMessage(`null`)
	}
	out, _ := json.Marshal(walk(v, clean))
	return out
}

func walk(v any, clean func(string) string) any {
	switch v := v.(type) {
	case string:
		return clean(v)
	case []any:
		for i := range v {
			v[i] = walk(v[i], clean)
		}
	case map[string]any:
		for k := range v {
			v[k] = walk(v[k], clean)
		}
	}
	return v
}

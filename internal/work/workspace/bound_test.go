package workspace

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// An agent is stopped once its workspace has grown too large, and what would be committed is bounded, ignored files apart.
func TestBound(t *testing.T) {
	s := &Space{dir: t.TempDir()}
	place := s.Place("one")
	if err := os.MkdirAll(place, 0o700); err != nil {
		t.Fatal(err)
	}
	ctx, stop := bound(t.Context(), place, 100, time.Millisecond)
	defer stop()
	if err := os.WriteFile(filepath.Join(place, "big"), make([]byte, 101), 0o600); err != nil {
		t.Fatal(err)
	}
	<-ctx.Done()
	if _, ok := errors.AsType[*TooLarge](context.Cause(ctx)); !ok {
		t.Error(context.Cause(ctx))
	}
}

func TestBearable(t *testing.T) {
	s, err := Open(t.Context(), t.TempDir(), nobody)
	if err != nil {
		t.Skip(err)
	}
	place := s.Place("one")
	for name, size := range map[string]int{".gitignore": 6, "built": 300, "new": 90} {
		text := make([]byte, size)
		if name == ".gitignore" {
			copy(text, "built\n")
		}
		if err := errors.Join(os.MkdirAll(place, 0o700), os.WriteFile(filepath.Join(place, name), text, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	at := s.store.At(place).Indexed(filepath.Join(s.dir, "index", "one"))
	if err := bearable(t.Context(), at, 100); err != nil {
		t.Error(err)
	}
	if _, ok := errors.AsType[*TooLarge](bearable(t.Context(), at, 50)); !ok {
		t.Error("96 bytes are not more than 50")
	}
}

package tool

import (
	"errors"
	"io"
	"reflect"
	"sync"
)

// Session is what the tools of one conversation remember from call to call: one value of each type. Ready to use as its
// zero value; safe for concurrent use. Close it when the conversation ends; it may be used again afterwards, with
// new values.
type Session struct {
	mu     sync.Mutex
	values map[reflect.Type]any
}

// Of returns the session's value of type T; first makes it if it does not exist yet. Without a session first always
// makes it. first runs under the session's lock: it must not use the session.
func Of[T any](s *Session, first func() *T) *T {
	if s == nil {
		return first()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key := reflect.TypeFor[T]()
	if v, ok := s.values[key]; ok {
		return v.(*T)
	}
	if s.values == nil {
		s.values = map[reflect.Type]any{}
	}
	v := first()
	s.values[key] = v
	return v
}

// Busy reports whether any of its values works outside of tool calls.
func (s *Session) Busy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range s.values {
		if b, ok := v.(interface{ Busy() bool }); ok && b.Busy() {
			return true
		}
	}
	return false
}

// Close closes the values that can be closed: what they started ends with them.
func (s *Session) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	for _, first := range []bool{true, false} { // busy values end before those they work in
		for _, v := range s.values {
			_, works := v.(interface{ Busy() bool })
			if c, ok := v.(io.Closer); ok && works == first {
				err = errors.Join(err, c.Close())
			}
		}
	}
	s.values = nil
	return err
}

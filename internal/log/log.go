// Package log sends the program's log/slog records where the person wants them, without secrets.
//
// [Begin] makes the default logger once a process. The log is opened by the first record, and not at all if nothing
// is logged: settings are read only then. Records are cleaned value by value before they are formatted, and again
// as a whole on their way into a file. A log that cannot be opened is one warning, and the program goes on without.
// It is safe for concurrent use.
package log

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
)

// Wanted is what of its work the program writes down, and where.
type Wanted struct {
	Level  string // off, error, warn, info or debug
	Format string // text or json
	File   string // appended to; empty: stderr
	About  []any  // names and values of the first line
}

// levels are what slog calls them.
var levels = map[string]slog.Level{"error": slog.LevelError, "warn": slog.LevelWarn, "info": slog.LevelInfo, "debug": slog.LevelDebug}

// Log is the log of the process. It is opened when something is to be logged.
type Log struct {
	stderr io.Writer
	clean  func(string) string
	open   func() slog.Handler
	opened atomic.Bool
	inFile bool // in a file: what is on the screen is not in it; settled once opened
}

// Begin makes the log of this process. What is wanted is asked for when it is opened; clean takes out secrets and escapes.
func Begin(stderr io.Writer, clean func(string) string, wanted func() Wanted) *Log {
	l := &Log{stderr: stderr, clean: clean}
	l.open = sync.OnceValue(func() slog.Handler {
		want := wanted()
		h, err := l.handler(want)
		if err != nil {
			fmt.Fprint(stderr, "warning: no log is written: "+err.Error()+"\n")
		}
		l.inFile = want.File != ""
		l.opened.Store(h != slog.DiscardHandler)
		slog.New(h).Info("begins", want.About...)
		return h
	})
	slog.SetDefault(slog.New(l))
	return l
}

// handler opens the log. It is there in any case.
func (l *Log) handler(want Wanted) (slog.Handler, error) {
	level, logs := levels[want.Level]
	if !logs {
		return slog.DiscardHandler, nil
	}
	w := l.stderr
	if want.File != "" {
		f, err := os.OpenFile(want.File, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600) // open until the process ends
		if err != nil {
			return slog.DiscardHandler, err
		}
		w = cleaner{f, l.clean}
	}
	options := &slog.HandlerOptions{Level: level, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		switch a.Value.Kind() {
		case slog.KindString, slog.KindAny: // before it is quoted: a quoted secret is not known as one
			a.Value = slog.StringValue(l.clean(a.Value.String()))
		}
		return a
	}}
	if want.Format == "json" {
		return slog.NewJSONHandler(w, options), nil
	}
	return slog.NewTextHandler(w, options), nil
}

// cleaner takes secrets and escapes out of what is written.
type cleaner struct {
	io.Writer
	clean func(string) string
}

// Write cleans a whole entry: handlers write each with one call, so no secret is cut in two.
func (c cleaner) Write(p []byte) (int, error) {
	_, err := io.WriteString(c.Writer, c.clean(string(p)))
	return len(p), err
}

// Note logs what a person is told on stderr as well, if the log is elsewhere. What nobody wants logged opens no log. A nil log takes
// nothing.
func (l *Log) Note(level slog.Level, text string, about ...any) {
	if l != nil && l.opened.Load() && l.inFile {
		slog.New(l).Log(context.Background(), level, text, about...)
	}
}

// Enabled, Handle, WithAttrs and WithGroup make it a handler of slog.
func (l *Log) Enabled(ctx context.Context, level slog.Level) bool {
	return l.open().Enabled(ctx, level)
}

// Handle writes a record.
func (l *Log) Handle(ctx context.Context, r slog.Record) error { return l.open().Handle(ctx, r) }

// WithAttrs is the open log with attributes.
func (l *Log) WithAttrs(attrs []slog.Attr) slog.Handler { return l.open().WithAttrs(attrs) }

// WithGroup is the open log within a group.
func (l *Log) WithGroup(name string) slog.Handler { return l.open().WithGroup(name) }

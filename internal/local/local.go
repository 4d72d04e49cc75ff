// Package local connects the commands of one person to their own server on the same machine, over a Unix socket in a private
// folder. Whoever can open it is the person.
package local

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// longest is how long the path of a socket can be on every system.
// The kernels allow 104 bytes (macOS) and 108 (Linux), with the zero at the end.
const longest = 100

// path is that of the socket called name in dir. One that would be too long leads, on Linux, through the opened folder; elsewhere there
// is none, and it is empty. end is called when it is not used any more.
func path(dir, name string) (path string, end func() error) {
	if path := filepath.Join(dir, name); len(path) <= longest {
		return path, func() error { return nil }
	}
	folder, err := os.Open(dir)
	if err != nil {
		return "", func() error { return nil }
	}
	short := fmt.Sprintf("/proc/self/fd/%d", folder.Fd())
	if _, err := os.Stat(short); err != nil {
		folder.Close()
		return "", func() error { return nil }
	}
	return filepath.Join(short, name), folder.Close
}

// Listener is a socket that is listened at.
type Listener struct {
	net.Listener
	end func() error
}

// Close takes the socket's file away.
func (l *Listener) Close() error {
	defer l.end()
	return l.Listener.Close()
}

// Listen opens the socket called name in dir. One that is left of a server that was killed is taken over, so the caller makes sure that
// nobody answers there. It is nil where the path of dir is too long for a socket.
func Listen(dir, name string) (*Listener, error) {
	path, end := path(dir, name)
	if path == "" {
		return nil, nil
	}
	os.Remove(path)
	l, err := net.Listen("unix", path)
	if err == nil {
		if err = os.Chmod(path, 0o600); err != nil {
			l.Close()
		}
	}
	if err != nil {
		end()
		return nil, fmt.Errorf("make the socket %s: %w", path, err)
	}
	return &Listener{l, end}, nil
}

// Client asks the server of a socket. The host of an address is not looked at.
func Client(dir, name string) *http.Client {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		path, end := path(dir, name)
		defer end()
		if path == "" {
			return nil, fmt.Errorf("the path of %s is too long for a socket", dir)
		}
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}
	return &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 32, IdleConnTimeout: time.Minute, DialContext: dial}}
}

package update

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/release"
)

// Source is where releases are published, for a target.
type Source struct {
	Address string // https, or http to this machine
	Target  release.Target
}

// Found is the archive of a version, as the list of its release has it.
type Found struct{ Version, Archive, Sum string }

// Bounds in bytes of what is downloaded. A release is far below.
const (
	mostArchive = 256 << 20
	mostList    = 1 << 20
)

// secure says whether what comes from an address is what was sent.
func secure(u *url.URL) bool {
	ip := net.ParseIP(u.Hostname())
	return u.Scheme == "https" || u.Scheme == "http" && (u.Hostname() == "localhost" || ip != nil && ip.IsLoopback())
}

// get downloads at most so many bytes, over https (or from this machine), without leaving it on a redirect.
func (s Source) get(ctx context.Context, address string, most int64) ([]byte, error) {
	u, err := url.Parse(address)
	if err != nil || !secure(u) {
		return nil, fmt.Errorf("%s is neither an https address nor on this machine", address)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("User-Agent", "socrates")
	transport := http.DefaultTransport.(*http.Transport).Clone() // it keeps to the person's proxy
	transport.ResponseHeaderTimeout = time.Minute
	defer transport.CloseIdleConnections()
	client := http.Client{Transport: transport, CheckRedirect: func(next *http.Request, before []*http.Request) error {
		if len(before) > 10 || next.URL.Scheme != u.Scheme || !secure(next.URL) {
			return errors.New("it redirects to " + next.URL.Redacted())
		}
		return nil
	}}
	answer, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("get %s: the server answered %s", address, answer.Status)
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("it is larger than %d bytes", most)
	}
	if err != nil {
		return nil, fmt.Errorf("get %s: %w", address, err)
	}
	return text, nil
}

// Find looks up a version, the newest if none is given.
func (s Source) Find(ctx context.Context, version string) (Found, error) {
	list, err := s.get(ctx, release.File(s.Address, version, release.Checksums), mostList)
	if err != nil {
		return Found{}, err
	}
	before, after, _ := strings.Cut(s.Target.Archive("VERSION"), "VERSION")
	for line := range strings.Lines(string(list)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		of, ok := strings.CutPrefix(name, before)
		of, fits := strings.CutSuffix(of, after)
		if !ok || !fits || len(sum) != 2*sha256.Size {
			continue
		}
		if _, err := parse(of); err != nil || version != "" && of != version {
			return Found{}, fmt.Errorf("the release lists a file with an invalid name: %s", name)
		}
		return Found{of, name, sum}, nil
	}
	return Found{}, fmt.Errorf("the release has no build for %s", s.Target.Name())
}

// programs downloads an archive, and returns the programs in it by name.
func (s Source) programs(ctx context.Context, f Found) (map[string][]byte, error) {
	archive, err := s.get(ctx, release.File(s.Address, f.Version, f.Archive), mostArchive)
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(archive); hex.EncodeToString(sum[:]) != f.Sum {
		return nil, fmt.Errorf("%s is not the file that was released: its SHA-256 is %x and should be %s", f.Archive, sum, f.Sum)
	}
	programs, err := s.Target.Unpack(archive)
	if err != nil {
		return nil, fmt.Errorf("unpack %s: %w", f.Archive, err)
	}
	return programs, nil
}

package bus

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestMain is also a hub that is killed: with a folder in the environment it opens it and says so.
func TestMain(m *testing.M) {
	if dir := os.Getenv("BUS_TEST_HUB"); dir != "" {
		s, err := Open(context.Background(), Options{Dir: dir, Addr: "127.0.0.1:0"})
		if err != nil {
			os.Stdout.WriteString("error: " + err.Error())
			os.Exit(1)
		}
		os.Stdout.WriteString(s.URLs()[0] + "\n")
		select {}
	}
	os.Exit(m.Run())
}

// opens makes sure that a hub opens from a folder, takes a worker in and gives its identity.
func opens(t *testing.T, dir string) identity {
	t.Helper()
	s, stop := hub(t, Options{Dir: dir}, newBook("p_a"))
	defer stop()
	worker(t, joined(t, s, "w1")).Close()
	if err := s.Put(within(t), "p_a", "t"); err != nil {
		t.Error(err)
	}
	return *s.id
}

func TestAFirstStartThatIsKilledLeavesAllOrNothing(t *testing.T) {
	whole := t.TempDir()
	id := opens(t, whole)
	unfinished := func(t *testing.T, dir, file string) {
		text, err := os.ReadFile(filepath.Join(whole, file))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, ".new-123"), text[:len(text)/2], 0o600); err != nil {
			t.Fatal(err)
		}
	}
	keep := func(t *testing.T, dir, file string) {
		if err := os.CopyFS(dir, only{os.DirFS(whole), file}); err != nil {
			t.Fatal(err)
		}
	}
	for name, row := range map[string]struct {
		files []string
		half  string
		same  bool
	}{
		"nothing":                      {nil, "", false},
		"locked":                       {[]string{lockFile}, "", false},
		"while the identity is saved":  {[]string{lockFile}, identityFile, false},
		"after the identity":           {[]string{lockFile, identityFile}, "", true},
		"while the certificate is":     {[]string{lockFile, identityFile}, certificateFile, true},
		"after the certificate":        {[]string{lockFile, identityFile, certificateFile}, "", true},
		"after the store":              {[]string{lockFile, identityFile, certificateFile, storeDir}, "", true},
		"while the first worker joins": {[]string{lockFile, identityFile, certificateFile, storeDir}, rosterFile, true},
		"without a store":              {[]string{identityFile, certificateFile, rosterFile}, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "hub")
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			for _, f := range row.files {
				keep(t, dir, f)
			}
			if row.half != "" {
				unfinished(t, dir, row.half)
			}
			if got := opens(t, dir); (got == id) != row.same {
				t.Error("the same identity:", got == id)
			}
		})
	}
}

// only is a file of a folder, or a folder of it.
type only struct {
	fs.FS
	name string
}

func (o only) ReadDir(at string) ([]fs.DirEntry, error) {
	all, err := fs.ReadDir(o.FS, at)
	if at != "." {
		return all, err
	}
	var kept []fs.DirEntry
	for _, e := range all {
		if e.Name() == o.name {
			kept = append(kept, e)
		}
	}
	return kept, err
}

func TestAHubThatIsKilledComesBackAsItWas(t *testing.T) {
	dir := t.TempDir()
	var before []byte
	for range 3 {
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), "BUS_TEST_HUB="+dir)
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		line := make([]byte, 200)
		n, _ := out.Read(line)
		c.Process.Kill()
		c.Wait()
		if !strings.HasPrefix(string(line[:n]), "tls://") {
			t.Fatal(string(line[:n]))
		}
		now, err := os.ReadFile(filepath.Join(dir, identityFile))
		if err != nil || before != nil && !bytes.Equal(now, before) {
			t.Fatal("another identity", err)
		}
		before = now
	}
	opens(t, dir)
}

func TestOthersCannotReadTheHubsFolder(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("its folders have no such modes")
	}
	dir := filepath.Join(t.TempDir(), "hub")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	opens(t, dir)
	for at, want := range map[string]fs.FileMode{"": 0o700, identityFile: 0o600, certificateFile: 0o600, rosterFile: 0o600, lockFile: 0o600} {
		if info, err := os.Stat(filepath.Join(dir, at)); err != nil || info.Mode().Perm() != want {
			t.Error(at, info, err)
		}
	}
	own := t.TempDir()
	s, _ := hub(t, Options{}, newBook("p_a"))
	token := must(t)(s.Invite("w1", time.Hour))
	if _, err := Join(within(t), token, own); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(own, memberFile)); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info, err)
	}
	if text, err := os.ReadFile(filepath.Join(s.opts.Dir, rosterFile)); err != nil || bytes.Contains(text, []byte(`"SU`)) || strings.Contains(string(text), secretOf(t, token)) {
		t.Error("the hub keeps a secret", err)
	}
}

func secretOf(t *testing.T, token string) string {
	k, err := ticketOf(token)
	if err != nil {
		t.Fatal(err)
	}
	return k.Secret
}

func TestADamagedFolder(t *testing.T) {
	whole := t.TempDir()
	id := opens(t, whole)
	for name, row := range map[string]struct{ file, text, says string }{
		"half an identity":      {identityFile, `{"authority":`, "is damaged: restore it from a backup"},
		"an empty identity":     {identityFile, ``, "is damaged: restore it from a backup"},
		"an identity of others": {identityFile, `{}`, "is damaged: restore it from a backup"},
		"half the workers":      {rosterFile, `{"workers":`, "is damaged: restore it from a backup"},
		"no identity":           {identityFile, "gone", "is missing, and it identifies the hub to workers: restore it from a backup"},
		"half a certificate":    {certificateFile, "-----BEGIN", ""},
		"another certificate":   {certificateFile, id.Authority + id.Key, ""},
	} {
		dir := copied(t, whole)
		err := os.WriteFile(filepath.Join(dir, row.file), []byte(row.text), 0o600)
		if row.text == "gone" {
			err = os.Remove(filepath.Join(dir, row.file))
		}
		if err != nil {
			t.Fatal(err)
		}
		s, err := Open(within(t), Options{Dir: dir, Addr: "127.0.0.1:0"})
		switch {
		case row.says == "" && err != nil, row.says != "" && (err == nil || !strings.Contains(err.Error(), row.says)):
			t.Errorf("%s: %v", name, err)
		case err == nil:
			s.Close()
		}
	}
}

func TestTwoHubsInOneFolder(t *testing.T) {
	s, stop := hub(t, Options{}, newBook())
	if _, err := Open(within(t), Options{Dir: s.opts.Dir, Addr: "127.0.0.1:0"}); err == nil || !strings.Contains(err.Error(), "another hub runs in") {
		t.Error(err)
	}
	if _, err := Open(within(t), Options{Dir: t.TempDir(), Addr: strings.TrimPrefix(s.URLs()[0], "tls://")}); err == nil ||
		!strings.Contains(err.Error(), "cannot start the hub's queue on") || !strings.Contains(err.Error(), "in use") {
		t.Error(err)
	}
	if _, err := Open(within(t), Options{Dir: t.TempDir(), Addr: "nowhere"}); err == nil || !strings.Contains(err.Error(), "use HOST:PORT") {
		t.Error(err)
	}
	stop()
	opens(t, s.opts.Dir)
}

func TestTheCertificateIsRenewedBeforeItEnds(t *testing.T) {
	dir := t.TempDir()
	id, err := identify(dir)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	clock := func() time.Time { return now }
	c, err := openCertificate(id, dir, []string{"hub.example", "192.0.2.7"}, clock)
	if err != nil {
		t.Fatal(err)
	}
	shown := func() *x509.Certificate {
		pair, err := c.config().GetCertificate(&tls.ClientHelloInfo{})
		if err != nil {
			t.Fatal(err)
		}
		roots := poolOf(id.Authority)
		for _, name := range []string{"hub.example", "192.0.2.7", "localhost", "127.0.0.1", "::1"} {
			if _, err := pair.Leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: name, CurrentTime: now}); err != nil {
				t.Error(name, err)
			}
		}
		if _, err := pair.Leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: "other.example", CurrentTime: now}); err == nil {
			t.Error("it is for other names, too")
		}
		return pair.Leaf
	}
	first := shown()
	now = now.Add(leafLife - leafLeft - time.Minute)
	if !shown().Equal(first) {
		t.Error("renewed too early")
	}
	now = now.Add(2 * time.Minute)
	second := shown()
	if second.Equal(first) {
		t.Error("not renewed")
	}
	again, err := openCertificate(id, dir, []string{"hub.example", "192.0.2.7"}, clock)
	if err != nil || !again.leaf.Leaf.Equal(second) {
		t.Error("the renewed one is not kept", err)
	}
	named, err := openCertificate(id, dir, []string{"new.example"}, clock)
	if err != nil || named.leaf.Leaf.VerifyHostname("new.example") != nil {
		t.Error("not made anew for another name", err)
	}
}

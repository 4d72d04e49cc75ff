package keyring

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	system "github.com/zalando/go-keyring"
)

func ring(t *testing.T) Ring {
	return Ring{Dir: filepath.Join(t.TempDir(), "data", "keys"), Files: true}
}

func TestAKeyIsKeptReplacedAndForgotten(t *testing.T) {
	r := ring(t)
	if _, err := r.Get("acme"); !errors.Is(err, ErrNone) {
		t.Fatalf("before anything is kept: %v", err)
	}
	if all, err := r.List(); len(all) != 0 || err != nil {
		t.Fatalf("%v, %v", all, err)
	}
	if _, err := os.Stat(r.Dir); err == nil {
		t.Fatal("looking made the folder")
	}
	expires := time.Date(2099, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, value := range []string{"the-first-key-of-acme-1111", "the-second-key-of-acme-2222"} {
		e, why, err := r.Set(KeyInfo{Vendor: "acme", Kind: OAuth, Expires: expires}, value)
		if err != nil || why == nil || e.Place != File || e.Hint != value[len(value)-4:] || e.Added.IsZero() {
			t.Fatalf("%+v, %v, %v", e, why, err)
		}
		if got, err := r.Get("acme"); got != value || err != nil {
			t.Fatalf("got %q, %v", got, err)
		}
	}
	if _, _, err := r.Set(KeyInfo{Vendor: "beta", Kind: Key}, "short"); err != nil {
		t.Fatal(err)
	}
	all, err := r.List()
	if err != nil || len(all) != 2 || all[0].Vendor != "acme" || all[1].Vendor != "beta" {
		t.Fatalf("%+v, %v", all, err)
	}
	if all[1].Hint != "" {
		t.Errorf("a short key spares no letters: %q", all[1].Hint)
	}
	if !all[0].Expires.Equal(expires) || all[0].Expired() || !(KeyInfo{Expires: time.Unix(1, 0)}).Expired() || (KeyInfo{}).Expired() {
		t.Errorf("when it ends was not kept: %+v", all[0])
	}
	if err := r.Delete("acme"); err != nil {
		t.Fatal(err)
	}
	if err := r.Delete("acme"); !errors.Is(err, ErrNone) {
		t.Fatalf("forgotten twice: %v", err)
	}
	files, err := os.ReadDir(r.Dir)
	if err != nil || len(files) != 1 {
		t.Errorf("drafts were left behind: %v, %v", files, err)
	}
}

// A key that moves to a file leaves none behind in the keyring.
func TestAReplacedKeyIsForgotten(t *testing.T) {
	system.MockInit()
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/of/the/mock")
	r := ring(t)
	for _, files := range []bool{false, true} {
		r.Files = files
		e, _, err := r.Set(KeyInfo{Vendor: "acme", Kind: Key}, "a-key-of-acme")
		if err != nil || (e.Place == File) != files {
			t.Fatalf("%+v, %v", e, err)
		}
	}
	if value, err := system.Get(service, "acme"); !errors.Is(err, system.ErrNotFound) {
		t.Errorf("the keyring holds %q, %v", value, err)
	}
}

func TestWhatIsNoKeyOrNoVendorIsRefused(t *testing.T) {
	r := ring(t)
	for _, value := range []string{"", "two words", "a\nline", "a\x1bescape", "schlüssel", strings.Repeat("k", longest)} {
		if _, _, err := r.Set(KeyInfo{Vendor: "acme"}, value); err == nil {
			t.Errorf("%.20q was kept", value)
		}
	}
	for _, vendor := range []string{"", ".", "..", "../acme", "a/b", `a\b`, "Acme", strings.Repeat("a", 65)} {
		if _, _, err := r.Set(KeyInfo{Vendor: vendor}, "a-key-0123456789"); err == nil {
			t.Errorf("%.20q was taken for a vendor", vendor)
		}
		if _, err := r.Get(vendor); !errors.Is(err, ErrNone) {
			t.Errorf("%.20q: %v", vendor, err)
		}
	}
}

func TestAKeyInADamagedOrForeignFileIsNotUsed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes and owners say nothing here")
	}
	const secret = "a-secret-key-0123456789"
	for name, spoil := range map[string]func(file string) error{
		"damaged": func(file string) error { return os.WriteFile(file, []byte(`{"value": "`+secret), 0o600) },
		"of another": func(file string) error {
			return os.WriteFile(file, []byte(`{"vendor":"beta","place":"file","value":"`+secret+`"}`), 0o600)
		},
		"readable":             func(file string) error { return os.Chmod(file, 0o640) },
		"in a readable folder": func(file string) error { return os.Chmod(filepath.Dir(file), 0o711) },
		"a link": func(file string) error {
			return errors.Join(os.Rename(file, file+".moved"), os.Symlink(file+".moved", file))
		},
		"a folder":        func(file string) error { return errors.Join(os.Remove(file), os.Mkdir(file, 0o700)) },
		"somebody's":      func(file string) error { return foreign(file) },
		"in their folder": func(file string) error { return foreign(filepath.Dir(file)) },
	} {
		t.Run(name, func(t *testing.T) {
			r := ring(t)
			if _, _, err := r.Set(KeyInfo{Vendor: "acme"}, secret); err != nil {
				t.Fatal(err)
			}
			if err := spoil(r.Path("acme")); err != nil {
				t.Skip(err)
			}
			key, err := r.Get("acme")
			if key != "" || err == nil || errors.Is(err, ErrNone) || strings.Contains(err.Error(), secret) {
				t.Errorf("got %q, %v", key, err)
			}
		})
	}
}

// foreign gives a file to somebody else, which only root can do.
func foreign(path string) error {
	if os.Getuid() == 0 {
		return os.Chown(path, 12345, 12345)
	}
	return errors.New("only root can give a file away")
}

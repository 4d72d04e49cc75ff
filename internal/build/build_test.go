package build_test

import (
	"bytes"
	"encoding/json"
	"runtime/debug"
	"testing"

	"github.com/socrates-cli/socrates/internal/build"
)

func TestString(t *testing.T) {
	for want, i := range map[string]build.Info{
		"0.1.0 (3f2a1bc, 2026-11-25)":       {Version: "0.1.0", Commit: "3f2a1bc9aaaa", Date: "2026-11-25T21:00:00Z"},
		"0.1.0 (3f2a1bc)":                   {Version: "0.1.0", Commit: "3f2a1bc9aaaa"},
		"0.0.0-20261125210000-3f2a1bc9aaaa": {Version: "0.0.0-20261125210000-3f2a1bc9aaaa", Commit: "3f2a1bc9aaaa0000", Date: "2026-11-25T21:00:00Z"},
		"0.1.0":                             {Version: "0.1.0"},
	} {
		if got := i.String(); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}

// Every module has a package, all depend from the program, and the same program gives the same bytes.
func TestSBOM(t *testing.T) {
	recorded := &debug.BuildInfo{GoVersion: "go1.26.8", Path: "example.org/a/second", Main: debug.Module{Path: "example.org/a"}, Deps: []*debug.Module{
		{Path: "example.org/b/v2", Version: "v2.0.1", Sum: "h1:abc="},
		{Path: "example.org/c", Version: "v1.0.0", Replace: &debug.Module{Path: "example.org/d", Version: "v1.0.1"}}}}
	i := build.Info{Version: "0.1.0", Date: "2026-11-25T21:00:00Z", Target: "linux/amd64"}
	text, err := build.SBOM(i, recorded)
	if err != nil {
		t.Fatal(err)
	}
	var d struct {
		SPDXVersion, Name, DocumentNamespace string
		Packages                             []struct {
			SPDXID, Name, VersionInfo, Comment string
			ExternalRefs                       []struct{ ReferenceLocator string }
		}
		Relationships []struct{ RelationshipType, RelatedSpdxElement string }
	}
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	var got [][2]string
	for n, p := range d.Packages {
		got = append(got, [2]string{p.Name, p.ExternalRefs[0].ReferenceLocator})
		if r := d.Relationships[n]; r.RelatedSpdxElement != p.SPDXID || (r.RelationshipType == "DESCRIBES") != (n == 0) {
			t.Errorf("package %d is related as %v", n, r)
		}
	}
	want := [][2]string{{"example.org/a", "pkg:golang/example.org/a@0.1.0"}, {"stdlib", "pkg:golang/stdlib@1.26.8"},
		{"example.org/b/v2", "pkg:golang/example.org/b/v2@v2.0.1"}, {"example.org/d", "pkg:golang/example.org/d@v1.0.1"}}
	if len(got) != len(want) || d.SPDXVersion != "SPDX-2.3" || d.Name != "second 0.1.0 for linux/amd64" || d.Packages[2].Comment != "go.sum h1:abc=" {
		t.Fatalf("%v, %+v", got, d)
	}
	for n := range want {
		if got[n] != want[n] {
			t.Errorf("%v, not %v", got[n], want[n])
		}
	}
	again, _ := build.SBOM(i, recorded)
	if !bytes.Equal(text, again) {
		t.Error("the same program gave another list")
	}
	recorded.Deps[0].Version = "v2.0.2"
	if other, _ := build.SBOM(i, recorded); bytes.Contains(other, []byte(d.DocumentNamespace)) {
		t.Error("another program has the same namespace")
	}
}

package build

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path"
	"runtime/debug"
	"strings"
)

// The parts of an SPDX 2.3 document that are used.
// The names of fields are those of the specification, https://spdx.github.io/spdx-spec/v2.3.
type document struct {
	SPDXVersion       string         `json:"spdxVersion"`
	DataLicense       string         `json:"dataLicense"`
	SPDXID            string         `json:"SPDXID"`
	Name              string         `json:"name"`
	DocumentNamespace string         `json:"documentNamespace"`
	CreationInfo      creation       `json:"creationInfo"`
	Packages          []part         `json:"packages"`
	Relationships     []relationship `json:"relationships"`
}

// These types have the names and fields of SPDX 2.3.
type creation struct {
	Created  string   `json:"created"`
	Creators []string `json:"creators"`
}

// part is a module, or this program.
type part struct {
	SPDXID           string      `json:"SPDXID"`
	Name             string      `json:"name"`
	VersionInfo      string      `json:"versionInfo"`
	DownloadLocation string      `json:"downloadLocation"`
	FilesAnalyzed    bool        `json:"filesAnalyzed"`
	Comment          string      `json:"comment,omitempty"`
	ExternalRefs     []reference `json:"externalRefs"`
}

// reference says by which package URL a module is found.
type reference struct {
	Category string `json:"referenceCategory"`
	Type     string `json:"referenceType"`
	Locator  string `json:"referenceLocator"`
}

// relationship says that one part contains another.
type relationship struct {
	Element string `json:"spdxElementId"`
	Type    string `json:"relationshipType"`
	Related string `json:"relatedSpdxElement"`
}

// SBOM lists what a program was built from, as an SPDX 2.3 document: the modules that Go recorded in it, each with its sum in go.sum,
// and the standard library. The same program gives the same bytes.
// The time of creation is that of the commit and the namespace is a hash of the packages, because a random one, as the
// specification suggests, would make each build differ.
func SBOM(i Info, recorded *debug.BuildInfo) ([]byte, error) {
	name := path.Base(cmp.Or(recorded.Path, recorded.Main.Path)) // socrates, socrates-hub
	main := module(recorded.Main.Path, i.Version, "")
	parts := []part{main, module("stdlib", strings.TrimPrefix(recorded.GoVersion, "go"), "")}
	for _, m := range recorded.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		parts = append(parts, module(m.Path, m.Version, m.Sum))
	}
	d := document{SPDXVersion: "SPDX-2.3", DataLicense: "CC0-1.0", SPDXID: "SPDXRef-DOCUMENT", Packages: parts,
		Name:          name + " " + i.Version + " for " + i.Target,
		CreationInfo:  creation{cmp.Or(i.Date, "1970-01-01T00:00:00Z"), []string{"Tool: socrates " + i.Version}},
		Relationships: []relationship{{"SPDXRef-DOCUMENT", "DESCRIBES", main.SPDXID}}}
	for _, p := range parts[1:] {
		d.Relationships = append(d.Relationships, relationship{main.SPDXID, "DEPENDS_ON", p.SPDXID})
	}
	text, err := json.Marshal(parts)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text)
	d.DocumentNamespace = "https://" + recorded.Main.Path + "/sbom/" + i.Version + "/" + i.Target + "/" + hex.EncodeToString(sum[:16])
	text, err = json.MarshalIndent(d, "", "  ")
	return append(text, '\n'), err
}

// module is a module as a part. Its id has only the letters that SPDX allows.
func module(path, version, sum string) part {
	id := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' {
			return r
		}
		return '-'
	}, path)
	p := part{SPDXID: "SPDXRef-" + id, Name: path, VersionInfo: version, DownloadLocation: "NOASSERTION",
		ExternalRefs: []reference{{"PACKAGE-MANAGER", "purl", "pkg:golang/" + path + "@" + version}}}
	if sum != "" {
		p.Comment = "go.sum " + sum
	}
	return p
}

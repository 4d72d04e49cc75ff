package proof_test

import (
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/work/proof"
)

// TestBuilds: of a check is built first what go can build without running anything of the project's, and of no check that could.
func TestBuilds(t *testing.T) {
	for check, want := range map[string]string{
		"go build ./...":                                "go build ./...",
		"go vet -tags=a ./x ./y":                        "go vet -tags=a ./x ./y",
		"go test":                                       "go list -e -export -test",
		"go test ./x -run TestA -count=1 -race":         "go list -e -export -test -race ./x",
		"go test -tags a -short --timeout 5m ./...":     "go list -e -export -test -tags a ./...",
		"go test ./x -args -toolexec ./evil":            "go list -e -export -test ./x",
		"go test -exec ./evil ./x":                      "",
		"go build -toolexec=./evil ./x":                 "",
		"go vet --vettool ./evil ./x":                   "",
		"go build -o x .":                               "",
		"go build -overlay=o.json ./...":                "",
		"go build -C elsewhere ./...":                   "",
		"go test -c ./x":                                "",
		"go run ./x":                                    "",
		"go generate ./...":                             "",
		"go":                                            "",
		"./go test ./...":                               "",
		"sh test.sh":                                    "",
		"go test -vet=off -coverpkg ./... -cover ./...": "go list -e -export -test ./...",
	} {
		if got := strings.Join(proof.Builds(strings.Fields(check)), " "); got != want {
			t.Errorf("%s: %q, want %q", check, got, want)
		}
	}
}

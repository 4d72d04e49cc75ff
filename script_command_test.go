package main_test

import (
	"bufio"
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/rogpeppe/go-internal/testscript"
	_ "modernc.org/sqlite"
)

// exits runs a program and wants its exit code: exits CODE PROGRAM ARGS...
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARGS...")
	}
	sameCode(ts, args[0], ts.Exec(args[1], args[2:]...))
}

func sameCode(ts *testscript.TestScript, want string, err error) {
	code := 0
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		code = e.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if strconv.Itoa(code) != want {
		ts.Fatalf("exit code %d, not %s", code, want)
	}
}

// running is a program in the background.
type running struct {
	cmd    *exec.Cmd
	seen   chan string // lines of stderr
	err    bytes.Buffer
	out    bytes.Buffer
	hold   *os.File // open end of its stdin
	drains chan struct{}
}

// runs are a script's background programs by name; the type is also the key they are kept under.
type runs = struct{ byName *map[string]*running }

func background(ts *testscript.TestScript) map[string]*running {
	return *ts.Value(runs{}).(runs).byName
}

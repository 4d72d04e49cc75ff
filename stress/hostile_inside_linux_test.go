package stress_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// init lets this binary be the hostile program: "go test" of a project whose tests are the attempts, one system call of
// theirs, or somebody of the machine who must come to no harm.
func init() {
	hostileRole = func() bool {
		switch {
		case filepath.Base(os.Args[0]) == "go":
			beHostile()
		case len(os.Args) == 4 && os.Args[1] == "hostile" && os.Args[2] == "call":
			do, ok := calls[os.Args[3]]
			if !ok {
				fmt.Println("no such call: " + os.Args[3])
				os.Exit(2)
			}
			if err := do(); err != nil {
				fmt.Println(err)
				os.Exit(1)
			}
		case len(os.Args) >= 3 && os.Args[1] == "hostile" && os.Args[2] == "victim":
			beVictim()
		default:
			return false
		}
		return true
	}
}

// attemptTime is how long one attempt may take; what it left running goes on.
const attemptTime = 5 * time.Second

// beHostile makes every attempt that lies in the project, one after the other, and keeps what each said there.
func beHostile() {
	signal.Ignore(unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT)
	os.MkdirAll("loot", 0o755)
	env, _ := os.ReadFile("attempts/env")
	for line := range strings.Lines(string(env)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		os.Setenv(name, value)
	}
	all, _ := filepath.Glob("attempts/*.*")
	slices.Sort(all)
	dir, _ := os.Getwd()
	for _, file := range all {
		name := filepath.Base(file)
		out, _ := os.OpenFile(filepath.Join(dir, "loot", name), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o644)
		ctx, cancel := context.WithTimeout(context.Background(), attemptTime)
		cmd := attemptCommand(ctx, filepath.Join(dir, file))
		cmd.Dir, cmd.Stdout, cmd.Stderr = dir, out, out
		cmd.WaitDelay = time.Millisecond
		cmd.SysProcAttr = &unix.SysProcAttr{Setpgid: true}
		err := cmd.Run()
		cancel()
		fmt.Fprintln(out, "ended:", err)
		out.Close()
	}
	fmt.Printf("made %d attempts\n", len(all))
}

func attemptCommand(ctx context.Context, file string) *exec.Cmd {
	switch filepath.Ext(file) {
	case ".py":
		return exec.CommandContext(ctx, "python3", file)
	case ".call":
		name, _ := os.ReadFile(file)
		return exec.CommandContext(ctx, os.Getenv("W")+"/bin/inner", "hostile", "call", strings.TrimSpace(string(name)))
	}
	return exec.CommandContext(ctx, "bash", file)
}

// beVictim holds a secret in its memory, its words, its environment and an open file, until its input ends.
func beVictim() {
	secret := bytes.Repeat([]byte(os.Getenv("HERON_TOKEN")+"memory "), 100)
	f, err := os.CreateTemp("", "victim")
	if err == nil {
		f.Write(secret)
		os.Remove(f.Name())
	}
	os.Stdout.WriteString("\n")
	os.Stdin.Read(make([]byte, 1))
	os.Stdout.Write(secret[:1])
}

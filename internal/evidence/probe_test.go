package evidence_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// probe is the program that check commands start in these tests. It returns its exit status.
func probe(args []string) int {
	switch args[0] {
	case "say": // a status, and what to print
		fmt.Println(strings.Join(args[2:], "\n"))
		status, _ := strconv.Atoi(args[1])
		return status
	case "write":
		if err := os.WriteFile(args[1], []byte("written\n"), 0o644); err != nil {
			return 3
		}
	case "show": // a file
		body, err := os.ReadFile(args[1])
		if err != nil {
			return 1
		}
		os.Stdout.Write(body)
	case "has": // a file, and what it must hold
		body, err := os.ReadFile(args[1])
		if err != nil || !strings.Contains(string(body), args[2]) {
			return 1
		}
	case "lock": // make a folder that cannot be emptied
		os.MkdirAll("locked/in", 0o755)
		os.Chmod("locked", 0o555)
	case "environ": // write it to a file
		if err := os.WriteFile(args[1], []byte(strings.Join(os.Environ(), "\n")), 0o600); err != nil {
			return 3
		}
	case "input":
		body, err := io.ReadAll(os.Stdin)
		fmt.Printf("%d bytes, %v\n", len(body), err)
	case "flood":
		for _, err := os.Stdout.WriteString(strings.Repeat("y\n", 5000)); err == nil; {
			_, err = os.Stdout.WriteString(strings.Repeat("y\n", 5000))
		}
	case "wait": // for ever, whoever asks it to end
		signal.Ignore(syscall.SIGTERM)
		forever()
	case "die":
		self, _ := os.FindProcess(os.Getpid())
		self.Kill()
		forever()
	case "leave", "depart": // a child that holds the output, and args[1] open; or one in a session of its own
		child := exec.Command(os.Args[0], "hold", args[1])
		if args[0] == "depart" {
			child = exec.Command("setsid", "--fork", os.Args[0], "hold", args[1])
		}
		child.Stdout = os.Stdout
		ready, _ := child.StderrPipe()
		if child.Start() != nil {
			return 3
		}
		io.ReadFull(ready, make([]byte, 1))
	case "hold":
		signal.Ignore(syscall.SIGTERM)
		if _, err := os.OpenFile(args[1], os.O_WRONLY, 0); err != nil {
			return 3
		}
		os.Stderr.WriteString("x")
		forever()
	}
	return 0
}

// forever never returns. An empty select would be taken for a deadlock where no other goroutine is left.
func forever() {
	for {
		time.Sleep(time.Hour)
	}
}

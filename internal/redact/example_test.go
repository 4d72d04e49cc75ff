package redact_test

import (
	"fmt"
	"io"
	"os"

	"github.com/socrates-cli/socrates/internal/redact"
)

// New takes the secrets that are known word by word; what looks like a key is found without being named.
func ExampleNew() {
	r := redact.New("correct-horse-battery")
	fmt.Println(r.String("password is correct-horse-battery"))
	fmt.Println(r.String("export API_KEY=loopback-0123456789abcdef"))
	fmt.Println(r.String("the token is refreshed every hour"))
	// Output:
	// password is [redacted:known-secret]
	// export API_KEY=[redacted:assigned-secret]
	// the token is refreshed every hour
}

// A Writer also finds a secret that arrives in pieces. Close writes what it held back.
func ExampleRedactor_Writer() {
	w := redact.New("correct-horse-battery").Writer(os.Stdout)
	io.WriteString(w, "password is correct-hor")
	io.WriteString(w, "se-battery\n")
	w.Close()
	// Output:
	// password is [redacted:known-secret]
}

// FromEnviron picks the variables whose names say that they are secret.
func ExampleFromEnviron() {
	fmt.Println(redact.FromEnviron([]string{"HOME=/home/you", "OPENAI_API_KEY=sk-loopback-1", "DEBUG_TOKEN=1"}))
	// Output:
	// [sk-loopback-1]
}

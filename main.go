// Command socrates puts several AI models at one table and decides from evidence.
package main

import (
	"os"

	"github.com/socrates-cli/socrates/cmd"
	_ "github.com/socrates-cli/socrates/internal/heap"
)

func main() { os.Exit(cmd.Main(os.Args[1:])) }

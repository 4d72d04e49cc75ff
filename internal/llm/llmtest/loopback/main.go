// Command loopback runs the loopback model server, for driving other vendors' programs without a network.
//
// The first line on stdout is its URL. A model whose id ends in -429, -500, -529, -401, -stall, -freeze, -cut,
// -malformed, -empty, -refusal or -slow answers that way; answer serves all others. It runs until it is interrupted
// or terminated.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/socrates-cli/socrates/internal/llm/llmtest"
	"github.com/socrates-cli/socrates/internal/llm/llmtest/fault"
	"github.com/socrates-cli/socrates/internal/llm/rehearsal"
)

// answer is the reply of a model without a fault in its name: in a debate what a rehearsal seat would say, else an
// echo of the last line it got.
var answer = llmtest.Panelist(rehearsal.Panel()...)

func main() {
	addr := flag.String("addr", "127.0.0.1:0", "address to listen on")
	flag.Parse()
	s, err := llmtest.Serve(*addr, byName)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(s.URL)
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
	<-stop
	s.Close()
}

// byName selects the fault in a model's name.
func byName(a llmtest.Ask) llmtest.Reply {
	r := answer(a)
	switch name := a.Model[strings.LastIndex(a.Model, "-")+1:]; name {
	case "429", "500", "529", "401", "stall", "freeze", "cut", "malformed", "refusal":
		r.Fault = fault.Fault(name)
	case "empty":
		r = llmtest.Reply{}
	case "slow":
		r.Delay = 200 * time.Millisecond
	}
	return r
}

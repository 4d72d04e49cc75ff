package call

import (
	"github.com/socrates-cli/socrates/internal/build"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/tree"
)

// StreamLine is a line of stream-json and of a record. Which of the fields are set follows from Type: start,
// preparing, text, delta, node, warning or result. Readers ignore types they do not know. Lines of a record are the
// same, so a saved stream can be replayed.
type StreamLine struct {
	out.Head
	Type    string     `json:"type"`
	Message string     `json:"message,omitempty"`
	Parent  tree.ID    `json:"parent,omitempty"`
	Of      tree.ID    `json:"of,omitempty"` // of a delta: the node being answered
	SHA256  string     `json:"sha256,omitempty"`
	Text    string     `json:"text,omitempty"`
	Node    *tree.Node `json:"node,omitempty"`
	*StartLine
}

// StartLine opens a stream.
type StartLine struct {
	Schema  string   `json:"schema"`
	Program string   `json:"program"`
	CWD     string   `json:"cwd"`
	Mode    string   `json:"mode"` // of a debate read: nothing a seat does can write; else the mode of the agent
	Models  []string `json:"models"`
	Sources []string `json:"config"` // files the settings came from
	Failed  []string `json:"failed"` // configuration that did not load: warnings
}

// StartLine describes where something runs and which configuration it uses. The caller sets the mode. Its lists are
// never nil: they are arrays for every reader.
func (a *Call) StartLine(dir string) *StartLine {
	start := &StartLine{Schema: out.StreamVersion, Program: build.Version(), CWD: dir, Mode: "read",
		Sources: []string{}, Failed: []string{}}
	if from, err := a.Home.Settings.Sources(); err == nil && Exists(from.UserFile) {
		start.Sources = append(start.Sources, from.UserFile)
	}
	for _, w := range a.Home.Settings.Warned() {
		start.Failed = append(start.Failed, w.String())
	}
	return start
}

// TellUnindexed warns that a search did not see everything.
func (a *Call) TellUnindexed(e *engine.Engine) {
	if e.Unindexed() {
		a.Out.Tell("Older entries are not indexed yet and were not searched; each search indexes more.\n")
	}
}

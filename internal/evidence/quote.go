package evidence

import (
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/document"
	"github.com/socrates-cli/socrates/internal/project/folder"
)

// near is how many lines off a quote may be without the right line being named.
const near = 3

// quote compares a quote with its stated file. A missing file is as wrong as a file that does not contain the quote.
func (l *Looker) quote(e verdict.Evidence) (debate.Observation, error) {
	if e.File == "" {
		return debate.Observation{}, errors.New("the quote names no file")
	}
	flat, err := wanted(e.Quote)
	if err != nil {
		return debate.Observation{}, err
	}
	project, err := folder.Open(l.Dir)
	if err != nil {
		return debate.Observation{}, err
	}
	defer project.Close()
	name, err := project.Inside(e.File)
	if err != nil {
		return debate.Observation{}, err
	}
	body, err := project.Read(name, 0)
	if why, ok := errors.AsType[*folder.Error](err); ok && why.Reason == folder.Missing {
		return debate.Observation{Result: verdict.Fail, Grade: verdict.Matched, Detail: why.Error()}, nil
	}
	if err != nil {
		return debate.Observation{}, err
	}
	if room, ok := document.Export(string(body)); ok {
		return debate.Observation{}, fmt.Errorf("%s is the document of an earlier decision (%s): it proves nothing about the code",
			name, room)
	}
	o := debate.Observation{Result: verdict.Fail, Grade: verdict.Matched, Detail: "the file does not contain it",
		Proof: verdict.Proof{File: name, SHA256: sum(body)}}
	if e.NoLine {
		o.Detail = "no such line: lines are counted from 1"
		return o, nil
	}
	t := newText(string(body))
	p, found := t.find(flat, e.Line)
	if !found {
		return o, nil
	}
	o.Result, o.Proof.Line, o.Lines = verdict.Pass, p.first, t.excerpt(p)
	if p.last > p.first {
		o.Proof.Last = p.last
	}
	o.Detail = fmt.Sprintf("found at line %d", p.first)
	if e.Line > 0 && p.distance(e.Line) > near {
		o.Detail = fmt.Sprintf("found at line %d, not at line %d", p.first, e.Line)
	}
	return o, nil
}

// sum returns the SHA-256 of a document in hexadecimal.
func sum(b []byte) string { return fmt.Sprintf("%x", sha256.Sum256(b)) }

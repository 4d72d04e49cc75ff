package suite

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"iter"
	"strings"

	"github.com/socrates-cli/socrates/internal/lines"
)

// Problem says what is wrong with a line of a suite.
type Problem struct {
	Line    int    `json:"line"` // from 1; 0: the whole suite
	Message string `json:"message"`
}

// Error begins with the line, unless the whole suite is wrong.
func (p *Problem) Error() string {
	if p.Line == 0 {
		return p.Message
	}
	return fmt.Sprintf("line %d: %s", p.Line, p.Message)
}

// maxLine limits a line: an item with all its files.
const maxLine = 4 << 20

// Read yields the items of a suite, one JSON object per line, and a *Problem for every invalid line, after which it continues. Blank
// lines are skipped. Any other error is the reader's and ends the sequence. A suite without items yields a Problem. Read keeps only a
// hash of each id in memory.
func Read(r io.Reader) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		// A 64-bit hash: a collision of two ids is very unlikely.
		seed, ids := maphash.MakeSeed(), map[uint64]int{}
		in := bufio.NewReaderSize(r, 64<<10)
		n, items := 0, 0
		for {
			raw, long, err := lines.Read(in, maxLine)
			if err != nil && (!errors.Is(err, io.EOF) || len(raw) == 0 && !long) {
				if !errors.Is(err, io.EOF) {
					yield(Item{}, err)
				} else if items == 0 {
					yield(Item{}, &Problem{Message: "it contains no items"})
				}
				return
			}
			n++
			if n == 1 {
				raw = bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))
			}
			if !long && len(raw) == 0 {
				continue
			}
			items++
			it, wrong := Item{}, errLong
			if !long {
				it, wrong = parse(raw)
			}
			if wrong == nil {
				h := maphash.String(seed, it.ID)
				if first, doubled := ids[h]; doubled {
					wrong = fmt.Errorf("its id %q is already used on line %d", it.ID, first)
				} else {
					ids[h] = n
				}
			}
			if wrong != nil {
				if !yield(Item{}, &Problem{n, wrong.Error()}) {
					return
				}
			} else if !yield(it, nil) {
				return
			}
		}
	}
}

var errLong = fmt.Errorf("it is longer than %d MB", maxLine>>20)

// parse reads an item; its error is a sentence. Unknown fields are refused: a misspelt "options" would turn a choice into an open
// question.
func parse(raw []byte) (Item, error) {
	var it Item
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&it); err != nil {
		return it, plainer(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return it, errors.New("the line has more than one JSON object")
	}
	return it, it.Valid()
}

// plainer rewords a JSON error for people who do not know Go.
func plainer(err error) error {
	if t, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("its %s cannot be a %s", t.Field, t.Value)
	}
	text := strings.TrimPrefix(err.Error(), "json: ")
	if field, ok := strings.CutPrefix(text, "unknown field "); ok {
		return fmt.Errorf("it has a field %s, which items do not have", field)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		text = "it ends too early"
	}
	return errors.New("it is not a JSON object: " + text)
}

package receipt

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/document"
)

// An HTML export carries its record in an element that browsers neither show nor run.
const (
	recordFrom = `<template id="socrates-record" data-sha256="`
	sealFrom   = `" data-seal="`
	recordTo   = "</template>"
	pageEnd    = "</body></html>\n"
)

// Page returns a decision as one HTML page that carries its record and states its hash. text is the page, already without secrets:
// the seal covers what others receive.
func Page(text, packed, hash string) string {
	return strings.TrimSuffix(text, pageEnd) + recordFrom + hash + sealFrom + seal(packed, text) + "\">\n" + packed + "\n" + recordTo +
		"\n" + pageEnd
}

// seal returns the hash of an export's record and of what people read in it. It distinguishes an edited export from one that another
// version wrote. An export that was edited and sealed again is detected only by the hash of the record.
func seal(packed, text string) string {
	sum := sha256.Sum256([]byte(packed + "\n" + text))
	return hex.EncodeToString(sum[:])
}

// fields returns a JSON export without its seal and its layout, which may change when it is passed on.
//
// Numbers stay as written, so that none is rounded.
func fields(text string) string {
	var all map[string]any
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	if dec.Decode(&all) != nil {
		return ""
	}
	delete(all, "seal")
	out, _ := json.Marshal(all)
	return string(out)
}

// Placeholders for the record and the seal in a JSON export until it was cleaned.
const (
	recordMark = "the record of the debate"
	sealMark   = "the seal of the export"
)

// Attached has the fields of a JSON export for the record and the seal. Embed it in the exported struct.
type Attached struct {
	Packed string `json:"record"`
	Seal   string `json:"seal"`
}

// Attach returns an Attached with placeholders: see Fill.
func Attach() Attached { return Attached{recordMark, sealMark} }

// Fill replaces the placeholders in a cleaned JSON export. The record was cleaned line by line and must not change any more.
//
// No text of a model can imitate a placeholder: inside a JSON string its quotes are escaped.
func Fill(text, packed string) string {
	text = strings.Replace(text, `"record": "`+recordMark+`"`, `"record": "`+packed+`"`, 1)
	return strings.Replace(text, `"seal": "`+sealMark+`"`, `"seal": "`+seal(packed, fields(text))+`"`, 1)
}

// Open reads a record from any export that carries one: the lines of `--record`, JSON or HTML. name is used in errors.
func Open(name string, raw []byte) (Record, error) {
	text := strings.TrimSpace(strings.TrimPrefix(string(raw), "\uFEFF"))
	if room, ok := document.Room(text); ok {
		return Record{}, &Error{Foreign: true,
			Message: name + " is a decision in Markdown: it names the hash of its record but does not contain it",
			Hint:    "export it with its record: socrates debate export " + room + " --format html"}
	}
	if strings.HasPrefix(text, "<") {
		return openPage(name, string(raw))
	}
	var whole struct {
		debate.Result
		Attached
	}
	if json.Unmarshal([]byte(text), &whole) != nil || whole.Schema == "" {
		r, err := Read(name, bytes.NewReader(raw))
		if err == nil && len(r.Nodes) == 0 {
			err = &Error{Foreign: true, Message: name + " is not the record of a debate",
				Hint: "create one: socrates debate export NAME --format record --out FILE"}
		}
		return r, err
	}
	if whole.Packed == "" {
		return Record{}, &Error{Foreign: true,
			Message: name + " contains the result of a debate without its record: only its arithmetic can be recomputed",
			Hint: "recompute it: socrates debate score FILE; or export it with its record: socrates debate export " + whole.Room +
				" --format json"}
	}
	// This precedes all comparisons: of a duplicate field people may read one and this program the other.
	if key := twice([]byte(text)); key != "" {
		return Record{}, &Error{Message: fmt.Sprintf("%s was modified: it says %q twice", name, key)}
	}
	r, err := unpack(name, whole.Packed)
	r.Hash, r.said, r.edited = whole.Record, json.RawMessage(text), whole.Seal != seal(whole.Packed, fields(text))
	return r, err
}

// openPage takes the record out of a page. The rest is what people read, and the seal covers it.
func openPage(name, page string) (Record, error) {
	head, rest, ok := strings.Cut(page, recordFrom)
	marks, rest, stated := strings.Cut(rest, "\">")
	hash, sealed, _ := strings.Cut(marks, sealFrom)
	packed, tail, whole := strings.Cut(rest, recordTo+"\n")
	if !ok || !stated || !whole {
		return Record{}, &Error{Foreign: true, Message: name + " is a page without the record of a debate",
			Hint: "export one: socrates debate export NAME --format html"}
	}
	packed = strings.Join(strings.Fields(packed), "")
	r, err := unpack(name, packed)
	r.Hash, r.page = hash, head+tail
	r.edited = sealed != seal(packed, r.page)
	return r, err
}

// Package attach turns a file into an attachment for a model: a picture within every vendor's limits, a PDF, or a notebook's
// text with its pictures.
//
// [Read] decides by the bytes, and by the name only for notebooks; [Named] says by the name alone whether a file is one of these. What a
// model cannot be sent is an error that says why and what to do. Nothing here reads a disk or knows a vendor: pictures are scaled once,
// to what all of them take, so that a conversation can go on with any model and its beginning stays as it is.
//
// The limits are those of the vendors' documentation of November 2026. Anthropic: 8,000 pixels a side, 2,000 once a request has more than
// twenty pictures, 5 MB in base64 each, 32 MB a request, PDFs without a password. OpenAI: 50 MB a request. Gemini: 50 MB a PDF. All:
// PNG, JPEG, GIF, WebP.
package attach

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/llm"
)

// Bounds of what is attached.
const (
	Most      = 20       // attachments of one message
	MostBytes = 16 << 20 // of a file that is read
	MostSent  = 22 << 20 // bytes of all attachments that a conversation sends: 30 MB in base64
)

// File is what is sent of a file: Text, Attachments, or both.
type File struct {
	Text        string
	Attachments []llm.Attachment
}

// pictures are the kinds that all vendors take.
var pictures = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// endings are those of the names of files that are attached rather than read as text.
var endings = []string{".png", ".jpg", ".jpeg", ".gif", ".webp", ".pdf", ".ipynb"}

// Named says whether a name is that of a picture, a PDF or a notebook.
func Named(name string) bool { return slices.Contains(endings, strings.ToLower(path.Ext(name))) }

// Notebook says whether a name is that of a notebook.
func Notebook(name string) bool { return strings.EqualFold(path.Ext(name), ".ipynb") }

// Document says whether some bytes are a PDF, which may look like a text.
func Document(body []byte) bool {
	return bytes.HasPrefix(bytes.TrimSpace(body[:min(len(body), 1024)]), []byte("%PDF-"))
}

// Read makes a file ready to be sent. name is the file's, without folders.
func Read(name string, body []byte) (f File, err error) {
	switch {
	case Notebook(name):
		return cells(body)
	case Document(body):
		a, err := document(name, body)
		return File{Attachments: []llm.Attachment{a}}, err
	}
	a, err := Picture(body)
	a.Name = name
	return File{Attachments: []llm.Attachment{a}}, err
}

// document is a PDF as it is.
func document(name string, body []byte) (llm.Attachment, error) {
	if len(body) > MostBytes {
		return llm.Attachment{}, fmt.Errorf("it is larger than %d MB; attach the pages you need: qpdf IN.pdf --pages . 1-20 -- OUT.pdf",
			MostBytes>>20)
	}
	if bytes.Contains(body[max(0, len(body)-4096):], []byte("/Encrypt")) {
		return llm.Attachment{}, errors.New("the PDF is encrypted; remove its password first: qpdf --decrypt IN.pdf OUT.pdf")
	}
	return llm.Attachment{MIME: llm.PDF, Data: body, Name: name}, nil
}

// Picture is the picture that some bytes are, scaled if need be.
func Picture(body []byte) (llm.Attachment, error) {
	kind := http.DetectContentType(body)
	switch {
	case len(body) == 0:
		return llm.Attachment{}, errors.New("it is empty")
	case !slices.Contains(pictures, kind):
		return llm.Attachment{}, errors.New("it is not a PNG, JPEG, GIF or WebP picture, a PDF or a notebook; convert it first")
	}
	return fit(kind, body)
}

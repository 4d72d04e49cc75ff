package attach

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/socrates-cli/socrates/internal/clean"
)

// Bounds of a notebook's text, in bytes.
const mostText, mostOutput = 256 << 10, 8 << 10

// notebook is the file, nbformat 4.
type notebook struct {
	Format   int `json:"nbformat"`
	Metadata struct {
		Language struct{ Name string } `json:"language_info"`
	}
	Cells []struct {
		Type    string `json:"cell_type"`
		Source  words
		Count   *int `json:"execution_count"`
		Outputs []output
	}
}

// output is what a cell printed.
type output struct {
	Type          string `json:"output_type"`
	Text          words
	Data          map[string]json.RawMessage
	Ename, Evalue string
	Traceback     []string
}

// words are a text, which may be written as its lines.
type words string

// UnmarshalJSON implements json.Unmarshaler.
func (w *words) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		*w = words(text)
		return nil
	}
	var lines []string
	err := json.Unmarshal(raw, &lines)
	*w = words(strings.Join(lines, ""))
	return err
}

// cells is a notebook as text, with the pictures in its outputs.
func cells(body []byte) (f File, err error) {
	var n notebook
	if err := json.Unmarshal(body, &n); err != nil {
		return f, fmt.Errorf("the notebook is not valid JSON: %w", err)
	}
	if n.Format < 4 {
		return f, fmt.Errorf("the notebook has format %d; convert it: jupyter nbconvert --to notebook --inplace FILE", n.Format)
	}
	var b strings.Builder
	for i, c := range n.Cells {
		if b.Len() > mostText {
			fmt.Fprintf(&b, "[cut: %d more cells]\n", len(n.Cells)-i)
			break
		}
		what := c.Type
		if c.Type == "code" && n.Metadata.Language.Name != "" {
			what += ", " + n.Metadata.Language.Name
		}
		if c.Count != nil {
			what += fmt.Sprintf(", run %d", *c.Count)
		}
		fmt.Fprintf(&b, "--- cell %d: %s\n%s", i+1, what, line(string(c.Source), mostText))
		for _, o := range c.Outputs {
			f.output(&b, o)
		}
	}
	if len(n.Cells) == 0 {
		return f, errors.New("the notebook has no cells")
	}
	f.Text = clean.Text(b.String())
	return f, nil
}

// output writes one output, and takes the picture out of it.
func (f *File) output(b *strings.Builder, o output) {
	text := string(o.Text)
	if o.Type == "error" {
		text = o.Ename + ": " + o.Evalue + "\n" + strings.Join(o.Traceback, "\n")
	}
	var plain words
	if json.Unmarshal(o.Data["text/plain"], &plain) == nil {
		text += string(plain)
	}
	b.WriteString("--- output\n" + line(text, mostOutput))
	for _, kind := range []string{"image/png", "image/jpeg"} {
		var data words
		if json.Unmarshal(o.Data[kind], &data) != nil {
			continue
		}
		raw, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(string(data)), ""))
		if err != nil || len(f.Attachments) == Most {
			b.WriteString("[a picture is left out]\n")
			continue
		}
		p, err := Picture(raw)
		if err != nil {
			b.WriteString("[a picture is left out: " + err.Error() + "]\n")
			continue
		}
		f.Attachments = append(f.Attachments, p)
		fmt.Fprintf(b, "[picture %d]\n", len(f.Attachments))
	}
}

// line is a text that ends with a line end, cut in its middle where it is too long.
func line(text string, most int) string {
	if text == "" {
		return ""
	}
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most*3/4], "") + fmt.Sprintf("\n[cut: %d bytes]\n", len(text)-most) +
			strings.ToValidUTF8(text[len(text)-most/4:], "")
	}
	return strings.TrimRight(text, "\n") + "\n"
}

package script

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/pattern"
)

// form is the file's layout.
type form struct {
	Info  infoForm   `yaml:"info"`
	Rules []ruleForm `yaml:"rules"`
}

// infoForm is who the model is.
type infoForm struct {
	ID      string     `yaml:"id"`
	Lineage string     `yaml:"lineage"`
	Tier    llm.Tier   `yaml:"tier"`
	Window  int        `yaml:"window"`
	Output  int        `yaml:"output"`
	Acts    bool       `yaml:"acts"`
	PDF     bool       `yaml:"pdf"`
	Price   *priceForm `yaml:"price"`
}

// priceForm is in dollars per million tokens.
type priceForm struct {
	Input      float64 `yaml:"input"`
	Output     float64 `yaml:"output"`
	CacheRead  float64 `yaml:"cache_read"`
	CacheWrite float64 `yaml:"cache_write"`
}

// ruleForm is a rule in the file.
type ruleForm struct {
	Rule      `yaml:",inline"`
	ReplyFile string     `yaml:"reply_file"`
	Usage     *usageForm `yaml:"usage"`
}

// usageForm is the stated use of a call.
type usageForm struct {
	Input      int      `yaml:"input"`
	Output     int      `yaml:"output"`
	CacheRead  int      `yaml:"cache_read"`
	CacheWrite int      `yaml:"cache_write"`
	Reasoning  int      `yaml:"reasoning"`
	USD        *float64 `yaml:"usd"`
}

// Load reads the script at path. An error about the file's content names the line.
func Load(path string) (llm.Model, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the script: %w", err)
	}
	m, err := parse(raw, path)
	if err != nil {
		return nil, fmt.Errorf("script %s: %w", path, err)
	}
	return m, nil
}

// parse reads a script. It is strict: a misspelled key would be a rule that does something else.
func parse(raw []byte, path string) (llm.Model, error) {
	var f form
	d := yaml.NewDecoder(bytes.NewReader(raw))
	d.KnownFields(true)
	if err := d.Decode(&f); err != nil && !errors.Is(err, io.EOF) {
		return nil, plainer(err)
	}
	if err := d.Decode(new(yaml.Node)); err == nil {
		return nil, errors.New("it contains more than one document")
	}
	var places struct{ Info, Rules yaml.Node }
	if err := yaml.Unmarshal(raw, &places); err != nil {
		return nil, err
	}
	if len(f.Rules) == 0 {
		return nil, errors.New("it has no rules")
	}
	info, err := f.Info.info(path)
	if err != nil {
		return nil, fmt.Errorf("line %d: %w", places.Info.Line, err)
	}
	rules := make([]Rule, len(f.Rules))
	for i, r := range f.Rules {
		if rules[i], err = r.rule(filepath.Dir(path)); err != nil {
			return nil, fmt.Errorf("line %d: %w", places.Rules.Content[i].Line, err)
		}
	}
	return New(info, rules...)
}

// goType matches the decoder's mention of a Go type, which means nothing to script authors.
var goType = pattern.Of(` in type \S+`)

// plainer words a decoder's error for script authors.
func plainer(err error) error {
	text := strings.TrimPrefix(goType().ReplaceAllString(err.Error(), ""), "yaml: ")
	text = strings.TrimSpace(strings.TrimPrefix(text, "unmarshal errors:"))
	return errors.New(strings.Join(strings.Fields(text), " "))
}

// info fills in what is left out. Without a price a script is free.
func (f infoForm) info(path string) (llm.Info, error) {
	if f.ID == "" {
		f.ID = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	}
	if f.Tier != "" && !slices.Contains([]llm.Tier{llm.Small, llm.Mid, llm.Big}, f.Tier) {
		return llm.Info{}, fmt.Errorf("tier is %q; it must be small, mid or big", f.Tier)
	}
	price := cost.Price{Known: true}
	if p := f.Price; p != nil {
		price = cost.Price{Input: p.Input, Output: p.Output, CacheRead: p.CacheRead, CacheWrite: p.CacheWrite, Known: true}
	}
	if !price.Valid() {
		return llm.Info{}, errors.New("price must be numbers, not negative")
	}
	return llm.Info{ID: f.ID, Lineage: f.Lineage, Tier: f.Tier, Window: f.Window, Output: f.Output, Acts: f.Acts, PDF: f.PDF,
		Price: price}, nil
}

// rule returns the rule, with its reply read from the file that it names.
func (f ruleForm) rule(dir string) (Rule, error) {
	r := f.Rule
	if f.ReplyFile != "" {
		if r.Reply != "" {
			return r, errors.New("it has both reply and reply_file")
		}
		name := f.ReplyFile
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		raw, err := os.ReadFile(name)
		if err != nil {
			return r, fmt.Errorf("read reply_file: %w", err)
		}
		r.Reply = string(raw)
	}
	if u := f.Usage; u != nil {
		r.Usage = &cost.Usage{Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, Reasoning: u.Reasoning}
		if u.USD != nil {
			r.Usage.USD, r.Usage.Source = *u.USD, cost.Provider
		}
		if !r.Usage.Valid() {
			return r, errors.New("usage must be numbers, not negative")
		}
	}
	return r, r.check()
}

var acts = []string{"", "any", "propose", "blind", "verify", "cross", "talk", "ballot", "ready", "moderate", "estimate"}

var kinds = []trouble.Kind{trouble.Auth, trouble.Quota, trouble.RateLimit, trouble.Overloaded, trouble.Context,
	trouble.BadRequest, trouble.Network, trouble.Stall,
	trouble.Malformed, trouble.Crash, trouble.Refused, trouble.Empty}

// check says what is wrong with a rule.
func (r Rule) check() error {
	switch {
	case !slices.Contains(acts, r.Act):
		return fmt.Errorf("act is %q; it must be one of %s", r.Act, strings.Join(acts[1:], ", "))
	case r.Error != "" && !slices.Contains(kinds, r.Error):
		return fmt.Errorf("error is %q; it must be one of %v", r.Error, kinds)
	case r.Reply == "" && r.Error == "":
		return errors.New("it needs reply, reply_file or error")
	case r.Times < 0 || r.DelayMS < 0 || r.PaceMS < 0 || r.Piece < 0 || r.Cut < 0 || r.RetryAfterMS < 0:
		return errors.New("times, delay_ms, pace_ms, piece, cut and retry_after_ms must not be negative")
	case r.RetryAfterMS > 0 && r.Error == "":
		return errors.New("retry_after_ms needs a rule with an error")
	case (r.PaceMS > 0 || r.Piece > 0) && r.Reply == "":
		return errors.New("pace_ms and piece need a rule with a reply")
	case r.Cut > 0 && r.Reply == "":
		return errors.New("cut needs a rule with a reply")
	}
	for _, c := range slices.Concat(r.exchanges()...) {
		if c.Tool == "" {
			return errors.New("a call names no tool")
		}
		if _, err := json.Marshal(c.Args); err != nil {
			return fmt.Errorf("the arguments of %s cannot be encoded as JSON: %w", c.Tool, err)
		}
	}
	return checkPlaceholders(r.Reply)
}

// raw returns the call's arguments as a JSON object; check made sure that they can be one.
func (c Call) raw() json.RawMessage {
	if len(c.Args) == 0 {
		return json.RawMessage("{}")
	}
	raw, _ := json.Marshal(c.Args)
	return raw
}

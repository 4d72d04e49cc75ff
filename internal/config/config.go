// Package config reads the settings in layers and knows the origin of each value.
//
// The layers are, lowest first: built in, the user's file, the project's file, the environment, the chosen preset, flags. A project's
// file comes with a repository and is not trusted: it may tighten a setting and never widen one. Everything, from
// checking to the reference page, is derived from the table in setting.
//
// Load reads all layers and checks every value; what it returns is complete and never changes, so it is passed around
// and used by several goroutines. Getters take a key of the table and panic at any other: a misspelt key in code is
// found by the first test that runs it. Explain, All and Presets say where values come from; Set and Unset change a
// file and keep everything else in it.
//
// A mistake is an *Error with file, line and hint, and as many as fit are told at once. A value that a project may not
// set is no mistake but a Warning: a repository must not be able to stop the program, only to be told no.
//
// Keys are secrets or references to them (setting.Secret) and are masked wherever they are shown; a key in a file that
// others can read, or in a flag, is refused.
package config

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/config/setting"
	"github.com/socrates-cli/socrates/internal/process/marked"
)

// Sources say where the layers come from. Empty fields are absent layers.
type Sources struct {
	UserFile   string            // see UserFile; it need not exist
	ProjectDir string            // the folder that may have .socrates/config.yaml
	Env        []string          // NAME=value as of os.Environ; an empty value counts as unset
	Flags      map[string]string // by key, as text
	Approved   []string          // commands of the project's checks that the person approved: they count as theirs
}

// UserFile is where the user's file belongs on this system: $XDG_CONFIG_HOME/socrates/config.yaml and its like.
func UserFile() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil || !filepath.IsAbs(dir) { // a relative HOME would put it, and the store, into whatever folder is current
		return "", &Error{File: "config.yaml", Message: "no home folder found",
			Hint: "set HOME or XDG_CONFIG_HOME to an absolute path; on Windows, AppData", Err: err}
	}
	return filepath.Join(dir, "socrates", "config.yaml"), nil
}

// ProjectFile is where the file of the project in dir belongs.
func ProjectFile(dir string) string { return filepath.Join(dir, ".socrates", "config.yaml") }

// Layer is where a value was set.
type Layer string

// The layers, lowest first.
const (
	BuiltIn Layer = "built in"
	User    Layer = "user"
	Project Layer = "project"
	Env     Layer = "environment"
	Preset  Layer = "preset"
	Flag    Layer = "flag"
)

// Origin is one layer's value of one setting.
type Origin struct {
	Key   string `json:"key"`
	Layer Layer  `json:"layer"`
	File  string `json:"file"`  // or the variable or flag; empty: built in
	Line  int    `json:"line"`  // 0: not a file
	Value string `json:"value"` // as a person would write it; keys are masked
	Wins  bool   `json:"wins"`  // this is the value that counts
	Note  string `json:"note"`  // why it was refused, whole or in part; empty: it was not
}

// Place is the file and line, the variable or the flag of an origin, "built in" if there is none.
func (o Origin) Place() string {
	if o.File == "" {
		return string(o.Layer)
	}
	return place(o.File, o.Line)
}

// Warning is what a person should know of a configuration that works.
type Warning struct {
	File    string // or the variable
	Line    int    // 0: not a file
	Message string
}

// String is the warning with its place, as people read it.
func (w Warning) String() string { return place(w.File, w.Line) + ": " + w.Message }

// Config is a checked configuration. It never changes.
// Its zero value knows no setting; it comes from Load.
type Config struct {
	origins map[string][]origin // by key, lowest layer first
}

// origin is where a value comes from, with the value as code reads it.
type origin struct {
	Origin
	value   any
	lines   []int // of a list's entries in a file
	refused bool
}

// Load reads and checks all layers. The error joins *Error values, one for each mistake, the first few.
// Warnings too are the first few.
// The Config is nil where there is an error. Files are read once; nothing is watched.
func Load(from Sources) (*Config, []Warning, error) {
	l := loader{config: &Config{map[string][]origin{}}, approved: from.Approved}
	for _, s := range setting.All() {
		if v, err := s.Parse(s.Default); err == nil && !s.Named() {
			l.enter(Origin{Key: s.Key, Layer: BuiltIn}, v)
		}
	}
	l.presets()
	if from.UserFile != "" {
		l.file(User, from.UserFile)
	}
	if from.ProjectDir != "" {
		l.file(Project, ProjectFile(from.ProjectDir))
	}
	l.environ(from.Env)
	l.preset(from.Flags)
	l.flags(from.Flags)
	l.events()
	if len(l.errs) > 0 {
		return nil, l.warnings, errors.Join(l.errs...)
	}
	return l.config, l.warnings, nil
}

// loader fills a Config.
type loader struct {
	config   *Config
	warnings []Warning
	errs     []error
	approved []string
}

// enter sets a key for a layer. Layers come in the order of their weight, so the last one wins.
func (l *loader) enter(o Origin, v any) {
	o.Value = setting.Show(v)
	l.config.origins[o.Key] = append(l.config.origins[o.Key], origin{Origin: o, value: v})
}

// warn keeps the first few: a hostile file could cause thousands.
func (l *loader) warn(w Warning) {
	if len(l.warnings) < mostErrors {
		l.warnings = append(l.warnings, w)
	}
}

// fail notes a mistake and goes on, so that all of them are told at once.
func (l *loader) fail(file string, line int, key string, err error, hint string) {
	if len(l.errs) < mostErrors {
		l.errs = append(l.errs, &Error{File: file, Line: line, Message: key + ": " + err.Error(), Hint: hint, Err: err})
	}
}

// A value that is wrong is left out and told, so that one mistake does not hide the next.
func (l *loader) file(layer Layer, file string) {
	d, err := read(file)
	if err != nil {
		l.errs = append(l.errs, err)
		return
	}
	l.errs = append(l.errs, d.errs...)
	for _, e := range d.values {
		row, _ := setting.Find(e.key)
		v, err := e.value(row)
		if err != nil {
			l.fail(file, e.line, e.key, err, "")
			continue
		}
		o := Origin{Key: e.key, Layer: layer, File: file, Line: e.line}
		if layer == Project {
			l.project(row, o, v)
			l.lines(e)
			continue
		}
		if key, ok := v.(setting.Secret); ok && key.IsPlain() && !d.private {
			l.fail(file, e.line, e.key, errors.New("others can read this file"), "chmod 600 "+file)
			continue
		}
		l.enter(o, v)
		l.lines(e)
	}
}

// lines notes on which lines the entries stand that e brought to the list entered last; they are its end.
func (l *loader) lines(e given) {
	all := l.config.origins[e.key]
	o := &all[len(all)-1]
	values, _ := o.value.([]string)
	for i, n := len(e.items)-1, len(values)-1; i >= 0 && n >= 0; i-- {
		if e.items[i] == values[n] {
			o.lines = append([]int{e.lines[i]}, o.lines...)
			n--
		}
	}
}

// project enters a value of the project as far as it tightens.
// A list that is refused in part keeps the rest; only if nothing of it counts is it refused as a whole, which lets the
// layer below win.
func (l *loader) project(s setting.Row, o Origin, v any) {
	below := l.config.value(o.Key)
	if o.Key == "checks.commands" {
		below = append(slices.Clone(below.([]string)), l.approved...)
	}
	kept, refused := s.Restrict(below, v)
	o.Note = refused
	if refused != "" {
		l.warn(Warning{o.File, o.Line, o.Key + ": ignored: " + refused})
	}
	whole := refused != "" && (s.Type != setting.List || setting.Show(kept) == setting.Show(below))
	if whole {
		kept = v
	}
	l.enter(o, kept)
	all := l.config.origins[o.Key]
	all[len(all)-1].refused = whole
}

// A variable that names no setting may be a typo or somebody else's, so it is a warning.
func (l *loader) environ(environ []string) {
	for _, entry := range environ {
		name, text, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, setting.EnvPrefix) || text == "" || marked.Given(name) {
			continue
		}
		key, ok := setting.KeyOfEnv(name)
		if !ok {
			asKey := strings.ToLower(strings.TrimPrefix(name, setting.EnvPrefix))
			l.warn(Warning{File: name, Message: "no such setting (" + setting.NearestEnv(asKey) + ")"})
			continue
		}
		l.text(Origin{Key: key, Layer: Env, File: name}, text)
	}
}

// flags takes the flags, the last layer.
func (l *loader) flags(flags map[string]string) {
	for _, key := range slices.Sorted(maps.Keys(flags)) {
		file := "flag " + quoteKey(key)
		if _, ok := setting.Find(key); !ok {
			l.errs = append(l.errs, &Error{File: file, Message: "unknown key " + quoteKey(key), Hint: setting.Nearest(key)})
			continue
		}
		l.text(Origin{Key: key, Layer: Flag, File: file}, flags[key])
	}
}

// text enters a value of a layer that is not a file.
// A key in a flag can be read by every user of the machine in its list of processes.
func (l *loader) text(o Origin, text string) {
	row, _ := setting.Find(o.Key)
	v, err := row.Parse(text)
	if key, ok := v.(setting.Secret); err == nil && ok && key.IsPlain() && o.Layer == Flag {
		err = errors.New("keys in flags are visible to other users; use env:NAME or file:PATH")
	}
	if err != nil {
		l.fail(o.File, 0, o.Key, err, "")
		return
	}
	l.enter(o, v)
}

// value is what counts, nil if nothing is set.
func (c *Config) value(key string) any {
	o, _ := c.winner(key)
	return o.value
}

// winner is the origin that counts.
func (c *Config) winner(key string) (origin, bool) {
	for _, o := range slices.Backward(c.origins[key]) {
		if !o.refused {
			return o, true
		}
	}
	return origin{}, false
}

// String returns a Text, Choice, URL or Path; "" if it is not set. Like all of these it panics at a key that is not in
// the table or has another type: a programmer's mistake.
func (c *Config) String(key string) string {
	return typed[string](c, key, setting.Text, setting.Choice, setting.URL, setting.Path)
}

// Int returns a Count.
func (c *Config) Int(key string) int { return typed[int](c, key, setting.Count) }

// Float returns an Amount.
func (c *Config) Float(key string) float64 { return typed[float64](c, key, setting.Amount) }

// Duration returns a Span.
func (c *Config) Duration(key string) time.Duration {
	return typed[time.Duration](c, key, setting.Span)
}

// Secret returns a Key.
func (c *Config) Secret(key string) setting.Secret { return typed[setting.Secret](c, key, setting.Key) }

// Strings returns a copy of a List.
func (c *Config) Strings(key string) []string {
	return slices.Clone(typed[[]string](c, key, setting.List))
}

// It panics where code asks for a key that the table does not have, or by the wrong type.
func typed[T any](c *Config, key string, types ...setting.Type) T {
	row, ok := setting.Find(key)
	if !ok || !slices.Contains(types, row.Type) {
		panic(fmt.Sprintf("config: no setting %q of type %v", key, types))
	}
	v, _ := c.value(key).(T)
	return v
}

// Provider is an endpoint the user named. All fields but Name may be empty.
// Key may be a reference that leads nowhere: it is followed when it is used.
type Provider struct {
	Name, BaseURL string
	Key           setting.Secret
	Lineage, Wire string
	Model         string
	Cloud         Cloud
}

// Cloud is what a cloud's endpoint needs besides. All fields may be empty.
type Cloud struct{ Region, Profile, Project string }

// Providers returns the user's endpoints in the order of their names.
func (c *Config) Providers() []Provider {
	var out []Provider
	for _, name := range c.Below("providers") {
		at := "providers." + name + "."
		key, _ := c.value(at + "key").(setting.Secret)
		out = append(out, Provider{Name: name, BaseURL: c.String(at + "base_url"), Key: key,
			Lineage: c.String(at + "lineage"), Wire: c.String(at + "wire"), Model: c.String(at + "model"),
			Cloud: Cloud{c.String(at + "region"), c.String(at + "profile"), c.String(at + "project")}})
	}
	return out
}

// Line is one entry of a list, and where it was written.
type Line struct {
	Text  string
	Layer Layer
	File  string // or the variable or flag
	Line  int    // 0: not a file
}

// Rules returns permission.rules line by line: those of the layer that counts, and what a project adds to them.
// Later layers replace earlier ones, except the project's, whose rules can only deny or ask and are added.
func (c *Config) Rules() []Line {
	const key = "permission.rules"
	var out []Line
	for _, o := range c.origins[key] {
		all, _ := o.value.([]string)
		if o.refused {
			continue
		}
		if o.Layer != Project {
			out = nil
		}
		for i := len(out); i < len(all); i++ {
			line := o.Line
			if at := len(o.lines) - len(all) + i; at >= 0 {
				line = o.lines[at]
			}
			out = append(out, Line{all[i], o.Layer, o.File, line})
		}
	}
	return out
}

// layers are all of them, lowest first.
var layers = []Layer{BuiltIn, User, Project, Env, Preset, Flag}

// OwnTier is the tier that is set for a vendor or program alone, whatever the name; empty: none is.
func (c *Config) OwnTier(name string) string {
	tier, _ := c.value("tiers." + name).(string)
	return tier
}

// Tier is the tier of a vendor's or program's seats in debates that name no model: its own, unless that of all comes from a
// higher layer. Empty: none is set.
func (c *Config) Tier(name string) string {
	if own := c.OwnTier(name); own != "" && slices.Index(layers, c.Wins("tiers."+name)) >= slices.Index(layers, c.Wins("debate.tier")) {
		return own
	}
	return c.String("debate.tier")
}

// Wins is the layer whose value of a key counts; empty if it has none.
func (c *Config) Wins(key string) Layer {
	o, _ := c.winner(key)
	return o.Layer
}

// Explain returns every layer's value of a key, lowest first; nothing if no layer has one.
// Origins of a refused value have a Note; the one that counts has Wins.
func (c *Config) Explain(key string) []Origin {
	var out []Origin
	wins := -1
	for i, o := range c.origins[key] {
		out = append(out, o.Origin)
		if !o.refused {
			wins = i
		}
	}
	if wins >= 0 {
		out[wins].Wins = true
	}
	return out
}

// All returns the origin that counts of every key that has a value, in the order of the reference. What the program's
// own presets say is left out: Presets returns it.
func (c *Config) All() []Origin {
	keys := map[string][]string{} // of each row
	for _, key := range slices.Sorted(maps.Keys(c.origins)) {
		row, _ := setting.Find(key)
		keys[row.Key] = append(keys[row.Key], key)
	}
	var out []Origin
	for _, s := range setting.All() {
		for _, key := range keys[s.Key] {
			for _, o := range c.Explain(key) {
				if o.Wins && !(o.Layer == BuiltIn && strings.HasPrefix(key, "presets.")) {
					out = append(out, o)
				}
			}
		}
	}
	return out
}

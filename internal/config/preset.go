package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/config/setting"
	"github.com/socrates-cli/socrates/internal/spelling"
)

// A preset is settings under a name: a layer that lies over all others but the flags. Each of its fields is another
// way to write one setting.

// builtInPresets are the presets that come with the program, as a person would write them. An empty value is one: it
// takes back what is set elsewhere.
var builtInPresets = map[string]map[string]string{
	"balanced": {"doc": "the defaults", "tiers": "", "effort": "", "strategy": "council", "economy": "",
		"rounds": "2", "seat_timeout": "5m", "timeout": "20m", "checking": "standard"},
	"deep": {"doc": "big models, high effort, long time limits and more checks", "tiers": "big", "effort": "high", "economy": "",
		"rounds": "2", "seat_timeout": "15m", "timeout": "1h", "checking": "deep"},
	"pair": {"doc": "two seats of different families first, the rest if they differ", "economy": "pair"},
	"quick": {"doc": "small models, two seats first, a few minutes", "tiers": "small", "economy": "pair",
		"rounds": "1", "seat_timeout": "2m", "timeout": "5m"},
}

// presets enters those that come with the program, so that the user's settings go over them field by field.
func (l *loader) presets() {
	for name, fields := range builtInPresets {
		for field, text := range fields {
			key := "presets." + name + "." + field
			s, _ := setting.Find(key)
			v, err := s.Parse(text)
			if err != nil {
				panic("config: " + key + ": " + err.Error())
			}
			l.enter(Origin{Key: key, Layer: BuiltIn}, v)
		}
	}
}

// preset enters the settings of the preset that is chosen: by a flag, else by the setting. The project's file tightens
// them as it does the user's.
// A preset lies over the environment, so that --preset deep means the same everywhere; only flags change it.
func (l *loader) preset(flags map[string]string) {
	from, _ := l.config.winner("preset")
	name, _ := from.value.(string)
	if flag := flags["preset"]; flag != "" {
		name, from = flag, origin{Origin: Origin{File: "flag preset"}}
	}
	if name == "" {
		return
	}
	names := l.config.presetNames()
	if !slices.Contains(names, name) {
		hint := "known presets: " + strings.Join(names, ", ")
		if best := spelling.Nearest(name, names); best != "" {
			hint = "did you mean " + best + "?"
		}
		l.fail(from.File, from.Line, "preset", fmt.Errorf("names an unknown preset: %s", quoteKey(name)), hint)
		return
	}
	for _, f := range setting.PresetFields {
		set, ok := l.config.winner("presets." + name + "." + f.Field)
		if !ok {
			continue
		}
		o := Origin{Key: f.Key, Layer: Preset, File: set.File, Line: set.Line}
		if o.File == "" {
			o.File = "preset " + name
		}
		v := set.value
		if project := l.config.of(f.Key, Project); project != nil {
			row, _ := setting.Find(f.Key)
			if v, _ = row.Restrict(v, project); setting.Show(v) != set.Value {
				o.Note = "the preset says " + set.Value + "; the project's file limits it"
			}
		}
		l.enter(o, v)
	}
}

// of is what a layer says of a key, nil if nothing that was not refused.
func (c *Config) of(key string, layer Layer) any {
	for _, o := range c.origins[key] {
		if o.Layer == layer && !o.refused {
			return o.value
		}
	}
	return nil
}

// presetNames are the presets that set something, in order.
func (c *Config) presetNames() []string {
	var names []string
	for key := range c.origins {
		if rest, ok := strings.CutPrefix(key, "presets."); ok && c.value(key) != nil {
			names = append(names, rest[:strings.LastIndexByte(rest, '.')])
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// PresetInfo is a preset and what it sets.
// Sets has the preset's own fields alone.
type PresetInfo struct {
	Name   string   `json:"name"`
	Doc    string   `json:"doc"`
	Chosen bool     `json:"chosen"` // it counts
	Sets   []Origin `json:"sets"`   // by their keys in the preset, in the order of the reference
}

// Presets returns all presets in the order of their names.
func (c *Config) Presets() []PresetInfo {
	var out []PresetInfo
	for _, name := range c.presetNames() {
		p := PresetInfo{Name: name, Doc: c.String("presets." + name + ".doc"), Chosen: c.String("preset") == name, Sets: []Origin{}}
		for _, f := range setting.PresetFields {
			if o, ok := c.winner("presets." + name + "." + f.Field); ok {
				o.Wins = true
				p.Sets = append(p.Sets, o.Origin)
			}
		}
		out = append(out, p)
	}
	return out
}

package cli

import "github.com/socrates-cli/socrates/internal/llm"

func Claude(o Options) llm.Model { return claude.New(o) }

func Pi(o Options) llm.Model { return pi.New(o) }

// Script is what codex has a shell run.
var Script = script

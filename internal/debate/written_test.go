package debate_test

import (
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/document"
)

// written is the whole document of a result.
func written(res debate.Result) string { return document.Of(res).Markdown() }

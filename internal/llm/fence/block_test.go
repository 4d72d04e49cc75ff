package fence_test

import (
	"maps"
	"testing"

	"github.com/socrates-cli/socrates/internal/llm/fence"
)

func TestBlocks(t *testing.T) {
	for name, tc := range map[string]struct {
		prompt string
		want   map[string]string
	}{
		"two":                      {"<question>\nWhy?\nHow?\n</question>\n\n<task>\nanswer\n</task>\n", map[string]string{"question": "Why?\nHow?", "task": "answer"}},
		"a tag inside is data":     {"<question>\n<options>\nA: x\n</options>\n</question>\n<options>\nA: y\n</options>\n", map[string]string{"question": "<options>\nA: x\n</options>", "options": "A: y"}},
		"the first counts":         {"<a>\n1\n</a>\n<a>\n2\n</a>\n", map[string]string{"a": "1"}},
		"one that stays open":      {"<a>\n1\n", map[string]string{}},
		"prose around, line ends":  {"Well <a>:\r\n<a>\r\n1\r\n</a>\r\n", map[string]string{"a": "1\r"}},
		"no tag at all, empty one": {"<>\n</>\n<b>\n</b>", map[string]string{"b": ""}},
	} {
		if got := fence.Blocks(tc.prompt); !maps.Equal(got, tc.want) {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

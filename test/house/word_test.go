package house

import (
	"os"
	"strings"
	"testing"
)

// Each home of a word has its type, and docs/words.md says what it means.
func TestMeanings(t *testing.T) {
	files, err := Sources("../..")
	if err != nil {
		t.Fatal(err)
	}
	have := declaredTypes(files)
	page, err := os.ReadFile("../../docs/words.md")
	if err != nil {
		t.Fatal(err)
	}
	for word, homes := range meanings {
		if !strings.Contains(string(page), "\n| "+word+" | ") {
			t.Errorf("docs/words.md does not say what a %s is", word)
		}
		for _, home := range homes {
			_, exported := have[home+"."+strings.ToUpper(word[:1])+word[1:]]
			if _, own := have[home+"."+word]; !exported && !own {
				t.Errorf("%s has no type %s: its line can go", home, word)
			}
		}
	}
	for _, found := range Meanings(files) {
		t.Error(found)
	}
}

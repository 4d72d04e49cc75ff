package script

import (
	"go/doc/comment"
	"go/parser"
	"go/token"
	"reflect"
	"strings"
	"testing"
)

// What the package says of the form of a file, which is docs/scripts.md too, is a script, and tells every key and word.
func TestTheFormIsToldWhole(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "script.go", nil, parser.ParseComments|parser.PackageClauseOnly)
	if err != nil {
		t.Fatal(err)
	}
	told := file.Doc.Text()
	for _, block := range new(comment.Parser).Parse(told).Content {
		if code, ok := block.(*comment.Code); ok {
			if _, err := parse([]byte(code.Text), "form.yaml"); err != nil {
				t.Errorf("the form itself cannot be read: %v", err)
			}
		}
	}
	var words []string
	for _, form := range []reflect.Type{reflect.TypeFor[infoForm](), reflect.TypeFor[priceForm](), reflect.TypeFor[ruleForm](), reflect.TypeFor[Rule](), reflect.TypeFor[usageForm](), reflect.TypeFor[Call]()} {
		for i := range form.NumField() {
			if key := form.Field(i).Tag.Get("yaml"); key != "-" && !strings.HasPrefix(key, ",") {
				words = append(words, key)
			}
		}
	}
	words = append(words, acts[1:]...)
	for _, kind := range kinds {
		words = append(words, string(kind))
	}
	for _, word := range words {
		if !strings.Contains(told, word) {
			t.Errorf("nothing is said of %s", word)
		}
	}
}

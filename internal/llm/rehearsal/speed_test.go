package rehearsal_test

import (
	"fmt"
	"strings"
	"testing"
)

func BenchmarkCouncilIn5000Files(b *testing.B) {
	files := map[string]string{}
	filler := strings.Repeat("func handle(request Request) (Response, error) { return route(request.Path), nil }\n", 100)
	for i := range 5000 {
		files[fmt.Sprintf("service%d/handler%d.go", i%50, i)] = filler
	}
	for name, text := range storeProject {
		files[name] = text
	}
	dir := folder(b, files)
	for b.Loop() {
		hold(b, dir, storeQuestion, "").sound(b)
	}
}

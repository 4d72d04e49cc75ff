package rehearsal_test

import "testing"

func TestHere(t *testing.T) {
	for _, q := range []string{storeQuestion, "Should we use cgo?", "Should the web page be built with React or Svelte?", "Should seats be allowed to write files?", "Should the flux capacitor be blue or green?", "Should we use sqlite or postgres for the store?", "How should sessions be stored?"} {
		t.Log("======", q)
		r := hold(t, "/work/main", q, "")
		r.sound(t)
		r.show(t)
	}
}

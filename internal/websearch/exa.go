package websearch

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strings"
)

// exa speaks Exa's search API, as documented in November 2026 (docs.exa.ai/reference/search).
var exa = protocol{
	name: "exa", base: "https://api.exa.ai",
	ask: func(base, key, query string) (*http.Request, error) {
		r, err := post(base+"/search", map[string]any{"query": query, "numResults": most,
			"contents": map[string]any{"highlights": true}})
		if err == nil {
			r.Header.Set("X-Api-Key", key)
		}
		return r, err
	},
	read: func(answer []byte) (found []Result, err error) {
		var a struct {
			Results []struct {
				Title, URL, Text string
				Highlights       []string
			}
		}
		err = json.Unmarshal(answer, &a)
		for _, r := range a.Results {
			found = append(found, Result{r.Title, r.URL, cmp.Or(strings.Join(r.Highlights, " … "), r.Text)})
		}
		return found, err
	},
}

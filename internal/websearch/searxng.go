package websearch

import (
	"encoding/json"
	"net/http"
	"net/url"
)

// searxng speaks SearXNG's search API (docs.searxng.org/dev/search_api.html, November 2026). The server must allow the format json in
// its settings.yml, else it answers 403.
var searxng = protocol{
	name: "searxng", keyless: true,
	ask: func(base, key, query string) (*http.Request, error) {
		r, err := get(base+"/search", url.Values{"q": {query}, "format": {"json"}})
		if err == nil && key != "" { // of a proxy before it
			r.Header.Set("Authorization", "Bearer "+key)
		}
		return r, err
	},
	read: func(answer []byte) (found []Result, err error) {
		var a struct {
			Results []struct{ Title, URL, Content string }
		}
		err = json.Unmarshal(answer, &a)
		for _, r := range a.Results {
			found = append(found, Result{r.Title, r.URL, r.Content})
		}
		return found, err
	},
}

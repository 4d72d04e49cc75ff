package websearch

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
)

// brave speaks Brave's Web Search API, as documented in November 2026 (api-dashboard.search.brave.com/docs).
var brave = protocol{
	name: "brave", base: "https://api.search.brave.com/res/v1",
	ask: func(base, key, query string) (*http.Request, error) {
		r, err := get(base+"/web/search", url.Values{"q": {query}, "count": {strconv.Itoa(most)}})
		if err == nil {
			r.Header.Set("X-Subscription-Token", key)
		}
		return r, err
	},
	read: func(answer []byte) (found []Result, err error) {
		var a struct {
			Web struct {
				Results []struct{ Title, URL, Description string }
			}
		}
		err = json.Unmarshal(answer, &a)
		for _, r := range a.Web.Results {
			found = append(found, Result{r.Title, r.URL, r.Description})
		}
		return found, err
	},
}

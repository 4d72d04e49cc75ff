package websearch

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
)

// kagi speaks Kagi's Search API v0, as documented in November 2026 (help.kagi.com/kagi/api/search.html).
var kagi = protocol{
	name: "kagi", base: "https://kagi.com/api/v0",
	ask: func(base, key, query string) (*http.Request, error) {
		r, err := get(base+"/search", url.Values{"q": {query}, "limit": {strconv.Itoa(most)}})
		if err == nil {
			r.Header.Set("Authorization", "Bot "+key)
		}
		return r, err
	},
	read: func(answer []byte) (found []Result, err error) {
		var a struct {
			Data []struct {
				T                   int // 0: a result; others are related searches
				URL, Title, Snippet string
			}
			Error []struct{ Msg string }
		}
		if err = json.Unmarshal(answer, &a); err == nil && len(a.Error) > 0 {
			err = errors.New(a.Error[0].Msg)
		}
		for _, r := range a.Data {
			if r.T == 0 {
				found = append(found, Result{r.Title, r.URL, r.Snippet})
			}
		}
		return found, err
	},
}

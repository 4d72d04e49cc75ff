package llmtest_test

import (
	"bufio"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/socrates-cli/socrates/internal/llm/llmtest"
	"github.com/socrates-cli/socrates/internal/llm/llmtest/fault"
)

func post(t *testing.T, url, body string) *http.Response {
	t.Helper()
	res, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Body.Close() })
	return res
}

func TestCloseDoesNotWaitForAStalledClient(t *testing.T) {
	s := llmtest.NewServer(llmtest.Say(llmtest.Reply{Text: "one two three", Fault: fault.Freeze}))
	res := post(t, s.URL+"/v1/messages", `{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]}`)
	if line, err := bufio.NewReader(res.Body).ReadString('\n'); err != nil || line != "event: message_start\n" {
		t.Fatalf("first line %q, %v", line, err)
	}
	s.Close()
}

func TestFailingEndsUnderConcurrentCalls(t *testing.T) {
	s := llmtest.NewServer(llmtest.Failing(3, llmtest.Reply{Fault: fault.Limited}, llmtest.Say(llmtest.Reply{Text: "fine"})))
	defer s.Close()
	var wg sync.WaitGroup
	var mu sync.Mutex
	status := map[int]int{}
	for range 10 {
		wg.Go(func() {
			res, err := http.Post(s.URL+"/v1/chat/completions", "application/json", strings.NewReader(`{"model":"m","messages":[]}`))
			if err != nil {
				t.Error(err)
				return
			}
			res.Body.Close()
			mu.Lock()
			status[res.StatusCode]++
			mu.Unlock()
		})
	}
	wg.Wait()
	if status[429] != 3 || status[200] != 7 || len(s.Calls()) != 10 {
		t.Errorf("statuses %v of %d calls, want 3 times 429 and 7 times 200", status, len(s.Calls()))
	}
}

func TestAWebSocketIsRefused(t *testing.T) {
	s := llmtest.NewServer(llmtest.Say(llmtest.Reply{}))
	defer s.Close()
	req, _ := http.NewRequest("GET", s.URL+"/v1/responses", nil)
	req.Header.Set("Connection", "Upgrade")
	req.Header.Set("Upgrade", "websocket")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusUpgradeRequired {
		t.Errorf("status %d, want 426", res.StatusCode)
	}
}

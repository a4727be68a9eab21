package proxy_test

import (
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"gatehouse/agentd/leakscan"
	"gatehouse/agentd/redact"
)

// carriers are the texts in which a secret comes before a model.
var carriers = map[string]func(s string) string{
	"prose": func(s string) string { return "The key is " + s + ", please use it." },
	"JSON": func(s string) string {
		b, _ := json.Marshal(map[string]any{"config": map[string]any{"api_key": s}}) // a string
		return string(b)
	},
	"YAML":        func(s string) string { return fmt.Sprintf("config:\n  key: %q\n", s) },
	"log":         func(s string) string { return fmt.Sprintf(`time=2026-01-01 level=WARN msg="refused" key=%q`, s) },
	"URL":         func(s string) string { return "GET https://api.example.com/v1?k=" + s + "&x=1" },
	"header":      func(s string) string { return "> Authorization: Bearer " + s + "\n> Accept: */*" },
	"diff":        func(s string) string { return "--- a/.env\n+++ b/.env\n-KEY=old\n+KEY=" + s },
	"hexdump":     func(s string) string { return hex.Dump([]byte("KEY=" + s)) },
	"Markdown":    func(s string) string { return "| key |\n|---|\n| `" + s + "` |" },
	"stack trace": func(s string) string { return "panic: dial(" + s + ")\n\tmain.go:12 +0x1d" },
	".env":        func(s string) string { return "A=1\nKEY=" + s + "\nB=2" },
	"XML": func(s string) string {
		var b strings.Builder
		_ = xml.EscapeText(&b, []byte(s)) // a Builder takes all
		return "<a><key>" + b.String() + "</key></a>"
	},
	"CSV": func(s string) string {
		var b strings.Builder
		w := csv.NewWriter(&b)
		_ = w.Write([]string{"key", s}) // a Builder takes all
		w.Flush()
		return b.String()
	},
}

// TestLeaks sends secrets of every kind in every form and carrier through the proxy, as words of the user, as results of
// tools and as arguments. A scanner that shares no code with the one at work looks through everything that arrived.
func TestLeaks(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, ok)
	canaries := leakscan.Canaries(rand.New(rand.NewPCG(5, 6)))
	var known []redact.Known
	for _, c := range canaries {
		known = append(known, redact.Known{Name: "test." + c.Name, Value: c.Value})
	}
	r := start(t, oneOpenAI(u.srv.URL), known...)
	sent := 0
	for _, c := range canaries {
		for form, text := range forms(c.Value) {
			var messages []any
			for _, carry := range carriers {
				if strings.HasPrefix(form, "base64") && len(text) < 8 {
					continue // no whole group of it is left
				}
				args, _ := json.Marshal(map[string]string{"text": carry(text)}) // a string
				messages = append(messages, map[string]any{"role": "user", "content": carry(text)})
				if form != "itself" {
					continue // the words of the user stand for all others
				}
				messages = append(messages,
					map[string]any{"role": "assistant", "tool_calls": []any{map[string]any{"id": "c", "type": "function", "function": map[string]any{"name": "look", "arguments": string(args)}}}},
					map[string]any{"role": "tool", "tool_call_id": "c", "content": carry(text)})
			}
			if len(messages) == 0 {
				continue
			}
			if status, said := r.post(t, chatPath, request(map[string]any{"messages": messages})); status != http.StatusOK {
				t.Fatalf("%s as %s: %d %.300s", c.Name, form, status, said)
			}
			sent += len(messages)
			wantClean(t, canaries, c.Name+" as "+form, u.last(t).body)
		}
	}
	t.Logf("%d texts were looked through", sent)
}

// wantClean looks through each text by itself: what stands in two is not one.
func wantClean(t *testing.T, canaries []leakscan.Canary, what string, body []byte) {
	t.Helper()
	var in struct {
		Messages []json.RawMessage `json:"messages"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		t.Fatal(err)
	}
	s := leakscan.New(canaries...)
	for _, m := range in.Messages {
		for _, l := range s.Bytes(what, m) {
			t.Errorf("%s: %.300s", l, m)
		}
	}
}

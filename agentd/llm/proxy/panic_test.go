package proxy_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"gatehouse/agentd/llm/budget"
	"gatehouse/agentd/llm/proxy"
	"gatehouse/agentd/llm/scrub"
	"gatehouse/agentd/redact"
)

// breaking is a caller's connection whose answer ends in a panic.
type breaking struct{ *httptest.ResponseRecorder }

func (breaking) Write([]byte) (int, error) { panic("no room to write") }

// TestPanic_settled: wherever a panic ends a call that was begun, what it has reserved is given back, and what it may have used is
// counted once.
func TestPanic_settled(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer func(http.ResponseWriter, *http.Request, []byte)
		writer func() http.ResponseWriter
		output int64 // of one call
	}{
		"while a refusal is read": {
			fails(http.StatusInternalServerError, "break it"),
			func() http.ResponseWriter { return httptest.NewRecorder() }, 0,
		},
		"while the answer is passed on": {ok, func() http.ResponseWriter { return breaking{httptest.NewRecorder()} }, 3},
	} {
		dir := t.TempDir()
		u := newUpstream(t, c.answer)
		o := oneOpenAI(u.srv.URL)
		o.Engine = func([]redact.Known) scrub.Engine { return faulty{} }
		r := startIn(t, dir, o)
		r.limit(t, budget.Limits{Day: 40_000})
		const calls = 5
		for n := int64(1); n <= calls; n++ {
			req := authorized(t, http.MethodPost, chatPath)
			sent := httptest.NewRequest(http.MethodPost, "http://localhost"+chatPath, strings.NewReader(chat("Hello")))
			sent.Header = req.Header
			sent.Header.Set("Content-Type", "application/json")
			func() {
				defer func() { _ = recover() }() // what the server of net/http does
				r.ServeHTTP(c.writer(), sent)
			}()
			eventually(t, name+": the call is counted", func() bool { return r.counted(t)[0] == n })
		}
		if written := r.counted(t)[1]; written != calls*c.output {
			t.Errorf("%s: %d tokens were written", name, written)
		}
		u.answer = ok
		status, said := r.post(t, chatPath, chat("Hello"))
		if limit := limitIn(t, u.last(t).body); status != http.StatusOK || limit["max_tokens"] != 16384 {
			t.Errorf("%s: %d with the limit %v: %s", name, status, limit, said)
		}
		eventually(t, name+": the next call is counted", func() bool { return r.counted(t)[0] == calls+1 })
		r.stop()
		again := startIn(t, dir, o)
		again.learn(t)
		if n := again.counted(t)[0]; n != calls+1 {
			t.Errorf("%s: a new start counts %d calls", name, n)
		}
	}
}

// counted are how many calls stand in the book, and how many tokens they wrote.
func (r *rig) counted(t *testing.T) (n [2]int64) {
	t.Helper()
	res, err := r.overSocket().Do(authorized(t, http.MethodGet, proxy.UsagePath+"?after=0"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	var seen proxy.Usage
	if err := json.NewDecoder(res.Body).Decode(&seen); err != nil {
		t.Fatal(err)
	}
	for _, row := range seen.Items {
		n[0], n[1] = n[0]+row.Requests, n[1]+row.Output
	}
	return n
}

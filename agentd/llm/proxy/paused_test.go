package proxy_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/llm/budget"
	"gatehouse/agentd/llm/profile"
	"gatehouse/agentd/llm/proxy"
)

// who asks which agents are paused, when each asks a model.
func (r *rig) who(t *testing.T, models map[string]string) (out proxy.Paused) {
	t.Helper()
	body, err := json.Marshal(proxy.Asking{Models: models})
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequest(http.MethodPost, "http://localhost"+proxy.PausedPath, strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+callerToken)
	res, err := r.overSocket().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if err := json.NewDecoder(res.Body).Decode(&out); err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %v", res.Status, err)
	}
	return out
}

// TestPaused: agents are paused by what a real answer has used, unless their model costs nothing, or something that costs nothing
// stands in for it. A proxy that starts again knows it.
func TestPaused(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"choices":[],"usage":{"prompt_tokens":500,"completion_tokens":1000}}`)
	})
	o := oneOpenAI(u.srv.URL)
	o.Set.Profiles = append(o.Set.Profiles, profile.Profile{
		Name: "here", Protocol: profile.OpenAI, BaseURL: u.srv.URL + "/v1", Models: []string{"local"}, NoKey: true,
	})
	o.Set.Chains = []profile.Chain{{Model: "small", Then: []string{"local"}}}
	dir := t.TempDir()
	r := startIn(t, dir, o)
	r.limit(t, budget.Limits{Day: 2000})
	asking := map[string]string{"a": "large", "b": "local", "c": "small", "d": "unknown"}
	if got := r.who(t, asking); len(got.Items) != 0 {
		t.Fatalf("paused before anything was used: %+v", got.Items)
	}
	const hello = `{"model":"large","max_tokens":1000,"messages":[{"role":"user","content":"Hello"}]}`
	if status, says := r.post(t, chatPath, hello); status != http.StatusOK {
		t.Fatalf("%d: %s", status, says)
	}
	check := func(what string) {
		t.Helper()
		got := r.who(t, asking).Items
		for end := time.Now().Add(10 * time.Second); len(got) == 0 && time.Now().Before(end); got = r.who(t, asking).Items {
			time.Sleep(5 * time.Millisecond) // it is settled beside the answer: asked again until it is there
		}
		if len(got) != 1 {
			t.Fatalf("%s: %+v", what, got)
		}
		p := got[0]
		if p.Agent != "a" || p.Budget != "team" || p.Limit != 2000 || p.Used != 1500 || !p.Until.After(time.Now()) {
			t.Errorf("%s: %+v", what, got)
		}
	}
	check("used up")
	r.stop()
	r = startIn(t, dir, o)
	r.limit(t, budget.Limits{Day: 2000})
	check("after a restart")
	r.limit(t, budget.Limits{Day: 20_000})
	if got := r.who(t, asking); len(got.Items) != 0 {
		t.Errorf("paused after it was raised: %+v", got.Items)
	}
}

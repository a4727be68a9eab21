package proxy_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse/agentd/llm"
	"gatehouse/agentd/llm/budget"
	"gatehouse/agentd/llm/profile"
	"gatehouse/agentd/llm/proxy"
)

// limit hands limits over, with an empty registry.
func (r *rig) limit(t *testing.T, l budget.Limits) {
	t.Helper()
	body, err := json.Marshal(proxy.Registry{Limits: l})
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequest(http.MethodPut, "http://localhost"+proxy.RegistryPath, strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+callerToken)
	res, err := r.overSocket().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close() // its status says it all
	if res.StatusCode != http.StatusNoContent {
		t.Fatalf("limits: %s", res.Status)
	}
}

// asking is a request for an answer of at most n tokens.
func asking(model string, n int) string {
	return fmt.Sprintf(`{"model":%q,"max_tokens":%d,"messages":[{"role":"user","content":"How full is the disk?"}]}`, model, n)
}

func month(tokens int64) *budget.Pool {
	now := time.Now()
	return &budget.Pool{From: now.AddDate(0, 0, -3), To: now.AddDate(0, 1, -3), Tokens: tokens}
}

// TestBudget_together: calls side by side never use more than the pool, and what is left goes to the next; the one that does not
// fit is refused before it leaves. A proxy that starts again knows what was used.
func TestBudget_together(t *testing.T) {
	t.Parallel()
	const pool, each = 20_000, 1500
	var used atomic.Int64
	u := newUpstream(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		used.Add(each)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"choices":[],"usage":{"prompt_tokens":500,"completion_tokens":1000}}`)
	})
	dir := t.TempDir()
	r := startIn(t, dir, oneOpenAI(u.srv.URL))
	r.limit(t, budget.Limits{Pool: month(pool)})
	var refused atomic.Int64
	var all sync.WaitGroup
	for range 40 {
		all.Go(func() {
			status, says := r.post(t, chatPath, asking("large", 1480)) // and what is asked is some 20 bytes long
			switch {
			case status == http.StatusTooManyRequests && strings.Contains(says, llm.BudgetCode):
				refused.Add(1)
			case status != http.StatusOK:
				t.Errorf("%d: %s", status, says)
			}
		})
	}
	all.Wait()
	if n := used.Load(); n > pool || n == 0 || refused.Load() != 40-n/each {
		t.Errorf("%d of %d tokens were used, %d calls refused", n, pool, refused.Load())
	}
	for {
		if status, _ := r.post(t, chatPath, asking("large", 1480)); status != http.StatusOK {
			break
		}
	}
	if n := used.Load(); n > pool || n < pool-2*each {
		t.Errorf("%d of %d tokens were used in the end", n, pool)
	}
	before := used.Load()
	r.stop()
	r = startIn(t, dir, oneOpenAI(u.srv.URL))
	r.limit(t, budget.Limits{Pool: month(pool)})
	if status, says := r.post(t, chatPath, asking("large", 1480)); status != http.StatusTooManyRequests || used.Load() != before {
		t.Errorf("after a restart: %d: %s", status, says)
	}
	r.limit(t, budget.Limits{Pool: month(pool), Beyond: true})
	if status, says := r.post(t, chatPath, asking("large", 1480)); status != http.StatusOK {
		t.Errorf("beyond the pool: %d: %s", status, says)
	}
}

// TestBudget_whose: calls with the customer's own key, to local models and with premium models draw on no pool.
func TestBudget_whose(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":10}}`)
	})
	one := func(key string) proxy.Options {
		o := oneOpenAI(u.srv.URL)
		o.Set.Profiles[0].Key = key
		return o
	}
	local := proxy.Options{Set: profile.Set{Profiles: []profile.Profile{
		{Name: "here", Protocol: profile.OpenAI, BaseURL: u.srv.URL + "/v1", Models: []string{"large"}, NoKey: true},
	}}}
	for name, c := range map[string]struct {
		o      proxy.Options
		limits budget.Limits
		want   int
	}{
		"the operator's": {one(""), budget.Limits{Pool: month(10)}, http.StatusTooManyRequests},
		"the customer's": {one("own"), budget.Limits{Pool: month(10)}, http.StatusOK},
		"a local model":  {local, budget.Limits{Pool: month(10)}, http.StatusOK},
		"a premium model": {
			one(""), budget.Limits{Pool: month(10), Premium: []string{"large"}, Signed: map[string]string{"-": "large"}}, http.StatusOK,
		},
		"premium, unsigned": {one(""), budget.Limits{Premium: []string{"large"}}, http.StatusTooManyRequests},
		"paused":            {one(""), budget.Limits{Paused: "payment"}, http.StatusTooManyRequests},
		"paused, own key":   {one("own"), budget.Limits{Paused: "payment"}, http.StatusOK},
		"a day's budget":    {one(""), budget.Limits{Day: 50}, http.StatusTooManyRequests},
		"an agent's":        {one(""), budget.Limits{Agents: map[string]int64{"-": 50}}, http.StatusTooManyRequests},
		"another agent's":   {one(""), budget.Limits{Agents: map[string]int64{"it-admin": 50}}, http.StatusOK},
		"a fitting budget":  {one(""), budget.Limits{Day: 50_000}, http.StatusOK},
	} {
		r := startIn(t, t.TempDir(), c.o)
		r.limit(t, c.limits)
		if status, says := r.post(t, chatPath, asking("large", 100)); status != c.want {
			t.Errorf("%s: %d, want %d: %s", name, status, c.want, says)
		}
	}
}

// TestBudget_failed: a call that the provider refuses gives back what it had reserved.
func TestBudget_failed(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"error":{"message":"no"}}`)
	})
	r := startIn(t, t.TempDir(), oneOpenAI(u.srv.URL))
	r.limit(t, budget.Limits{Pool: month(1000)})
	for range 5 {
		if status, says := r.post(t, chatPath, asking("large", 900)); status != http.StatusBadRequest {
			t.Fatalf("%d: %s", status, says)
		}
	}
}

// TestBudget_named: what a request names as its limit is taken for what it is: a number beyond all makes no room, the larger of two
// counts, and a text that calls itself data is a text.
func TestBudget_named(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		w.WriteHeader(http.StatusBadRequest) // whatever comes here has left, and uses nothing
	})
	r := startIn(t, t.TempDir(), oneOpenAI(u.srv.URL))
	r.limit(t, budget.Limits{Day: 60_000})
	long := strings.Repeat("a word ", 20_000)
	for name, c := range map[string]struct {
		more string
		want int
	}{
		"little":               {`"max_tokens":1000`, http.StatusBadRequest},
		"beyond all":           {`"max_tokens":9223372036854775807`, http.StatusTooManyRequests},
		"beyond all, in parts": {`"max_tokens":9223372036854776`, http.StatusTooManyRequests},
		"two":                  {`"max_completion_tokens":1,"max_tokens":100000`, http.StatusTooManyRequests},
		"another endpoint's":   {`"max_output_tokens":1,"max_tokens":100000`, http.StatusTooManyRequests},
		"many answers":         {`"max_tokens":2000,"n":60`, http.StatusTooManyRequests},
		"a text like data":     {`"max_tokens":1000,"user":"data: ` + strings.Repeat("one ", 60_000) + `"`, http.StatusTooManyRequests},
		"data that is text": {
			`"max_tokens":1000,"x":{"type":"text","data":"` + strings.Repeat(long, 4) + `"}`,
			http.StatusTooManyRequests,
		},
		"a picture": {
			`"max_tokens":1000,"x":"data:image/png;base64,` + strings.Repeat("iVBORw0KGgo", 20_000) + `"`,
			http.StatusBadRequest,
		},
	} {
		body := `{"model":"large","messages":[{"role":"user","content":"Hello"}],` + c.more + `}`
		if status, says := r.post(t, chatPath, body); status != c.want {
			t.Errorf("%s: %d, want %d: %.200s", name, status, c.want, says)
		}
	}
	if status, says := r.post(t, chatPath, asking("large", 59_900)); status != http.StatusBadRequest {
		t.Errorf("something was left reserved, or counted: %d: %s", status, says)
	}
}

// TestBudget_standsIn: where the operator's model is out of reach of the budget, one that costs nothing stands in for it.
func TestBudget_standsIn(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":10}}`)
	})
	o := oneOpenAI(u.srv.URL)
	o.Set.Profiles = append(o.Set.Profiles, profile.Profile{
		Name: "here", Protocol: profile.OpenAI, BaseURL: u.srv.URL + "/v1", Models: []string{"local"}, NoKey: true,
	})
	o.Set.Chains = []profile.Chain{{Model: "large", Then: []string{"local"}}}
	r := startIn(t, t.TempDir(), o)
	r.limit(t, budget.Limits{Day: 10})
	if status, says := r.post(t, chatPath, asking("large", 100)); status != http.StatusOK {
		t.Errorf("%d: %s", status, says)
	}
	if strings.Contains(r.log.String(), "model endpoint failed") {
		t.Error("an endpoint that nobody asked is said to have failed")
	}
}

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"gatehouse/agentd/llm/meter"
	"gatehouse/agentd/llm/proxy"
	"gatehouse/agentd/llm/socket"
	"gatehouse/agentd/wire"
)

// doomed is a model proxy, as a process of its own, on one endpoint that the operator pays for.
type doomed struct {
	t      *testing.T
	state  string
	cmd    *exec.Cmd
	log    *logBuffer
	client *http.Client
}

func newDoomed(t *testing.T, base string) *doomed {
	t.Helper()
	d := &doomed{t: t, state: filepath.Join(t.TempDir(), "state")}
	must(t, os.MkdirAll(d.state, 0o700))
	must(t, os.WriteFile(filepath.Join(d.state, "proxy.token"), []byte("t"), 0o600))
	models := fmt.Sprintf("profiles: [{name: main, protocol: openai, base_url: %q, models: [large], no_key: true, key: house}]", base)
	must(t, os.WriteFile(filepath.Join(d.state, "models.yaml"), []byte(models), 0o600))
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return socket.Dial(ctx, filepath.Join(d.state, "s"))
	}
	d.client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: dial}}
	t.Cleanup(func() {
		if d.cmd != nil {
			d.kill()
		}
		if t.Failed() {
			t.Logf("the proxy said:\n%s", d.log)
		}
	})
	d.up()
	return d
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// up starts the proxy and hands it an empty registry.
func (d *doomed) up() {
	d.t.Helper()
	bin, err := binary()
	must(d.t, err)
	d.log = &logBuffer{}
	d.cmd = exec.Command(bin, "llm-proxy")
	d.cmd.Env = []string{"AGENTD_PROXY_STATE=" + d.state, "AGENTD_PROXY_SOCKET=" + filepath.Join(d.state, "s")}
	d.cmd.Stdout, d.cmd.Stderr = d.log, d.log
	must(d.t, d.cmd.Start())
	soon(d.t, "the proxy takes the registry", func() bool {
		res, err := d.ask(d.t.Context(), http.MethodPut, proxy.RegistryPath, `{"known":[],"limits":{}}`)
		if err != nil {
			return false
		}
		_ = res.Body.Close()
		return res.StatusCode == http.StatusNoContent
	})
}

func (d *doomed) kill() {
	_ = d.cmd.Process.Signal(syscall.SIGKILL)
	_ = d.cmd.Wait()
	d.cmd = nil
}

func (d *doomed) ask(ctx context.Context, method, path, body string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://localhost"+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer t")
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(proxy.AgentHeader, "secretary")
	return d.client.Do(req)
}

// used is what the meter has counted, of all lives.
func (d *doomed) used() (sum wire.UsageCounts) {
	d.t.Helper()
	res, err := d.ask(d.t.Context(), http.MethodGet, proxy.UsagePath+"?after=0", "")
	must(d.t, err)
	defer func() { _ = res.Body.Close() }()
	var u proxy.Usage
	must(d.t, json.NewDecoder(res.Body).Decode(&u))
	for _, r := range u.Items {
		if r.Agent != "secretary" || r.Key != wire.KeyHouse || r.Profile != "main" {
			d.t.Errorf("counted elsewhere: %+v", r)
		}
		sum.Requests, sum.Estimated = sum.Requests+r.Requests, sum.Estimated+r.Estimated
		sum.Input, sum.Output, sum.CacheRead = sum.Input+r.Input, sum.Output+r.Output, sum.CacheRead+r.CacheRead
		sum.EstInput, sum.EstOutput = sum.EstInput+r.EstInput, sum.EstOutput+r.EstOutput
	}
	return sum
}

// settled kills the proxy and starts it, twice, and gives what was counted then: the second start adds nothing.
func (d *doomed) settled() wire.UsageCounts {
	d.t.Helper()
	d.kill()
	d.up()
	once := d.used()
	d.kill()
	d.up()
	if twice := d.used(); twice != once {
		d.t.Errorf("the second start counts %+v, the first one %+v", twice, once)
	}
	return once
}

const invoiceQuestion = "Where is the invoice of last week? "

func asked(stream bool) string {
	return fmt.Sprintf(`{"model":"large","stream":%t,"max_tokens":4000,"messages":[{"role":"user","content":%q}]}`,
		stream, strings.Repeat(invoiceQuestion, 20))
}

// TestLLMProxy_killedBeforeTheFirstByte: what the provider got counts, as an estimate, although nothing came back.
func TestLLMProxy_killedBeforeTheFirstByte(t *testing.T) {
	t.Parallel()
	got := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // all of it came
		close(got)
		<-r.Context().Done()
	}))
	t.Cleanup(srv.Close)
	d := newDoomed(t, srv.URL)
	go func() {
		if res, err := d.ask(context.Background(), http.MethodPost, "/v1/chat/completions", asked(false)); err == nil {
			_ = res.Body.Close()
		}
	}()
	<-got
	u := d.settled()
	least := meter.Estimate(strings.Repeat(invoiceQuestion, 20))
	if u != (wire.UsageCounts{Requests: 1, Estimated: 1, Input: u.Input, EstInput: u.Input}) || u.Input < least || u.Input > 2*least {
		t.Errorf("%+v, about %d tokens were sent", u, least)
	}
}

// TestLLMProxy_killedInMidAnswer: what had passed counts by the tokenizer, and is marked as estimated. Nothing that the caller has
// seen is missing.
func TestLLMProxy_killedInMidAnswer(t *testing.T) {
	t.Parallel()
	const word = "internationalization and "
	var sent atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		for pause := time.NewTicker(5 * time.Millisecond); r.Context().Err() == nil; <-pause.C {
			sent.Add(1)
			_, _ = fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%q}}]}\n\n", word)
			_ = http.NewResponseController(w).Flush()
		}
	}))
	t.Cleanup(srv.Close)
	d := newDoomed(t, srv.URL)
	res, err := d.ask(t.Context(), http.MethodPost, "/v1/chat/completions", asked(true))
	must(t, err)
	defer func() { _ = res.Body.Close() }()
	seen, begun := 0, time.Now()
	for lines := bufio.NewScanner(res.Body); lines.Scan() && (time.Since(begun) < 3*time.Second || seen < 100); {
		if bytes.HasPrefix(lines.Bytes(), []byte("data:")) {
			seen++
		}
	}
	u := d.settled()
	exact := false
	for n := seen; n <= int(sent.Load()); n++ {
		exact = exact || u.Output == meter.Estimate(strings.Repeat(word, n))
	}
	if !exact || u.EstOutput != u.Output || u.Requests != 1 || u.Estimated != 1 {
		t.Errorf("%+v; the caller saw %d pieces of %d, of %d tokens each", u, seen, sent.Load(), meter.Estimate(word))
	}
	if want := meter.Estimate("user\nlarge\n" + strings.Repeat(invoiceQuestion, 20)); u.EstInput < want-5 || u.EstInput > want+5 {
		t.Errorf("the request counts %d, want about %d", u.EstInput, want)
	}
}

// TestLLMProxy_killedBeforeItSettles: the answer is with the caller, and the proxy dies before the book has it: it counts as the
// provider said, once.
func TestLLMProxy_killedBeforeItSettles(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		const usage = `"usage":{"prompt_tokens":150,"completion_tokens":30,"prompt_tokens_details":{"cached_tokens":40}}`
		if bytes.Contains(body, []byte(`"stream":true`)) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Well.\"}}]}\n\n"+
				"data: {\"choices\":[],"+usage+"}\n\ndata: [DONE]\n\n")
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"choices":[{"index":0,"message":{"content":"Well."}}],`+usage+"}\n")
	}))
	t.Cleanup(srv.Close)
	for _, stream := range []bool{false, true} {
		d := newDoomed(t, srv.URL)
		for n := int64(1); n <= 3; n++ {
			res, err := d.ask(t.Context(), http.MethodPost, "/v1/chat/completions", asked(stream))
			must(t, err)
			_, err = io.ReadAll(res.Body)
			must(t, err)
			_ = res.Body.Close()
			if u, want := d.settled(), (wire.UsageCounts{Requests: n, Input: 110 * n, Output: 30 * n, CacheRead: 40 * n}); u != want {
				t.Errorf("stream %t, %d answers: %+v, want %+v", stream, n, u, want)
			}
		}
	}
}

package via_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"gatehouse/agentd/llm"
	"gatehouse/agentd/llm/profile"
	"gatehouse/agentd/llm/proxy"
	"gatehouse/agentd/llm/socket"
	"gatehouse/agentd/llm/via"
	"gatehouse/agentd/redact"
	"gatehouse/agentd/store"
	"gatehouse/agentd/store/storetest"
	"gatehouse/agentd/wire"
)

// world is an endpoint, a proxy before it that can end and come back, and agentd's way to it.
type world struct {
	t    *testing.T
	dir  string
	srv  *httptest.Server
	way  *via.Way
	p    *via.Provider
	stop func()

	mu   sync.Mutex
	got  []string // bodies, with the agent-less headers that matter
	hold chan struct{}
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir(), hold: make(chan struct{})}
	w.srv = httptest.NewServer(w)
	t.Cleanup(func() { w.srv.CloseClientConnections(); w.srv.Close() })
	w.way = via.New(via.Options{Socket: filepath.Join(w.dir, "s"), Token: "t", Log: slog.New(slog.DiscardHandler)})
	var err error
	if w.p, err = w.way.Provider("large", llm.Limits{FirstByte: 30 * time.Second, Stall: 30 * time.Second}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	all.Go(func() { w.way.Run(ctx) })
	t.Cleanup(func() { cancel(); all.Wait() })
	return w
}

// ServeHTTP answers "Good day.", and when the message says so it waits in the middle.
func (w *world) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // it broke off
	}
	w.mu.Lock()
	first := len(w.got) == 0
	w.got = append(w.got, r.Header.Get("Authorization")+" "+string(body))
	w.mu.Unlock()
	if strings.Contains(string(body), "fail") {
		http.Error(rw, `{"error":{"message":"overloaded"}}`, http.StatusServiceUnavailable)
		return
	}
	rw.Header().Set("Content-Type", "text/event-stream")
	piece := func(s, finish string) {
		_, _ = fmt.Fprintf(rw, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%q},\"finish_reason\":%s}]}\n\n", s, finish)
		rw.(http.Flusher).Flush()
	}
	piece("Good ", "null")
	switch {
	case strings.Contains(string(body), "break"):
		panic(http.ErrAbortHandler)
	case strings.Contains(string(body), "wait") && first:
		<-r.Context().Done() // hold is for the one that asks again, however late this one hears that nobody listens
		return
	case strings.Contains(string(body), "wait"):
		select {
		case <-w.hold:
		case <-r.Context().Done():
			return
		}
	}
	piece("day.", `"stop"`)
}

func (w *world) bodies() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string(nil), w.got...)
}

// up starts the proxy.
func (w *world) up() {
	w.t.Helper()
	storetest.Seed(w.t, filepath.Join(w.dir, "state"))
	db, err := store.Open(filepath.Join(w.dir, "state"), time.Now)
	if err != nil {
		w.t.Fatal(err)
	}
	p, err := proxy.New(w.t.Context(), proxy.Options{
		Set:  profile.Set{Profiles: []profile.Profile{{Name: "one", Protocol: profile.OpenAI, BaseURL: w.srv.URL, Models: []string{"large"}}}},
		Keys: map[string]string{"one": "provider-key"}, Token: "t", Agentd: os.Geteuid(), DB: db, Calls: filepath.Join(w.dir, "state", "calls"), Now: time.Now, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		w.t.Fatal(err)
	}
	l, err := socket.Listen(w.t.Context(), filepath.Join(w.dir, "s"), socket.Own)
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- p.Serve(ctx, l) }()
	w.stop = sync.OnceFunc(func() {
		cancel()
		if err := errors.Join(<-ended, db.Close()); err != nil {
			w.t.Error(err)
		}
	})
	w.t.Cleanup(w.stop)
}

// ask asks as the runtime does: again, for as long as the way is down.
func (w *world) ask(ctx context.Context, text string, piece func(string)) (reply llm.Reply, asked int, err error) {
	r := llm.Request{Agent: "secretary", Run: testRun, Messages: []llm.Message{{Role: llm.User, Text: text}}}
	for asked = 1; ; asked++ {
		reply, err = llm.Ask(ctx, w.p, r, piece)
		if !llm.Again(ctx, w.p, err) {
			return reply, asked, err
		}
	}
}

// testRun is the run that everything is asked for.
const testRun = "0198a5d0-0000-7000-8000-000000000001"

// ofRun waits until the proxy has so many requests of a run on record, and gives what they used.
func (w *world) ofRun(run string, requests int64) []wire.RunUse {
	w.t.Helper()
	for end := time.Now().Add(20 * time.Second); ; {
		used, err := w.way.OfRun(w.t.Context(), run)
		if err == nil && len(used) == 1 && used[0].Requests == requests {
			return used
		}
		if time.Now().After(end) {
			w.t.Fatalf("the run used %+v, %v", used, err)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func none(string) {}

// TestWay waits for the first proxy, and hands it the registry before anything is asked.
func TestWay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	type answer struct {
		reply llm.Reply
		err   error
	}
	got := make(chan answer, 1)
	go func() {
		reply, _, err := w.ask(t.Context(), "Hello, value-of-the-vault-1", none)
		got <- answer{reply, err}
	}()
	w.up()
	if err := w.way.Hold(t.Context()); !errors.Is(err, via.ErrNoRegistry) {
		t.Fatalf("without a registry the way opened: %v", err)
	}
	var away *llm.Error
	if _, err := llm.Ask(t.Context(), w.p, llm.Request{Agent: "secretary"}, none); !errors.As(err, &away) || away.Kind != llm.Away {
		t.Fatalf("asked before the vault was read: %v", err)
	}
	if len(got) > 0 || len(w.bodies()) > 0 {
		t.Fatalf("answered before the vault was read: %v", w.bodies())
	}
	w.way.Learn([]redact.Known{{Name: "shop.key", Value: "value-of-the-vault-1"}})
	if a := <-got; a.err != nil || a.reply.Text != "Good day." {
		t.Fatalf("%+v", a)
	}
	w.way.Learn([]redact.Known{{Name: "shop.key", Value: "value-of-the-vault-1"}, {Name: "shop.pass", Value: "value-of-the-vault-2"}})
	if _, _, err := w.ask(t.Context(), "Hello, value-of-the-vault-2", none); err != nil {
		t.Fatal(err)
	}
	used := w.ofRun(testRun, 2)
	if u := used[0]; u.Agent != "secretary" || u.Model != "large" || u.Estimated != 2 || u.Input == 0 {
		t.Errorf("the run used %+v", used)
	}
	if used, err := w.way.OfRun(t.Context(), "0198a5d0-0000-7000-8000-000000000002"); err != nil || len(used) != 0 {
		t.Errorf("another run used %+v, %v", used, err)
	}
	for _, b := range w.bodies() {
		if strings.Contains(b, "value-of-the-vault") || !strings.HasPrefix(b, "Bearer provider-key ") {
			t.Errorf("the endpoint was told %s", b)
		}
	}
}

// TestWay_proxyEndsInTheMiddle: what was said is void, and the question is asked again once a new proxy is there, which
// knows every secret by then.
func TestWay_proxyEndsInTheMiddle(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.way.Learn(nil)
	w.up()
	begun := make(chan struct{}, 2)
	type answer struct {
		reply llm.Reply
		asked int
		err   error
	}
	got := make(chan answer, 1)
	go func() {
		reply, asked, err := w.ask(t.Context(), "wait", func(string) {
			select {
			case begun <- struct{}{}:
			default:
			}
		})
		got <- answer{reply, asked, err}
	}()
	<-begun
	w.stop()
	w.way.Learn([]redact.Known{{Name: "shop.key", Value: "learnt-while-it-was-away"}})
	since := time.Now()
	w.up()
	select {
	case w.hold <- struct{}{}: // the second request can only have come through the second proxy
	case <-time.After(time.Minute):
		t.Fatal("nobody asked again")
	}
	a := <-got
	if a.err != nil || a.reply.Text != "Good day." || a.asked < 2 {
		t.Errorf("%+v", a)
	}
	t.Logf("answered %s after the proxy was back", time.Since(since))
	if _, _, err := w.ask(t.Context(), "learnt-while-it-was-away", none); err != nil {
		t.Fatal(err)
	}
	if all := strings.Join(w.bodies(), "\n"); strings.Contains(all, "learnt-while") {
		t.Errorf("a secret learnt meanwhile arrived: %s", all)
	}
}

// TestWay_endpointsFaults are told, not waited for: the proxy is there.
func TestWay_endpointsFaults(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.way.Learn(nil)
	w.up()
	for text, want := range map[string]llm.Kind{"break": llm.Unavailable, "fail": llm.Unavailable} {
		_, asked, err := w.ask(t.Context(), text, none)
		var known *llm.Error
		if !errors.As(err, &known) || known.Kind != want || asked > 2 { // the first may have come before the way was open
			t.Errorf("%s: %v after %d", text, err, asked)
		}
	}
}

// TestWay_stopped: who waits for the proxy can be stopped.
func TestWay_stopped(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, _, err := w.ask(ctx, "Hello", none); err == nil {
		t.Error("an answer without a proxy")
	}
}

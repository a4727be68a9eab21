package external_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse/agentd/vault"
	"gatehouse/agentd/vault/external"
)

// said is what a hostile machine says in the hope that it is written down.
const said = "canary-said-0123456789"

// meta and data are answers that would be right, but for one thing.
func meta(current int, versions string) string {
	return fmt.Sprintf(`{"data":{"current_version":%d,"versions":{%s}}}`, current, versions)
}

func version(n int, created, deletion string) string {
	return fmt.Sprintf(`"%d":{"created_time":"%s","deletion_time":"%s","destroyed":false}`, n, created, deletion)
}

const made = "2026-03-02T09:00:00.5Z"

// TestLook_badAnswers: whatever it says, agentd goes on: the value is used within its age, and no word of the answer is
// kept anywhere.
func TestLook_badAnswers(t *testing.T) {
	t.Parallel()
	var elsewhere atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	t.Cleanup(other.Close)
	text := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", other.URL+"/"+said)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body) // who asks may be gone
		}
	}
	// behind the metadata of another version, the data
	data := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if strings.Contains(r.URL.Path, "/metadata/") {
				body := meta(9, version(9, made, ""))
				_, _ = io.WriteString(w, body)
				return
			}
			_, _ = io.WriteString(w, body)
		}
	}
	errs := `{"errors":["` + said + `"]}`
	for what, c := range map[string]struct {
		answer http.HandlerFunc
		want   vault.Trouble
	}{
		"sealed":            {text(503, errs), vault.TroubleSealed},
		"behind":            {text(412, errs), vault.TroubleSealed},
		"standby":           {text(473, errs), vault.TroubleSealed},
		"busy":              {text(429, errs), vault.TroubleBusy},
		"denied":            {text(403, errs), vault.TroubleDenied},
		"redirect":          {text(307, errs), vault.TroubleRedirect},
		"moved":             {text(301, errs), vault.TroubleRedirect},
		"fault":             {text(500, errs), vault.TroubleAnswer},
		"gateway":           {text(502, "<html>"+said), vault.TroubleAway},
		"gateway, no route": {text(404, "<html>"+said), vault.TroubleAnswer},
		"404 with nothing":  {text(404, ""), vault.TroubleAnswer},
		"404 of another":    {text(404, `{"message":"`+said+`"}`), vault.TroubleAnswer},
		"no content":        {text(204, ""), vault.TroubleAnswer},
		"teapot":            {text(418, said), vault.TroubleAnswer},
		"no JSON":           {text(200, said), vault.TroubleAnswer},
		"nothing":           {text(200, ""), vault.TroubleAnswer},
		"null":              {text(200, "null"), vault.TroubleAnswer},
		"a list":            {text(200, `["`+said+`"]`), vault.TroubleAnswer},
		"two values":        {text(200, meta(1, version(1, made, ""))+`{}`), vault.TroubleAnswer},
		"no version":        {text(200, meta(3, version(1, made, ""))), vault.TroubleAnswer},
		"below zero":        {text(200, meta(-1, version(-1, made, ""))), vault.TroubleAnswer},
		"no number":         {text(200, `{"data":{"current_version":"`+said+`"}}`), vault.TroubleAnswer},
		"no time":           {text(200, meta(1, version(1, said, ""))), vault.TroubleAnswer},
		"no time of an end": {text(200, meta(1, version(1, made, said))), vault.TroubleAnswer},
		"much":              {text(200, `{"data":"`+strings.Repeat("x", 2<<20)+`"}`), vault.TroubleAnswer},
		"deep":              {text(200, strings.Repeat("[", 20000)), vault.TroubleAnswer},
		"much space":        {text(200, meta(1, version(1, made, made))+strings.Repeat(" ", 2<<20)), vault.TroubleAnswer},
		"no UTF-8":          {data("{\"data\":{\"data\":{\"api key\":\"" + said + "\xff\"},\"metadata\":{\"version\":9,\"created_time\":\"" + made + "\"}}}"), vault.TroubleAnswer},
		"many headers": {func(w http.ResponseWriter, _ *http.Request) {
			for i := range 500 {
				w.Header().Set(fmt.Sprint("X-", i), strings.Repeat(said, 10))
			}
		}, vault.TroubleAway},
		"cut off": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, `{"data":`)
		}, vault.TroubleAway},
		"broken off":         {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, vault.TroubleAway},
		"data of another":    {data(`{"data":{"data":{"api key":"` + said + `"},"metadata":{"version":8,"created_time":"` + made + `"}}}`), vault.TroubleAnswer},
		"data made later":    {data(`{"data":{"data":{"api key":"` + said + `"},"metadata":{"version":9,"created_time":"2026-03-02T09:00:00.6Z"}}}`), vault.TroubleAnswer},
		"data without any":   {data(`{"data":{"data":null,"metadata":{"version":9,"created_time":"` + made + `"}}}`), vault.TroubleAnswer},
		"data of version 1s": {data(`{"data":{"api key":"` + said + `"}}`), vault.TroubleAnswer},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			w := open(t)
			first := w.put()
			w.look()
			w.kv.Instead(c.answer)
			w.look()
			w.uses(first)
			if got := w.info().Origin.Trouble; got != c.want.Text() {
				t.Errorf("it says %q instead of %q", got, c.want.Text())
			}
			w.move(25 * time.Hour)
			w.look()
			w.refuses(c.want.Text())
			if where := w.leaks(said, first); len(where) > 0 || elsewhere.Load() > 0 {
				t.Errorf("said in %v; went elsewhere %d times", where, elsewhere.Load())
			}
			if !w.knows(first) {
				t.Error("redaction has forgotten the value")
			}
			w.kv.Instead(nil)
			w.look()
			w.uses(first)
		})
	}
}

// TestLook_stopsEarly: when the external vault as a whole is in trouble, it is asked once and not for every secret.
func TestLook_stopsEarly(t *testing.T) {
	t.Parallel()
	w := open(t)
	for i := range 20 {
		w.source(fmt.Sprintf("a.b%d", i), fmt.Sprintf("apps/a%d#b", i))
	}
	w.put()
	w.look()
	w.kv.Asked()
	w.kv.Seal(true)
	w.look()
	if n := len(w.kv.Asked()); n != 1 {
		t.Errorf("asked %d times", n)
	}
	w.refusesNot()
}

// TestLook_noTrust: a certificate that nobody vouches for, another host's, and no encryption at all.
func TestLook_noTrust(t *testing.T) {
	t.Parallel()
	for what, change := range map[string]func(w *world){
		"unknown authority": func(w *world) { w.cfg.CAFile = "" },
		"another host":      func(w *world) { w.cfg.Address = strings.Replace(w.cfg.Address, "127.0.0.1", "localhost", 1) },
		"no encryption": func(w *world) {
			plain := httptest.NewServer(http.NotFoundHandler())
			t.Cleanup(plain.Close)
			w.cfg.Address = strings.Replace(plain.URL, "http:", "https:", 1)
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			w := open(t)
			first := w.put()
			w.look()
			change(w)
			w.follow()
			w.look()
			w.uses(first)
			if got := w.info().Origin.Trouble; got != vault.TroubleTLS.Text() {
				t.Errorf("it says %q", got)
			}
		})
	}
}

// TestLook_noAnswer: one that takes a question and never answers is left after a while; another that is not there at once.
func TestLook_noAnswer(t *testing.T) {
	t.Parallel()
	w := open(t)
	first := w.put()
	w.look()
	w.kv.Instead(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	external.Hurry(w.f, 50*time.Millisecond)
	w.look()
	w.uses(first)
	if got := w.info().Origin.Trouble; got != vault.TroubleAway.Text() {
		t.Errorf("it says %q", got)
	}
	w.kv.CloseClientConnections()
	w.kv.Close()
	w.look()
	w.uses(first)
}

// TestLook_cutShort: an agentd that ends in the middle of a look says nothing of the external vault.
func TestLook_cutShort(t *testing.T) {
	t.Parallel()
	w := open(t)
	first := w.put()
	w.look()
	ctx, end := contextOf(t)
	w.kv.Instead(func(_ http.ResponseWriter, r *http.Request) {
		end()
		<-r.Context().Done()
	})
	if err := w.f.Look(ctx, 0); !errors.Is(err, ctx.Err()) {
		t.Error(err)
	}
	w.uses(first)
	w.trouble("")
}

// FuzzAnswers: no answer makes agentd give up, or believe in a value that is none.
func FuzzAnswers(f *testing.F) {
	f.Add(meta(1, version(1, made, "")), `{"data":{"data":{"api key":"x"},"metadata":{"version":1,"created_time":"`+made+`"}}}`)
	f.Add(meta(0, ""), `{}`)
	f.Add(meta(1, version(1, made, made)), `null`)
	f.Add(`{"data":{"current_version":1e9,"versions":null}}`, `{"data":{"data":{"api key":["x"]}}}`)
	f.Fuzz(func(t *testing.T, metadata, data string) {
		n, text, trouble := external.Answered(t.Context(), metadata, data, "api key")
		if (trouble == "") != (n > 0 && text != "") {
			t.Errorf("version %d, %d bytes, trouble %q", n, len(text), trouble)
		}
	})
}

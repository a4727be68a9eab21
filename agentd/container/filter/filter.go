package filter

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// most is how many bytes of what the engine says about one container are read.
const most = 1 << 20

// name is what Docker allows as the name or id of a container.
var name = regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9_.-]{0,127}$`)

// question is one thing that may be asked: with which words behind the path, each of a form of its own.
type question struct {
	pattern string // as http.ServeMux reads it
	words   map[string]*regexp.Regexp
	shorten func(*http.Response) error // nil: the answer is passed on as it is
}

var (
	yes    = regexp.MustCompile(`^(1|true)$`)
	number = regexp.MustCompile(`^\d{1,6}$`)
)

// questions are all that is let through.
var questions = []question{
	{"GET /containers/json", map[string]*regexp.Regexp{"all": yes}, nil},
	{"GET /containers/{name}/json", nil, withoutValues},
	{"GET /containers/{name}/logs", map[string]*regexp.Regexp{
		"stdout": yes, "stderr": yes, "timestamps": yes, "tail": number, "since": regexp.MustCompile(`^\d{1,12}(\.\d{1,9})?$`),
	}, nil},
	{"POST /containers/{name}/start", nil, nil},
	{"POST /containers/{name}/stop", map[string]*regexp.Regexp{"t": number}, nil},
	{"POST /containers/{name}/restart", map[string]*regexp.Regexp{"t": number}, nil},
}

// New makes a filter before the engine that listens at socket.
func New(socket string, log *slog.Logger) http.Handler {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", socket)
	}
	transport := &http.Transport{DialContext: dial, MaxIdleConns: 1}
	mux := http.NewServeMux()
	for _, q := range questions {
		mux.Handle(q.pattern, q.handler(transport, log))
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		log.WarnContext(r.Context(), "refused", "method", r.Method, "path", r.URL.Path)
		refuse(w, http.StatusForbidden, "This may not be asked of the container engine.")
	})
	return mux
}

// handler asks the engine one question, in words of its own: nothing of the request is passed on but the name of the container
// and the words that have the right form.
func (q question) handler(transport http.RoundTripper, log *slog.Logger) http.Handler {
	to := &httputil.ReverseProxy{
		Transport: transport,
		Rewrite: func(p *httputil.ProxyRequest) {
			p.Out.URL.Scheme, p.Out.URL.Host, p.Out.Host = "http", "engine", "engine" // over a socket of this machine
			p.Out.Header, p.Out.Body, p.Out.ContentLength = http.Header{}, http.NoBody, 0
		},
		ModifyResponse: q.shorten,
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			log.ErrorContext(r.Context(), "the engine does not answer", "path", r.URL.Path, "error", err)
			refuse(w, http.StatusBadGateway, "The container engine does not answer.")
		},
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		words, err := q.read(r)
		if err != nil {
			log.WarnContext(r.Context(), "refused", "method", r.Method, "path", r.URL.Path, "error", err)
			refuse(w, http.StatusForbidden, "This may not be asked of the container engine.")
			return
		}
		r.URL.RawQuery = words.Encode()
		to.ServeHTTP(w, r)
	})
}

// read checks what is asked.
func (q question) read(r *http.Request) (url.Values, error) {
	if which := r.PathValue("name"); strings.Contains(q.pattern, "{name}") && !name.MatchString(which) {
		return nil, errors.New("not the name of a container")
	}
	words, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, fmt.Errorf("read words: %w", err)
	}
	for word, values := range words {
		form := q.words[word]
		if form == nil || len(values) != 1 || !form.MatchString(values[0]) {
			return nil, fmt.Errorf("the word %q", word)
		}
	}
	return words, nil
}

// withoutValues leaves the values of the environment out of what the engine says about a container: that is where programs get
// their passwords. The names stay.
func withoutValues(res *http.Response) error {
	if res.StatusCode != http.StatusOK {
		return nil
	}
	raw, err := io.ReadAll(io.LimitReader(res.Body, most))
	if err := errors.Join(err, res.Body.Close()); err != nil {
		return err
	}
	about := map[string]json.RawMessage{}
	config := map[string]json.RawMessage{}
	var env []string
	if err := json.Unmarshal(raw, &about); err != nil {
		return fmt.Errorf("read what the engine says: %w", err)
	}
	if len(about["Config"]) > 0 {
		if err := json.Unmarshal(about["Config"], &config); err != nil {
			return fmt.Errorf("read what the engine says: %w", err)
		}
	}
	if len(config["Env"]) > 0 {
		if err := json.Unmarshal(config["Env"], &env); err != nil {
			return fmt.Errorf("read what the engine says: %w", err)
		}
	}
	for i, v := range env {
		key, _, _ := strings.Cut(v, "=")
		env[i] = key + "="
	}
	if config["Env"], err = json.Marshal(env); err != nil {
		return err
	}
	if about["Config"], err = json.Marshal(config); err != nil {
		return err
	}
	if raw, err = json.Marshal(about); err != nil {
		return err
	}
	res.Body, res.ContentLength = io.NopCloser(bytes.NewReader(raw)), int64(len(raw))
	res.Header.Set("Content-Length", strconv.Itoa(len(raw)))
	return nil
}

// refuse answers as the engine does.
func refuse(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"message": text}) // whoever left needs no answer
}

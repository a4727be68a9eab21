package proxy

import (
	"context"
	"crypto/sha256"
	"crypto/x509"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"gatehouse/agentd/llm/budget"
	"gatehouse/agentd/llm/failover"
	"gatehouse/agentd/llm/meter"
	"gatehouse/agentd/llm/profile"
	"gatehouse/agentd/llm/scrub"
	"gatehouse/agentd/redact"
	"gatehouse/agentd/store"
)

// Headers between agentd and the proxy.
const (
	AgentHeader    = "X-Gatehouse-Agent"    // on a request: the agent that asks, for the meter
	ParentHeader   = "X-Gatehouse-Parent"   // on a request: the agent for which a sub-agent asks
	RunHeader      = "X-Gatehouse-Run"      // on a request: the root run that it is for
	ProfileHeader  = "X-Gatehouse-Profile"  // on an answer: the profile it came through
	ModelHeader    = "X-Gatehouse-Model"    // on an answer: the model that gave it
	ProviderHeader = "X-Gatehouse-Provider" // on an answer: the endpoint that gave it, host:port
	NotReadyHeader = "X-Gatehouse-NotReady" // on a 503: the registry of secrets has not been handed over yet
)

// Paths for agentd alone.
const (
	RegistryPath = "/registry"   // PUT: the secrets to take out of requests
	AlivePath    = "/alive"      // GET: an answer that ends when the proxy does
	UsagePath    = "/usage"      // GET: what was used, as rows that changed after a revision
	SumsPath     = "/usage/sums" // GET: what was used, added up by day
	RunPath      = "/usage/run"  // GET: what was used for one root run
	PausedPath   = "/paused"     // POST: which agents a budget keeps from working
)

// Options are what a Proxy stands on.
type Options struct {
	Set     profile.Set
	Keys    map[string]string // of the providers, by profile
	Token   string            // what a caller must show
	Agentd  int               // user that agentd runs as: the only one who may hand over the registry
	Callers []int             // other users who may call over the unix socket
	DB      *store.DB
	Calls   string // file of calls on their way, beside the database
	Now     func() time.Time
	Log     *slog.Logger

	Roots  *x509.CertPool                    // nil: those of the machine
	Engine func([]redact.Known) scrub.Engine // nil: agentd/redact
	Wait   time.Duration                     // for the head of an answer, when another profile could be asked; 0: 30 s
}

// Proxy answers requests. It is an http.Handler once Serve has marked its connections.
type Proxy struct {
	opt      Options
	token    [sha256.Size]byte
	client   *http.Client
	failover *failover.Failover
	book     *meter.Book
	ledger   *budget.Ledger
	routes   *http.ServeMux

	ready  atomic.Pointer[scrub.Scrubber] // nil until agentd has handed over the registry
	doing  underWay
	shapes shapes
	ends   context.Context
	end    context.CancelFunc
}

// New makes a Proxy. It refuses to be open to whoever shows no token.
func New(ctx context.Context, o Options) (*Proxy, error) {
	if o.Token == "" {
		return nil, errors.New("model proxy: a token is missing")
	}
	if err := o.Set.Check(); err != nil {
		return nil, err
	}
	f, err := failover.Open(ctx, o.DB, o.Now)
	if err != nil {
		return nil, err
	}
	if o.Engine == nil {
		o.Engine = engine
	}
	if o.Wait <= 0 {
		o.Wait = 30 * time.Second
	}
	if o.Calls == "" {
		return nil, errors.New("model proxy: a file for calls on their way is missing")
	}
	book, err := meter.Open(ctx, o.DB, o.Calls, o.Now)
	if err != nil {
		return nil, err
	}
	p := &Proxy{
		opt: o, token: sha256.Sum256([]byte(o.Token)), client: client(o), failover: f, book: book,
		ledger: budget.New(spent{book}, o.Now),
	}
	p.ends, p.end = context.WithCancel(context.WithoutCancel(ctx))
	p.routes = p.mux()
	return p, nil
}

// Limits of the server.
const (
	headTime  = 5 * time.Second
	bodyTime  = 30 * time.Second
	idleTime  = 2 * time.Minute
	maxHeader = 16 << 10
	stopTime  = 5 * time.Second
)

// Serve answers on the listeners until ctx ends. Streams that are open then get a moment to end.
func (p *Proxy) Serve(ctx context.Context, listeners ...net.Listener) error {
	srv := &http.Server{
		Handler: p, ReadHeaderTimeout: headTime, IdleTimeout: idleTime, MaxHeaderBytes: maxHeader, ConnContext: markPeer,
		ErrorLog: slog.NewLogLogger(p.opt.Log.Handler(), slog.LevelDebug),
	}
	ended := make(chan error, len(listeners))
	for _, l := range listeners {
		go func() { ended <- srv.Serve(l) }()
	}
	var err error
	select {
	case <-ctx.Done():
	case err = <-ended:
	}
	p.end()
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer cancel()
	if srv.Shutdown(last) != nil {
		_ = srv.Close() // streams that would not end are cut: their callers ask again
	}
	p.doing.wait()
	if err := p.book.Close(); err != nil {
		p.opt.Log.Error("record of calls not closed", "error", err)
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// mux is the table of what the proxy answers. What is not in it does not exist.
func (p *Proxy) mux() *http.ServeMux {
	m := http.NewServeMux()
	for _, e := range endpoints {
		m.HandleFunc("POST "+e.path, func(w http.ResponseWriter, r *http.Request) { p.complete(w, r, e) })
	}
	m.HandleFunc("GET /v1/models", p.models)
	m.HandleFunc("PUT "+RegistryPath, p.onlyAgentd(p.putRegistry))
	m.HandleFunc("GET "+AlivePath, p.onlyAgentd(p.alive))
	m.HandleFunc("GET "+UsagePath, p.onlyAgentd(p.usage))
	m.HandleFunc("GET "+SumsPath, p.onlyAgentd(p.sums))
	m.HandleFunc("GET "+RunPath, p.onlyAgentd(p.ofRun))
	m.HandleFunc("POST "+PausedPath, p.onlyAgentd(p.paused))
	m.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		fault{http.StatusNotFound, "not_found", "The model proxy does not offer " + r.Method + " on this path."}.write(w, r)
	})
	return m
}

// ServeHTTP answers one request of a caller that is let in. A panic is an answer too: nothing was sent on, or what was
// sent had been checked.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer func() {
		x := recover()
		if x == nil {
			return
		}
		if x == http.ErrAbortHandler { //nolint:errorlint // a panic's value, compared as net/http does
			panic(x)
		}
		p.opt.Log.Error("model proxy panicked", "path", r.URL.Path) // the value may hold a piece of the request
		fault{http.StatusInternalServerError, "internal", "The model proxy could not check the request, so it was not sent."}.write(w, r)
	}()
	if !p.doing.begin() {
		panic(http.ErrAbortHandler) // the connection is cut already
	}
	defer p.doing.end()
	if no := p.admit(r); no != nil {
		no.write(w, r)
		return
	}
	p.routes.ServeHTTP(w, r)
}

// uid is the user of this process.
func uid() int { return os.Geteuid() }

package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"

	"gatehouse/app/tune"
	"gatehouse/app/web/session"
	"gatehouse/views/ui"
)

// Config is what the edge must know about where it stands.
type Config struct {
	Addr      string // what the server listens on: host:port
	PublicURL string // what browsers and mails use: https://hub.example
	BehindTLS bool   // a proxy of ours ends TLS in front; its X-Forwarded-For is believed
}

// Deps are the parts the edge works with.
type Deps struct {
	Sessions *session.Manager
	Static   http.Handler                    // answers /assets/…
	Ready    func(ctx context.Context) error // nil when everything needed is up
	Down     func(err error) bool            // whether err means that the database is away
	Log      *slog.Logger
	Metrics  prometheus.Registerer
	Now      func() time.Time
	PayAt    string // where pages of payments are, when another one stands in for Stripe
	MailAt   string // where the mail of a demo can be read; empty where mail is really sent
	Operator ui.Operator

	Operators tune.Value[ui.Operator] // Operator, where our staff may change it
	Rates     func(Limit) int         // how many may come in a minute, where our staff may change that; nil: as it comes
}

// host is the edge while it is put together.
type host struct {
	cfg      Config
	echo     *echo.Echo
	sessions *session.Manager
	limits   *Limits
	bodies   map[string]int64 // by method and path, of routes that take more than others
	deps     Deps
	public   *url.URL
	meters   *meters
	payAt    string // one more address in the policy of pages
}

// New puts the edge together: middleware that every request passes, then the routes with their guards. It refuses an
// address that would serve cookies in the clear, and a route that does not say who it is for.
func New(cfg Config, deps Deps, routes ...Route) (*echo.Echo, error) {
	public, err := cfg.public()
	if err != nil {
		return nil, err
	}
	h := &host{
		cfg: cfg, echo: echo.New(), sessions: deps.Sessions, limits: NewLimits(deps.Now).with(deps.Rates), deps: deps, public: public,
		bodies: map[string]int64{},
	}
	if h.meters, err = newMeters(deps.Metrics); err != nil {
		return nil, err
	}
	if at, err := url.Parse(deps.PayAt); err == nil && at.Host != "" {
		h.payAt = " " + at.Scheme + "://" + at.Host
	}
	h.setUp()
	return h.echo, h.mount(append(h.own(), routes...))
}

func (h *host) setUp() {
	e := h.echo
	e.HideBanner, e.HidePort = true, true
	e.IPExtractor = extractor(h.cfg.BehindTLS)
	e.HTTPErrorHandler = h.onError
	e.Pre(h.chain()...)
}

// Check finds what is wrong with c, so that a caller can refuse it before anything is made: a public address that is
// none, and one to listen on that would let passwords travel in the clear.
func (c Config) Check() error {
	_, err := c.public()
	return err
}

// public reads the public address of a configuration that nothing is wrong with.
func (c Config) public() (*url.URL, error) {
	u, err := url.Parse(c.PublicURL)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, fmt.Errorf("HUB_PUBLIC_URL must be an http or https address, got %q", c.PublicURL)
	}
	if u.Path != "" && u.Path != "/" {
		return nil, fmt.Errorf("HUB_PUBLIC_URL must have no path, got %q", c.PublicURL)
	}
	if c.BehindTLS != (u.Scheme == "https") {
		return nil, errors.New("HUB_PUBLIC_URL must start with https:// if, and only if, HUB_BEHIND_TLS=1")
	}
	if !c.BehindTLS && !loopback(c.Addr) {
		return nil, fmt.Errorf("HUB_ADDR %q can be reached from other machines, but without TLS passwords would travel in the clear; "+
			"put a TLS proxy in front, set HUB_BEHIND_TLS=1 and HUB_PUBLIC_URL to its https:// address, or use 127.0.0.1", c.Addr)
	}
	return u, nil
}

// loopback says whether addr is reachable from this machine alone.
func loopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

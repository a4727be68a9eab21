package relay

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"gatehouse/agentd/wire"
)

// maxPayload is what a NATS server must let through: the largest body of the link and its envelope.
const maxPayload = wire.MaxBody + 64<<10

// startTime is how long the embedded server and a cluster may take until they answer.
const startTime = 10 * time.Second

// Options say where live traffic goes.
type Options struct {
	URL string // of a NATS cluster; empty: a server inside this process that listens nowhere
	Log *slog.Logger
	Now func() time.Time // nil: time.Now
}

// Relay is a hub's place in the live traffic. All its methods may be used from many goroutines.
type Relay struct {
	nc     *nats.Conn
	inside *server.Server // nil with a cluster
	log    *slog.Logger
	now    func() time.Time
	prefix string       // of request ids, apart for each hub
	serial atomic.Int64 // of request ids
	silent silences
}

// Open joins the live traffic.
func Open(o Options) (*Relay, error) {
	r := &Relay{log: o.Log, now: o.Now, prefix: rand.Text()[:12] + "-"}
	if r.now == nil {
		r.now = time.Now
	}
	if r.log == nil {
		r.log = slog.New(slog.DiscardHandler)
	}
	if err := r.connect(o.URL); err != nil {
		r.Close()
		return nil, err
	}
	if got := r.nc.MaxPayload(); got < maxPayload {
		r.Close()
		return nil, fmt.Errorf("relay: NATS lets through %d bytes a message, %d are needed: set max_payload", got, maxPayload)
	}
	return r, nil
}

func (r *Relay) connect(url string) (err error) {
	opts := []nats.Option{
		nats.Name("gatehouse hub"), nats.MaxReconnects(-1), nats.RetryOnFailedConnect(false), nats.Timeout(startTime),
		nats.ErrorHandler(r.trouble), nats.DisconnectErrHandler(r.away), nats.ReconnectHandler(r.back),
	}
	if url == "" {
		if r.inside, err = embed(); err != nil {
			return err
		}
		opts = append(opts, nats.InProcessServer(r.inside))
	}
	if r.nc, err = nats.Connect(url, opts...); err != nil {
		return fmt.Errorf("relay: %w", err)
	}
	return nil
}

// embed starts a NATS server that only this process can reach.
func embed() (*server.Server, error) {
	s, err := server.NewServer(&server.Options{DontListen: true, NoLog: true, NoSigs: true, MaxPayload: maxPayload, MaxPending: 4 * maxPayload})
	if err != nil {
		return nil, fmt.Errorf("relay: embedded NATS: %w", err)
	}
	s.Start()
	if !s.ReadyForConnections(startTime) {
		s.Shutdown()
		return nil, errors.New("relay: embedded NATS did not start")
	}
	return s, nil
}

// Ready says whether live traffic flows; nil when it does.
func (r *Relay) Ready() error {
	if !r.nc.IsConnected() {
		return errors.New("relay: not connected to NATS")
	}
	return nil
}

// Close leaves the live traffic. Subscriptions end.
func (r *Relay) Close() {
	if r.nc != nil {
		r.nc.Close()
	}
	if r.inside != nil {
		r.inside.Shutdown()
		r.inside.WaitForShutdown()
	}
}

// flush waits until NATS has taken everything sent so far, subscriptions included.
func (r *Relay) flush(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	return r.nc.FlushWithContext(ctx)
}

func (r *Relay) trouble(_ *nats.Conn, s *nats.Subscription, err error) {
	subject := ""
	if s != nil {
		subject = s.Subject
	}
	r.log.Warn("live traffic was dropped", "subject", subject, "error", err)
}

func (r *Relay) away(_ *nats.Conn, err error) {
	if err != nil {
		r.log.Error("connection to NATS lost", "error", err)
	}
}

func (r *Relay) back(*nats.Conn) { r.log.Info("connection to NATS is back") }

package agentd

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics is the loopback listener for Prometheus, and for what programs on this server send to hooks.
type metrics struct {
	addr string
	srv  *http.Server
	done chan error
}

// serveMetrics listens, on any free port when the address names port 0.
func (d *Daemon) serveMetrics(ctx context.Context) (*metrics, error) {
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", d.cfg.MetricsAddr)
	if err != nil {
		return nil, fmt.Errorf("listen for metrics: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(d.registry(), promhttp.HandlerOpts{}))
	mux.Handle("POST /hooks/", d.hooks.Handler())
	m := &metrics{addr: ln.Addr().String(), done: make(chan error, 1)}
	m.srv = &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 30 * time.Second, IdleTimeout: 2 * time.Minute}
	go func() { m.done <- m.srv.Serve(ln) }()
	return m, nil
}

func (m *metrics) close() error {
	err := m.srv.Close()
	if e := <-m.done; !errors.Is(e, http.ErrServerClosed) {
		err = errors.Join(err, e)
	}
	return err
}

// registry names what is measured. Each figure is read when it is asked for.
func (d *Daemon) registry() *prometheus.Registry {
	r := prometheus.NewRegistry()
	gauge := func(name, help string, fn func() float64) {
		r.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "agentd_" + name, Help: help}, fn))
	}
	gauge("runs_active", "Runs that are at work.", func() float64 { n, _ := d.runtime.Active(); return float64(n) })
	gauge("runs_parked", "Runs that wait for a person.", func() float64 { _, n := d.runtime.Active(); return float64(n) })
	gauge("config_version", "Version of the owner's configuration in force.", func() float64 { return float64(d.live.State().Version()) })
	gauge("link_up", "1 while the link to the hub is open.", d.linkUp)
	gauge("approvals_pending", "Approvals that wait for a person.", func() float64 { return d.count("SELECT count(*) FROM gate_approvals WHERE state = 'pending'") })
	gauge("receipts", "Records in the log.", func() float64 { return d.count("SELECT coalesce(max(seq), 0) FROM receipts") })
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return r
}

func (d *Daemon) linkUp() float64 {
	if c := d.client.Load(); c != nil && c.Connected() {
		return 1
	}
	return 0
}

// count reads one number; -1 says that it could not be read.
func (d *Daemon) count(query string) float64 {
	n := -1.0
	if err := d.db.Read().QueryRowContext(context.Background(), query).Scan(&n); err != nil {
		d.log.Warn("metric not read", "error", err)
		return -1
	}
	return n
}

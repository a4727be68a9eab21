package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"gatehouse/db"
)

// newMetrics makes the registry with what describes the process and its database connections.
func newMetrics(d *db.DB, links func() int) (*prometheus.Registry, error) {
	r := prometheus.NewRegistry()
	for _, c := range []prometheus.Collector{
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		gauge("gatehouse_db_connections", "Connections to Postgres.", func() float64 { return float64(d.Pool.Stat().TotalConns()) }),
		gauge("gatehouse_db_connections_busy", "Connections to Postgres in use.", func() float64 { return float64(d.Pool.Stat().AcquiredConns()) }),
		gauge("gatehouse_links", "Links of servers open at this hub.", func() float64 { return float64(links()) }),
	} {
		if err := r.Register(c); err != nil {
			return nil, fmt.Errorf("metrics: %w", err)
		}
	}
	return r, nil
}

func gauge(name, help string, value func() float64) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value)
}

// serveMetrics serves the registry on an address of its own, which only this machine reaches.
func serveMetrics(ctx context.Context, addr string, r *prometheus.Registry) (*http.Server, net.Listener, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, nil, fmt.Errorf("HUB_METRICS_ADDR: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(r, promhttp.HandlerOpts{}))
	return &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, WriteTimeout: 30 * time.Second}, l, nil
}

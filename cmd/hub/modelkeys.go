package main

import (
	"context"
	"time"

	"gatehouse/app/modelkey"
	"gatehouse/app/provider/openaiorg"
	"gatehouse/app/server"
	"gatehouse/app/usage"
	"gatehouse/db"
)

// metered is what the hub knows of a server's use.
type metered struct {
	*usage.Service
	kept *db.Usage
}

// House is modelkey.Meter's.
func (m metered) House(ctx context.Context, id server.ID, from, to time.Time) ([]modelkey.Hour, error) {
	return m.kept.House(ctx, id, from, to)
}

// openModelKeys makes what gives servers keys of their own at the model provider.
func (p *parts) openModelKeys(cfg config, keys *db.Keyring) {
	p.modelKeys = &modelkey.Service{
		Provider: openaiorg.New(openaiorg.Options{URL: cfg.ModelOrgURL, Key: cfg.ModelAdmin, Project: cfg.ModelProject}),
		Store:    &db.ModelKeys{DB: p.db, Keys: keys}, Meter: metered{p.usage, &db.Usage{DB: p.db}}, Alerts: p.alerts,
		Now: time.Now,
	}
}

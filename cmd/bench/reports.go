package main

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"golang.org/x/sync/errgroup"

	"gatehouse/agentd/wire"
	"gatehouse/app/server"
	tokens "gatehouse/app/usage" // usage is of processors here
	"gatehouse/db"
)

func usageReports() Figure {
	return Figure{
		Name: "usage_reports_s", Unit: "1/s", Goal: 2000, More: true, Fsync: true, Once: true, Take: takeUsage,
		Control: bareReportsControl(),
		How: "reports of usage a second, of three rows each, that one hub's code checks and stores, each in a transaction, in this " +
			"process by 16 at once for 1,000 servers; 10,000 servers at work send 500 a second",
	}
}

const (
	usageServers = 1000
	usageEach    = 10 // reports of each server in the run
	usageAtOnce  = 16
)

func takeUsage(ctx context.Context, s *Stage) (Run, error) {
	ids, err := s.fleet(ctx, s.count(usageServers, 40))
	if err != nil {
		return Run{}, fmt.Errorf("prepare servers: %w", err)
	}
	service := &tokens.Service{
		Store: &db.Usage{DB: s.db}, Alerts: &db.Alerts{DB: s.db}, Now: time.Now, Log: slog.New(slog.DiscardHandler),
	}
	began := time.Now()
	if err := s.reportAll(ctx, service, ids); err != nil {
		return Run{}, err
	}
	n := usageEach * len(ids)
	return Run{Value: float64(n) / time.Since(began).Seconds(), N: n}, nil
}

// reportAll stores the reports of all servers, round by round: those of one server come one after the other.
func (s *Stage) reportAll(ctx context.Context, service *tokens.Service, ids []server.ID) error {
	hour := time.Now().UTC().Truncate(time.Hour)
	for round := range usageEach {
		g, within := errgroup.WithContext(ctx)
		g.SetLimit(usageAtOnce)
		for _, id := range ids {
			g.Go(func() error {
				return s.db.InTx(within, func(ctx context.Context, _ db.Tx) error {
					return service.Report(ctx, id, reportOf(hour, int64(round+1)))
				})
			})
		}
		if err := g.Wait(); err != nil {
			return err
		}
	}
	return nil
}

// reportOf is what a team of three agents used up to a revision.
func reportOf(hour time.Time, revision int64) (r wire.UsageReport) {
	for _, agent := range []string{"dispatcher", "secretary", "it-admin"} {
		r.Rows = append(r.Rows, wire.UsageRow{
			Epoch: "01890a5d-ac96-774b-bcce-b302099a8057", Hour: hour,
			Agent: agent, Model: "instant", Profile: "default",
			Key: wire.KeyHouse, Revision: revision,
			UsageCounts: wire.UsageCounts{Requests: revision, Input: 1000 * revision, Output: 100 * revision},
		})
	}
	return r
}

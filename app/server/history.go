package server

import (
	"context"
	"fmt"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/fault"
)

// Sample is what one heartbeat measured. What it did not is nil.
type Sample struct {
	CPU, Mem, Disk *float64 // shares, 0 to 1
	NetIn, NetOut  *float64 // bytes a second
	Containers     *float64 // that run
}

// SampleOf reads a heartbeat. The processor of a server that does not measure it is told by its load.
func SampleOf(b wire.Heartbeat) Sample {
	s := Sample{
		CPU: b.CPU, Mem: share(b.MemTotal-b.MemFree, b.MemTotal), Disk: share(b.DiskTotal-b.DiskFree, b.DiskTotal),
		NetIn: number(b.NetIn), NetOut: number(b.NetOut),
	}
	if s.CPU == nil && b.Cores > 0 {
		load := b.LoadOne / float64(b.Cores)
		s.CPU = &load
	}
	if s.CPU != nil {
		within := min(max(*s.CPU, 0), 1)
		s.CPU = &within
	}
	if b.Containers != nil {
		n := max(float64(b.Containers.Running), 0)
		s.Containers = &n
	}
	return s
}

func share(part, whole int64) *float64 {
	if whole <= 0 {
		return nil
	}
	f := min(max(float64(part)/float64(whole), 0), 1)
	return &f
}

func number(n *int64) *float64 {
	if n == nil {
		return nil
	}
	f := max(float64(*n), 0)
	return &f
}

// Stat is a figure over a step of time.
type Stat struct {
	Known         bool // something was measured
	Min, Avg, Max float64
}

// Point is what was measured in one step of a chart.
type Point struct {
	At                   time.Time // when the step begins
	Beats                int       // heartbeats in it
	CPU, Mem, Disk       Stat      // shares, 0 to 1
	NetIn, NetOut, Boxes Stat      // bytes a second; containers that run
}

// Span is how far back a chart looks.
type Span string

// The spans.
const (
	Hour    Span = "hour"
	Day     Span = "day"
	Week    Span = "week"
	Quarter Span = "quarter" // 90 days
)

// How the history is kept: heartbeats for a day, steps of five minutes for a week, steps of an hour for 90 days; each a
// little longer, so that a chart is whole to its left end.
const (
	KeepBeats = 25 * time.Hour
	KeepFives = 8 * 24 * time.Hour
	KeepHours = 91 * 24 * time.Hour
)

// Cut is what a chart of a span is drawn of.
type Cut struct {
	Long time.Duration // the whole
	Step time.Duration // one step of the chart
	From time.Duration // the coarsest step of the history that is read; what is newer comes from finer ones
}

var cuts = map[Span]Cut{
	Hour: {time.Hour, time.Minute, 0}, Day: {24 * time.Hour, 10 * time.Minute, 5 * time.Minute},
	Week: {7 * 24 * time.Hour, time.Hour, 5 * time.Minute}, Quarter: {90 * 24 * time.Hour, 12 * time.Hour, time.Hour},
}

// ErrSpan says that a chart was asked for of a span that there is not.
var ErrSpan = fault.New(fault.Invalid, "span", "unknown span of a chart", "Choose hour, day, week or quarter.")

// Chart is what was measured in a span of time.
type Chart struct {
	Span     Span
	From, To time.Time // To lies at the end of the step that is not over yet
	Step     time.Duration
	Points   []Point // steps with heartbeats, by time; a step without one is a gap
}

// Histories keeps what servers measured; db.History does.
type Histories interface {
	// Points reads a history of a server in steps, from the coarsest rows of the cut to the heartbeats themselves.
	Points(ctx context.Context, id ID, c Cut, from, to time.Time) ([]Point, error)
}

// Chart gives what a server measured: staff only.
func (s *Service) Chart(ctx context.Context, id ID, span Span) (Chart, error) {
	cut, ok := cuts[span]
	if !ok {
		return Chart{}, ErrSpan
	}
	to := s.Now().UTC().Truncate(cut.Step).Add(cut.Step)
	c := Chart{Span: span, From: to.Add(-cut.Long), To: to, Step: cut.Step}
	var err error
	if c.Points, err = s.Histories.Points(ctx, id, cut, c.From, to); err != nil {
		return Chart{}, fmt.Errorf("chart of server %s: %w", id, err)
	}
	return c, nil
}

// ChartOf gives what the customer's own server measured.
func (s *Service) ChartOf(ctx context.Context, of account.CustomerID, span Span) (Chart, error) {
	srv, err := s.Store.Of(ctx, of)
	if err != nil {
		return Chart{}, err
	}
	return s.Chart(ctx, srv.ID, span)
}

package via

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"gatehouse/agentd/llm/proxy"
	"gatehouse/agentd/wire"
)

// maxUsage is how long an answer about usage is at most, in bytes.
const maxUsage = 4 << 20

// Changed gives rows of the proxy's meter that changed after a revision, in the order in which they did. The proxy knows how
// many it gives at most.
func (w *Way) Changed(ctx context.Context, after int64, _ int) ([]wire.UsageRow, error) {
	var u proxy.Usage
	err := w.read(ctx, proxy.UsagePath, url.Values{"after": {strconv.FormatInt(after, 10)}}, &u)
	return u.Items, err
}

// OfDay gives the rows of a day of the proxy's meter, likewise.
func (w *Way) OfDay(ctx context.Context, day time.Time, after int64, _ int) ([]wire.UsageRow, error) {
	var u proxy.Usage
	q := url.Values{"after": {strconv.FormatInt(after, 10)}, "day": {day.Format(time.RFC3339)}}
	err := w.read(ctx, proxy.UsagePath, q, &u)
	return u.Items, err
}

// Sums adds up each day of the proxy's meter from from until to.
func (w *Way) Sums(ctx context.Context, from, to time.Time) ([]wire.UsageSum, error) {
	var s proxy.Sums
	err := w.read(ctx, proxy.SumsPath, url.Values{"from": {from.Format(time.RFC3339)}, "to": {to.Format(time.RFC3339)}}, &s)
	return s.Items, err
}

// OfRun is what a root run used by the proxy's meter.
func (w *Way) OfRun(ctx context.Context, run string) ([]wire.RunUse, error) {
	var u proxy.RunUses
	err := w.read(ctx, proxy.RunPath, url.Values{"run": {run}}, &u)
	return u.Items, err
}

// Paused gives the agents that a budget keeps from asking their models.
func (w *Way) Paused(ctx context.Context, models map[string]string) ([]wire.AgentPause, error) {
	body, err := json.Marshal(proxy.Asking{Models: models})
	if err != nil {
		return nil, fmt.Errorf("ask the model proxy who is paused: %w", err)
	}
	var p proxy.Paused
	err = w.readBody(ctx, http.MethodPost, proxy.PausedPath, body, &p)
	return p.Items, err
}

// usageTime is how long the proxy may take to say what was used.
const usageTime = 10 * time.Second

func (w *Way) read(ctx context.Context, path string, q url.Values, into any) error {
	return w.readBody(ctx, http.MethodGet, path+"?"+q.Encode(), nil, into)
}

func (w *Way) readBody(ctx context.Context, method, path string, body []byte, into any) error {
	ctx, cancel := context.WithTimeout(ctx, usageTime)
	defer cancel()
	res, err := w.do(ctx, method, path, body)
	if err != nil {
		return fmt.Errorf("ask the model proxy what was used: %w", err)
	}
	defer func() { _ = res.Body.Close() }() // it was read to its end, or given up
	if err := json.NewDecoder(io.LimitReader(res.Body, maxUsage)).Decode(into); err != nil {
		return fmt.Errorf("ask the model proxy what was used: %w", err)
	}
	return nil
}

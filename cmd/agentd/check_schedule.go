package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gatehouse/agentd/schedule/due"
	"gatehouse/agentd/schedule/when"
	"gatehouse/agentd/wire"
)

// maxTicks is how many ticks of one schedule are listed.
const maxTicks = 200_000

// planned is one line of input: a schedule, and a stretch of time.
type planned struct {
	ID       json.RawMessage   `json:"id"`
	Spec     string            `json:"spec"`
	Kind     wire.ScheduleKind `json:"kind"`
	TimeZone string            `json:"time_zone"`
	From     time.Time         `json:"from"`
	Until    time.Time         `json:"until"`
}

// ticked is one line of output.
type ticked struct {
	ID    json.RawMessage `json:"id"`
	Ticks []time.Time     `json:"ticks"`
	Error string          `json:"error,omitempty"`
}

// checkSchedule is "agentd check schedule".
func checkSchedule(ctx context.Context, c *call) error {
	if err := c.parse(0); err != nil {
		return err
	}
	return checkLines(ctx, c, func(line []byte) any {
		var p planned
		err := readLine(line, &p, "spec", "kind", "from", "until")
		out := ticked{ID: orNull(p.ID), Ticks: []time.Time{}}
		if err == nil {
			out.Ticks, err = p.ticks()
		}
		if err != nil {
			out.Error = err.Error()
		}
		return out
	})
}

// ticks lists when the schedule is due from From on and before Until. An interval counts from From.
func (p planned) ticks() ([]time.Time, error) {
	zone, err := time.LoadLocation(p.TimeZone)
	if err != nil {
		return []time.Time{}, fmt.Errorf("the time zone %q is not known", p.TimeZone)
	}
	rule, err := due.Parse(p.Kind, p.Spec, zone, p.From)
	if err != nil {
		return []time.Time{}, err
	}
	ticks, more := rule.Between(p.From, p.Until, maxTicks)
	if more {
		err = fmt.Errorf("these are the first %d ticks; there are more", maxTicks)
	}
	return append([]time.Time{}, ticks...), err
}

// phrased is one line of input: what somebody wrote about a time.
type phrased struct {
	ID       json.RawMessage `json:"id"`
	Text     string          `json:"text"`
	TimeZone string          `json:"time_zone"`
	Now      time.Time       `json:"now"`
}

// understood is one line of output: a time, a question, or an error. Of what comes again, At is the first time.
type understood struct {
	ID        json.RawMessage   `json:"id"`
	At        string            `json:"at,omitempty"` // RFC 3339, UTC
	Kind      wire.ScheduleKind `json:"kind,omitempty"`
	Spec      string            `json:"spec,omitempty"`
	Ambiguous bool              `json:"ambiguous,omitempty"`
	Ask       string            `json:"ask,omitempty"`
	Choices   []string          `json:"choices,omitempty"`
	Error     string            `json:"error,omitempty"`
}

// checkWhen is "agentd check when".
func checkWhen(ctx context.Context, c *call) error {
	if err := c.parse(0); err != nil {
		return err
	}
	return checkLines(ctx, c, func(line []byte) any {
		var p phrased
		err := readLine(line, &p, "text", "now")
		out := understood{ID: orNull(p.ID)}
		if err == nil {
			err = p.read(&out)
		}
		if err != nil {
			out.Error = err.Error()
		}
		return out
	})
}

func (p phrased) read(out *understood) error {
	zone, err := time.LoadLocation(p.TimeZone)
	if err != nil {
		return fmt.Errorf("the time zone %q is not known", p.TimeZone)
	}
	r, err := when.Read(p.Text, zone, p.Now)
	if err != nil {
		return err
	}
	if r.Ask != "" {
		out.Ambiguous, out.Ask, out.Choices = true, r.Ask, r.Choices
		return nil
	}
	rule, err := due.Parse(r.Kind, r.Spec, zone, p.Now)
	if err != nil {
		return err
	}
	at, ok := rule.Next(p.Now)
	if !ok {
		return errors.New("that time has passed")
	}
	out.At, out.Kind, out.Spec = at.UTC().Format(time.RFC3339), r.Kind, r.Spec
	return nil
}

package schedule

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"gatehouse/agentd/schedule/due"
	"gatehouse/agentd/schedule/when"
	"gatehouse/agentd/wire"
)

// shown is how many of the next times a reading names.
const shown = 5

func (s *Schedules) read(_ context.Context, p wire.ScheduleReadParams) (wire.ScheduleReading, error) {
	return s.Read(p)
}

// Read says what a spec or a phrase means, from now on.
func (s *Schedules) Read(p wire.ScheduleReadParams) (wire.ScheduleReading, error) {
	zone, err := s.zone(p.TimeZone)
	if err != nil {
		return wire.ScheduleReading{}, err
	}
	now := s.now()
	out := wire.ScheduleReading{Kind: p.Kind, TimeZone: zone.String(), Next: []time.Time{}}
	rule, ask, err := readSpec(p.Kind, p.Spec, zone, now)
	if err != nil {
		return out, err
	}
	if ask.Ask != "" {
		out.Ask, out.Choices = ask.Ask, ask.Choices
		return out, nil
	}
	out.Kind, out.Spec, out.Says = kindOf(p.Kind, rule), rule.Spec(), rule.Says()
	for t, ok := rule.Next(now); ok && len(out.Next) < shown; t, ok = rule.Next(t) {
		out.Next = append(out.Next, t.UTC())
	}
	if len(out.Next) == 0 {
		return out, badRequest("That time has passed.")
	}
	return out, nil
}

// zone finds a time zone by its name; the owner's when none is named.
func (s *Schedules) zone(name string) (*time.Location, error) {
	name = cmp.Or(name, s.d.Config().TimeZone, "UTC")
	zone, err := time.LoadLocation(name)
	if err != nil || name == "Local" {
		return nil, badRequest(fmt.Sprintf("The time zone %q is not known.", name))
	}
	return zone, nil
}

// kindOf is the kind of a schedule that was asked for as kind and is due by rule: a phrase that comes again makes a schedule that
// does.
func kindOf(kind wire.ScheduleKind, rule due.Rule) wire.ScheduleKind {
	if kind == wire.ScheduleReminder || kind == wire.ScheduleHeartbeat || kind == wire.ScheduleMonitor {
		return kind
	}
	return rule.Kind()
}

// readSpec reads a spec, or a phrase. ask is set when the phrase can mean several things.
func readSpec(kind wire.ScheduleKind, spec string, zone *time.Location, now time.Time) (rule due.Rule, ask when.Reading, err error) {
	if len(spec) > wire.MaxScheduleSpec || strings.TrimSpace(spec) == "" {
		return rule, ask, badRequest("Say when, such as “tomorrow at 9”, “every Monday at 8” or “in 20 minutes”.")
	}
	anchor := now.Truncate(time.Second)
	rule, specErr := due.Parse(kind, spec, zone, anchor)
	if specErr != nil {
		rule, specErr = due.Parse("", spec, zone, anchor) // the spec of another kind
	}
	if specErr != nil {
		if ask, err = when.Read(spec, zone, now); err != nil {
			return rule, ask, badRequest(err.Error())
		}
		if ask.Ask != "" {
			return rule, ask, nil
		}
		if rule, err = due.Parse(ask.Kind, ask.Spec, zone, anchor); err != nil {
			return rule, ask, badRequest(err.Error())
		}
	}
	if kind == wire.ScheduleHeartbeat && rule.Kind() != wire.ScheduleEvery {
		return rule, ask, badRequest("A heartbeat has an interval, such as 30m.")
	}
	if kind == wire.ScheduleMonitor && rule.Kind() == wire.ScheduleAt {
		return rule, ask, badRequest("A monitor looks again and again: give it an interval, such as 15m.")
	}
	if first, ok := rule.Next(now); ok && rule.Interval() {
		if second, _ := rule.Next(first); second.Sub(first) < time.Minute {
			return rule, ask, badRequest("The shortest interval is a minute.")
		}
	}
	return rule, ask, nil
}

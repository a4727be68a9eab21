package schedule

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"gatehouse/agentd/schedule/due"
	"gatehouse/agentd/wire"
)

var errCursor = badRequest("This page of the list does not exist. Start from the first page.")

// pageSize is how many items a list gives.
func pageSize(limit int) int {
	if limit <= 0 {
		return 50
	}
	return min(limit, 200)
}

// List gives one page of the schedules.
func (s *Schedules) List(ctx context.Context, p wire.SchedulesParams) (out wire.SchedulesResult, err error) {
	where, args := []string{"state <> 'deleted'"}, []any{}
	add := func(condition string, values ...any) {
		where, args = append(where, condition), append(args, values...)
	}
	if p.State != "" {
		where[0] = "state = ?"
		args = append(args, p.State)
	}
	if p.Agent != "" {
		add("agent = ?", p.Agent)
	}
	if p.Kind != "" {
		add("kind = ?", p.Kind)
	}
	if p.Q != "" {
		like := "%" + strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(p.Q) + "%"
		add(`(title LIKE ? ESCAPE '\' OR task LIKE ? ESCAPE '\')`, like, like)
	}
	if p.After != "" {
		at, id, ok := strings.Cut(p.After, ":")
		micros, err := strconv.ParseInt(at, 10, 64)
		if !ok || err != nil {
			return out, errCursor
		}
		add("(due = 0, due, id) > (?, ?, ?)", micros == 0, micros, id)
	}
	limit := pageSize(p.Limit)
	rows, err := s.where(ctx, strings.Join(where, " AND ")+" ORDER BY due = 0, due, id LIMIT ?", append(args, limit+1)...)
	if err != nil {
		return out, err
	}
	if len(rows) > limit {
		rows = rows[:limit]
		last := rows[limit-1]
		out.Next = strconv.FormatInt(micros(last.Due), 10) + ":" + last.ID
	}
	if out.Items, err = s.views(ctx, rows); err != nil {
		return out, err
	}
	return out, s.summary(ctx, &out)
}

// summary fills in what holds for all schedules.
func (s *Schedules) summary(ctx context.Context, out *wire.SchedulesResult) error {
	err := s.d.DB.Read().QueryRowContext(ctx, "SELECT count(*) FROM schedule_ticks WHERE outcome = 'failed' AND dismissed = "+
		"0").Scan(&out.Failed)
	if err != nil {
		return fmt.Errorf("read ticks: %w", err)
	}
	out.Settings, err = scanSettings(s.d.DB.Read().QueryRowContext(ctx, settingsQuery))
	return err
}

// Get gives one schedule, also one that was deleted.
func (s *Schedules) Get(ctx context.Context, p wire.ScheduleParams) (wire.Schedule, error) {
	rows, err := s.where(ctx, "id = ?", p.ID)
	if err != nil {
		return wire.Schedule{}, err
	}
	if len(rows) == 0 {
		return wire.Schedule{}, errNone
	}
	all, err := s.views(ctx, rows)
	if err != nil {
		return wire.Schedule{}, err
	}
	return all[0], nil
}

// views are schedules as pages show them.
func (s *Schedules) views(ctx context.Context, rows []row) ([]wire.Schedule, error) {
	all := make([]wire.Schedule, 0, len(rows))
	for _, r := range rows {
		v, err := s.view(ctx, r)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

func (s *Schedules) view(ctx context.Context, r row) (wire.Schedule, error) {
	v := wire.Schedule{
		ID: r.ID, Agent: r.Agent, Kind: r.Kind, Spec: r.Spec, TimeZone: r.Zone, Title: r.Title, Task: r.Task, CatchUp: r.CatchUp,
		Deliver: wire.ScheduleDeliver{To: r.Deliver}, State: r.State, Why: r.Why, Next: r.Due, Level: r.Level,
		Outside: []wire.TaintSource{},
		Session: r.Session, By: r.Origin, RunID: r.RunID, Version: r.Version, Created: r.Created, Updated: r.Updated,
		Condition: r.Condition, Holds: r.Holds,
	}
	for _, t := range r.Taint {
		v.Outside = append(v.Outside, wire.TaintSource(t))
	}
	if rule, err := r.rule(); err == nil {
		v.Says = rule.Says()
	}
	if s.d.Webhooks != nil {
		var err error
		if v.Webhook, err = s.d.Webhooks.Target(ctx, r.ID, r.basis()); err != nil {
			return v, err
		}
	}
	read := s.d.DB.Read()
	err := read.QueryRowContext(ctx, "SELECT count(*) FROM schedule_ticks WHERE schedule = ? AND outcome = 'failed' AND dismissed = "+
		"0", r.ID).Scan(&v.Failed)
	if err != nil {
		return v, fmt.Errorf("read ticks: %w", err)
	}
	v.Last, err = lastTick(read.QueryRowContext(ctx, "SELECT "+tickColumns+" FROM schedule_ticks WHERE schedule = ? ORDER BY seq "+
		"DESC LIMIT 1", r.ID))
	return v, err
}

// ticks gives one page of the history of a schedule.
func (s *Schedules) ticks(ctx context.Context, p wire.ScheduleTicksParams) (wire.ScheduleTicks, error) {
	if _, err := s.Get(ctx, wire.ScheduleParams{ID: p.ID}); err != nil {
		return wire.ScheduleTicks{}, err
	}
	page, err := s.tickPage(ctx, "schedule = ?", []any{p.ID}, p.After, p.Limit)
	if err != nil {
		return page, err
	}
	return page, s.delivered(ctx, p.ID, page.Items)
}

// failed gives one page of what failed for good.
func (s *Schedules) failed(ctx context.Context, p wire.SchedulesParams) (wire.ScheduleTicks, error) {
	return s.tickPage(ctx, "outcome = 'failed' AND dismissed = 0", nil, p.After, p.Limit)
}

func (s *Schedules) tickPage(ctx context.Context, where string, args []any, after string, limit int) (out wire.ScheduleTicks, err error) {
	out.Items = []wire.ScheduleTick{}
	if after != "" {
		seq, err := strconv.ParseInt(after, 10, 64)
		if err != nil {
			return out, errCursor
		}
		where, args = where+" AND seq < ?", append(args, seq)
	}
	limit = pageSize(limit)
	rows, err := s.d.DB.Read().QueryContext(ctx, "SELECT "+tickColumns+" FROM schedule_ticks WHERE "+where+" ORDER BY seq DESC LIMIT ?",
		append(args, limit+1)...)
	if err != nil {
		return out, fmt.Errorf("read ticks: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	var last int64
	for rows.Next() {
		k, err := scanTick(rows)
		if err != nil {
			return out, fmt.Errorf("read ticks: %w", err)
		}
		if len(out.Items) == limit {
			out.Next = strconv.FormatInt(last, 10)
			break
		}
		last, out.Items = k.Seq, append(out.Items, k.wire())
	}
	return out, rows.Err()
}

// longest is the longest stretch of time that a calendar shows.
const longest = 367 * 24 * time.Hour

// coming lists when active schedules are due.
func (s *Schedules) coming(ctx context.Context, p wire.SchedulesDueParams) (out wire.SchedulesDue, err error) {
	out.Items = []wire.ScheduleDue{}
	if !p.Until.After(p.From) || p.Until.Sub(p.From) > longest {
		return out, badRequest("A calendar shows at most a year.")
	}
	rows, err := s.where(ctx, "state = 'active' AND due > 0 AND due < ? ORDER BY due, id", micros(p.Until))
	if err != nil {
		return out, err
	}
	for _, r := range rows {
		rule, err := r.rule()
		if err != nil {
			return out, err
		}
		from := p.From
		if from.Before(r.Due) {
			from = r.Due
		}
		ticks, more := rule.Between(from, p.Until, wire.MaxSchedulesDue)
		out.More = out.More || more
		for _, t := range ticks {
			out.Items = append(out.Items, wire.ScheduleDue{Schedule: r.ID, Title: r.Title, Agent: r.Agent, Due: t.UTC()})
		}
	}
	slices.SortStableFunc(out.Items, func(a, b wire.ScheduleDue) int { return a.Due.Compare(b.Due) })
	if len(out.Items) > wire.MaxSchedulesDue {
		out.Items, out.More = out.Items[:wire.MaxSchedulesDue], true
	}
	return out, nil
}

// Settings of all schedules.

const settingsQuery = "SELECT paused, quiet_from, quiet_to, origin FROM schedule_settings"

func scanSettings(from scanner) (set wire.ScheduleSettings, err error) {
	var origin string
	err = from.Scan(&set.Paused, &set.QuietFrom, &set.QuietTo, &origin)
	if errors.Is(err, sql.ErrNoRows) {
		return set, nil
	}
	if err != nil {
		return set, fmt.Errorf("read settings of schedules: %w", err)
	}
	return set, json.Unmarshal([]byte(origin), &set.By)
}

func settings(t txn) (wire.ScheduleSettings, error) {
	return scanSettings(t.db.QueryRow(t.tx, settingsQuery))
}

// quiet are the quiet hours, which were checked when they were set.
func quiet(set wire.ScheduleSettings) due.Quiet {
	q, err := due.ParseQuiet(set.QuietFrom, set.QuietTo)
	if err != nil {
		return due.Quiet{}
	}
	return q
}

// set stores what holds for all schedules.
func (s *Schedules) set(ctx context.Context, set wire.ScheduleSettings) (wire.ScheduleSettings, error) {
	if _, err := due.ParseQuiet(set.QuietFrom, set.QuietTo); err != nil {
		return set, badRequest(err.Error())
	}
	err := s.write(ctx, func(t txn) error {
		_, err := t.exec(`INSERT INTO schedule_settings (one, paused, quiet_from, quiet_to, origin) VALUES (1,?,?,?,?)
			ON CONFLICT (one) DO UPDATE SET paused = excluded.paused, quiet_from = excluded.quiet_from, quiet_to = excluded.quiet_to,
			origin = excluded.origin`, set.Paused, set.QuietFrom, set.QuietTo, toJSON(set.By))
		if err != nil {
			return err
		}
		return s.receipt(t, "schedule.settings", "", map[string]any{
			"paused": set.Paused, "quiet_from": set.QuietFrom, "quiet_to": set.QuietTo, "by": set.By,
		})
	})
	s.Wake()
	return set, err
}

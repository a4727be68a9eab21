package schedule

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/a-h/templ"

	"gatehouse/views/i18n"
	"gatehouse/views/portal"
	"gatehouse/views/ui"
)

// Addresses of the section.
const (
	MonthPath  = portal.Schedules + "/month"
	NewPath    = portal.Schedules + "/new"
	AllPath    = portal.Schedules + "/all"
	FailedPath = portal.Schedules + "/failed"
	QuietPath  = portal.Schedules + "/quiet"
)

// Path is one schedule.
func Path(id string) string { return portal.Schedules + "/" + id }

// EditPath is where it is changed.
func EditPath(id string) string { return Path(id) + "/edit" }

// ActPath pauses, resumes, deletes, dismisses or runs it.
func ActPath(id string) string { return Path(id) + "/act" }

// What a schedule does.
const (
	Works   = "work"   // an agent works on the task
	Reminds = "remind" // the task is said, and no model is asked
	Watches = "watch"  // a number is looked at, and the task is said when a condition begins to hold
)

// What is watched, and by what the number is found.
const (
	WatchDisk = "disk"
	WatchOwn  = "own"
	ByWords   = "words"
	ByPath    = "path"
	ByPattern = "pattern"
)

// Schedule is one schedule.
type Schedule struct {
	ID, Agent, Kind, Says, TimeZone, Title, Task, State, Why, Session string

	Next    time.Time // zero: nothing is due any more
	Last    *Tick
	Failed  int
	Watched string   // what a monitor looks at, in words
	Skips   bool     // times that passed while the server was off are left out
	Outside bool     // content from outside stood behind its making
	Webhook *Webhook // nil: its results go to no address
}

// Tick is one due time and what became of it.
type Tick struct {
	Due                           time.Time
	Verdict, Outcome, Reason, Run string
	Retry                         time.Time
	Asked                         bool
	Delivery                      *Delivery // nil: its result goes to no address
}

// List is one page of the schedules.
type List struct {
	Q, Agent, State, After, Next string
	QuietFrom, QuietTo           string // "22:00"; empty: none
	Failed                       int
	Paused                       bool
	Agents                       []ui.Option
	Items                        []Schedule
	Briefing                     string // marks the form that offers a daily briefing; empty: it is not offered
}

// Failed is a page of what failed for good, of all schedules.
type Failed struct {
	Ticks       []FailedTick
	After, More string
}

// FailedTick is a tick that failed, of a schedule.
type FailedTick struct {
	Tick

	ID, Title string
}

// table lists what failed.
func (f Failed) table(ctx context.Context) ui.Table {
	t := ui.Table{
		ID: "failed", Caption: i18n.T(ctx, "schedule.failed_title"), Path: FailedPath,
		Cols: []ui.Col{
			{Label: i18n.T(ctx, "schedule.what"), Main: true},
			{Label: i18n.T(ctx, "schedule.due")},
			{Label: i18n.T(ctx, "schedule.reason")},
			{Label: i18n.T(ctx, "schedule.run")},
		},
		Empty: ui.Empty{Kind: "done", Title: i18n.T(ctx, "schedule.failed_none"), Body: i18n.T(ctx, "schedule.failed_none_body")},
	}
	if f.After != "" {
		t.Pager.Prev = FailedPath
	}
	t.Pager.Next = portal.NextPage(FailedPath, url.Values{}, f.More)
	for i, k := range f.Ticks {
		run := ui.Text("")
		if k.Run != "" {
			run = ui.Link(portal.RunPath(k.Run), i18n.T(ctx, "schedule.run_open"))
		}
		t.Rows = append(t.Rows, ui.Row{ID: "failed-" + strconv.Itoa(i), Cells: []templ.Component{
			ui.Link(Path(k.ID), k.Title), ui.At(k.Due), ui.Text(i18n.Say(ctx, k.Reason)), run,
		}})
	}
	return t
}

// One is a schedule with a page of its history.
type One struct {
	Schedule

	Ticks             []Tick
	After, More, Once string
	Signs             Signs // what acts on its address are bound to
}

// Form is a schedule as it is typed.
type Form struct {
	ID      string // empty: a new one
	Version int64
	Agent, Does, Spec, Title,
	Task, Once, Zone string
	Win                                     string // the first task that it is; empty: none
	Watch, Tool, Args, By, Place, Is, Value string // of a monitor
	Skips                                   bool
	Agents                                  []ui.Option
	Problems                                map[string]string
}

// Month is what is due in a month.
type Month struct {
	From time.Time // in the reader's zone
	Days []Day
	More bool // there is more than a page holds
}

// Day is what is due on a day.
type Day struct {
	At  time.Time
	Due []Due
}

// Due is a time at which a schedule is due.
type Due struct {
	ID, Title string
	At        time.Time
}

// Add adds what is due at a moment of the reader's zone, after all that was added before.
func (m *Month) Add(at time.Time, d Due) {
	if n := len(m.Days); n == 0 || m.Days[n-1].At.YearDay() != at.YearDay() {
		m.Days = append(m.Days, Day{At: at})
	}
	last := &m.Days[len(m.Days)-1]
	last.Due = append(last.Due, d)
}

// other is the month before or after.
func (m Month) other(months int) string {
	return MonthPath + "?" + url.Values{"month": {m.From.AddDate(0, months, 0).Format("2006-01")}}.Encode()
}

// Query is what the list was asked for.
func (l List) Query() url.Values {
	q := url.Values{}
	for name, v := range map[string]string{"q": l.Q, "agent": l.Agent, "state": l.State} {
		if v != "" {
			q.Set(name, v)
		}
	}
	return q
}

var states = map[string]i18n.Key{
	"active": "schedule.active", "paused": "schedule.paused", "done": "schedule.done", "deleted": "schedule.deleted",
}

var whys = map[string]i18n.Key{
	"owner": "schedule.why_owner", "agent_removed": "schedule.why_agent", "failing": "schedule.why_failing",
	"agent": "schedule.why_by_agent",
}

var verdicts = map[string]i18n.Key{
	"ran": "schedule.ran", "caught_up": "schedule.caught_up", "skipped": "schedule.skipped", "missed": "schedule.missed",
}

var outcomes = map[string]i18n.Key{
	"open": "schedule.outcome_open", "done": "schedule.outcome_done", "retried": "schedule.outcome_retried",
	"failed": "schedule.outcome_failed", "stopped": "schedule.outcome_stopped", "paused": "schedule.outcome_paused",
}

// state is how a schedule stands, in words.
func (s Schedule) state(ctx context.Context) templ.Component {
	kind := map[string]string{"active": "ok", "paused": "warn"}[s.State]
	text := i18n.T(ctx, states[s.State])
	if s.State == "paused" && s.Why != "" {
		text = i18n.T(ctx, whys[s.Why])
	}
	return ui.Status(kind, text)
}

// became is what became of a due time, in words.
func (t Tick) became(ctx context.Context) string {
	text := i18n.T(ctx, verdicts[t.Verdict])
	if key, ok := outcomes[t.Outcome]; ok {
		text += ", " + i18n.T(ctx, key)
	}
	return text
}

func (t Tick) kind() string {
	switch {
	case t.Outcome == "failed", t.Verdict == "missed":
		return "bad"
	case t.Outcome == "retried", t.Verdict == "skipped":
		return "warn"
	case t.Outcome == "open":
		return "busy"
	}
	return "ok"
}

// next is when a schedule is due next.
func (s Schedule) next(ctx context.Context) templ.Component {
	if s.Next.IsZero() {
		return ui.Text(i18n.T(ctx, "schedule.never"))
	}
	return ui.At(s.Next)
}

// Table is the list.
func Table(ctx context.Context, l List) ui.Table {
	all := []ui.Option{{Label: i18n.T(ctx, "schedule.all_states")}}
	for _, s := range []string{"active", "paused", "done", "deleted"} {
		all = append(all, ui.Option{Value: s, Label: i18n.T(ctx, states[s])})
	}
	agents := append([]ui.Option{{Label: i18n.T(ctx, "schedule.all_agents")}}, l.Agents...)
	t := ui.Table{
		ID: "schedules", Caption: i18n.T(ctx, "schedule.title"), Path: portal.Schedules, Query: l.Query(),
		Search: &ui.Search{Label: i18n.T(ctx, "schedule.search"), Value: l.Q},
		Filters: []ui.Filter{
			{Name: "agent", Label: i18n.T(ctx, "schedule.agent"), Value: l.Agent, Options: agents},
			{Name: "state", Label: i18n.T(ctx, "schedule.state"), Value: l.State, Options: all},
		},
		Cols: []ui.Col{
			{Label: i18n.T(ctx, "schedule.what"), Main: true},
			{Label: i18n.T(ctx, "schedule.next")},
			{Label: i18n.T(ctx, "schedule.when")},
			{Label: i18n.T(ctx, "schedule.agent")},
			{Label: i18n.T(ctx, "schedule.last")},
			{Label: i18n.T(ctx, "schedule.state")},
		},
		Empty: l.empty(ctx),
	}
	if l.After != "" {
		t.Pager.Prev = portal.Schedules
	}
	t.Pager.Next = portal.NextPage(portal.Schedules, l.Query(), l.Next)
	for _, s := range l.Items {
		last := ui.Text(i18n.T(ctx, "schedule.not_yet"))
		if s.Last != nil {
			last = ui.Status(s.Last.kind(), s.Last.became(ctx))
		}
		t.Rows = append(t.Rows, ui.Row{ID: "schedule-" + s.ID, Cells: []templ.Component{
			ui.Link(Path(s.ID), s.Title), s.next(ctx), ui.Text(s.Says), ui.Text(s.Agent), last, s.state(ctx),
		}})
	}
	return t
}

func (l List) empty(ctx context.Context) ui.Empty {
	if l.Q+l.Agent+l.State != "" {
		return ui.Empty{Kind: "nomatch", Title: i18n.T(ctx, "schedule.none"), Body: i18n.T(ctx, "schedule.none_body")}
	}
	return ui.Empty{Kind: "new", Title: i18n.T(ctx, "schedule.empty"), Body: i18n.T(ctx, "schedule.empty_body")}
}

// history lists what became of due times.
func (o One) history(ctx context.Context) ui.Table {
	t := ui.Table{
		ID: "ticks", Caption: i18n.T(ctx, "schedule.history"), Path: Path(o.ID),
		Cols: []ui.Col{
			{Label: i18n.T(ctx, "schedule.due"), Main: true},
			{Label: i18n.T(ctx, "schedule.became")},
			{Label: i18n.T(ctx, "schedule.reason")},
			{Label: i18n.T(ctx, "schedule.run")},
		},
		Empty: ui.Empty{Kind: "new", Title: i18n.T(ctx, "schedule.history_none"), Body: i18n.T(ctx, "schedule.history_none_body")},
	}
	if o.After != "" {
		t.Pager.Prev = Path(o.ID)
	}
	t.Pager.Next = portal.NextPage(Path(o.ID), url.Values{}, o.More)
	goes := slices.ContainsFunc(o.Ticks, func(k Tick) bool { return k.Delivery != nil })
	if goes {
		t.Cols = append(t.Cols, ui.Col{Label: i18n.T(ctx, "schedule.webhook")})
	}
	for i, k := range o.Ticks {
		run := ui.Text("")
		if k.Run != "" {
			run = ui.Link(portal.RunPath(k.Run), i18n.T(ctx, "schedule.run_open"))
		}
		reason := k.Reason
		if k.Asked && o.Kind != "monitor" {
			reason = i18n.T(ctx, "schedule.asked")
		}
		t.Rows = append(t.Rows, ui.Row{ID: "tick-" + strconv.Itoa(i), Cells: []templ.Component{
			ui.At(k.Due), ui.Status(k.kind(), k.became(ctx)), ui.Text(i18n.Say(ctx, reason)), run,
		}})
		if goes {
			row := &t.Rows[len(t.Rows)-1]
			row.Cells = append(row.Cells, k.delivered(ctx))
		}
	}
	return t
}

func (o One) facts(ctx context.Context) []ui.Pair {
	passed := i18n.T(ctx, "schedule.catches_up")
	if o.Skips {
		passed = i18n.T(ctx, "schedule.skips")
	}
	facts := []ui.Pair{
		{Name: i18n.T(ctx, "schedule.next"), View: o.next(ctx)},
		{Name: i18n.T(ctx, "schedule.when"), Value: o.Says},
		{Name: i18n.T(ctx, "schedule.zone"), Value: o.TimeZone},
		{Name: i18n.T(ctx, "schedule.agent"), Value: o.Agent},
		{Name: i18n.T(ctx, "schedule.state"), View: o.state(ctx)},
		{Name: i18n.T(ctx, "schedule.passed"), Value: passed},
		{Name: i18n.T(ctx, "schedule.task"), Value: o.Task},
	}
	if o.Watched != "" {
		facts = append(facts, ui.Pair{Name: i18n.T(ctx, "schedule.watched"), Value: o.Watched})
	}
	return facts
}

func (f Form) action() string {
	if f.ID == "" {
		return NewPath
	}
	return EditPath(f.ID)
}

func (f Form) problems() (all []ui.Problem) {
	for _, name := range []string{"spec", "task", "value"} {
		if text := f.Problems[name]; text != "" {
			all = append(all, ui.Problem{Field: name, Text: text})
		}
	}
	return all
}

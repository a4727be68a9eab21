package wire

import "time"

// The methods about schedules, since version 5. Params → result. None is signed: a schedule does what a message does that the
// owner sends at that time, at no higher level than the one at which it was made. A refusal of what cannot be read is a
// bad_request with a sentence for the person who wrote it.
const (
	MethodSchedulesList   Method = "schedules.list"   // SchedulesParams → SchedulesResult
	MethodSchedulesDue    Method = "schedules.due"    // SchedulesDueParams → SchedulesDue: what is coming, for a calendar
	MethodSchedulesSet    Method = "schedules.set"    // ScheduleSettings → ScheduleSettings
	MethodScheduleRead    Method = "schedule.read"    // ScheduleReadParams → ScheduleReading; keeps nothing
	MethodScheduleGet     Method = "schedule.get"     // ScheduleParams → Schedule; also after it was deleted
	MethodScheduleTicks   Method = "schedule.ticks"   // ScheduleTicksParams → ScheduleTicks
	MethodScheduleCreate  Method = "schedule.create"  // ScheduleCreate → Schedule; a repeat gives what is there
	MethodScheduleEdit    Method = "schedule.edit"    // ScheduleEdit → Schedule
	MethodSchedulePause   Method = "schedule.pause"   // ScheduleAct → Schedule
	MethodScheduleResume  Method = "schedule.resume"  // ScheduleAct → Schedule
	MethodScheduleDelete  Method = "schedule.delete"  // ScheduleAct → Schedule; its history stays for a while
	MethodScheduleRun     Method = "schedule.run"     // ScheduleRun → ScheduleTick: once, now; a repeat gives what is there
	MethodScheduleDismiss Method = "schedule.dismiss" // ScheduleAct → Schedule: takes it off the list of those that failed
	MethodSchedulesFailed Method = "schedules.failed" // SchedulesParams → ScheduleTicks: what failed for good and is not dismissed
)

// ScheduleKind is what makes a schedule due.
type ScheduleKind string

// The kinds of schedules.
const (
	ScheduleAt        ScheduleKind = "at"        // once: a time
	ScheduleEvery     ScheduleKind = "every"     // again and again: an interval
	ScheduleCron      ScheduleKind = "cron"      // five fields: minute, hour, day of month, month, day of week
	ScheduleReminder  ScheduleKind = "reminder"  // says its task to the owner, and asks no model; its spec is one of the three above
	ScheduleMonitor   ScheduleKind = "monitor"   // looks at a figure that a tool gives, and works when its condition begins to hold
	ScheduleHeartbeat ScheduleKind = "heartbeat" // as every, while nobody is disturbed: it keeps the quiet hours
)

// ScheduleState is where a schedule stands.
type ScheduleState string

// The states of a schedule.
const (
	ScheduleActive  ScheduleState = "active"
	SchedulePaused  ScheduleState = "paused" // each tick is skipped; Why says by whom or why
	ScheduleDone    ScheduleState = "done"   // nothing is due anymore
	ScheduleDeleted ScheduleState = "deleted"
)

// Why a schedule is paused.
const (
	PausedByOwner   = "owner"
	PausedNoAgent   = "agent_removed" // its agent is not in the team anymore
	PausedFailing   = "failing"       // MaxScheduleFailures ticks in a row have failed for good
	PausedByAnAgent = "agent"         // by schedule_update
)

// CatchUp is what becomes of a tick that passed while the server was off or asleep.
type CatchUp string

// What becomes of ticks that passed.
const (
	CatchUpOnce CatchUp = "once" // the last of them runs late, those before it are missed
	CatchUpSkip CatchUp = "skip" // all are missed
)

// DeliverTo is where the result of a schedule goes.
type DeliverTo string

// Where results go.
const (
	DeliverSession DeliverTo = "session" // a conversation of the owner: the one in which it was made, or one of its own
	DeliverChannel DeliverTo = "channel" // refused until a channel is connected
	DeliverWebhook DeliverTo = "webhook" // an address that the owner has signed for (webhook.go), and the conversation
	DeliverNone    DeliverTo = "none"    // its conversation is kept with the archived ones
)

// ScheduleDeliver says where the result of a schedule goes.
type ScheduleDeliver struct {
	To DeliverTo `json:"to"`
}

// TickVerdict is what became of a tick.
type TickVerdict string

// The verdicts. Each tick gets exactly one.
const (
	TickRan      TickVerdict = "ran"       // its run was started on time
	TickCaughtUp TickVerdict = "caught_up" // its run was started late
	TickSkipped  TickVerdict = "skipped"   // on time, but something stood in the way: Reason
	TickMissed   TickVerdict = "missed"    // the server was off, asleep or busy until it was too late
)

// TickOutcome is how the run of a tick ended.
type TickOutcome string

// The outcomes.
const (
	TickNothing TickOutcome = ""        // it has no run
	TickOpen    TickOutcome = "open"    // its run is at work, or waits for a decision
	TickDone    TickOutcome = "done"    // its result was delivered
	TickRetried TickOutcome = "retried" // its run failed, and another one is due at RetryAt
	TickFailed  TickOutcome = "failed"  // every try has failed
	TickStopped TickOutcome = "stopped" // a person stopped its run
	TickPaused  TickOutcome = "paused"  // a pause ended its run; no failure
)

// Bounds of schedules.
const (
	MaxSchedules        = 500  // of one server, without deleted ones and those that are done
	MaxScheduleTask     = 4000 // characters
	MaxScheduleTitle    = 80   // characters, one line
	MaxScheduleSpec     = 200  // characters
	MaxScheduleFailures = 5    // ticks in a row that failed for good before it is paused
	MaxSchedulesDue     = 1000 // entries of a calendar
	MaxConditionArgs    = 4000 // bytes
	MaxConditionPlace   = 200  // bytes
	MaxMonitorBlind     = 3    // looks in a row without a number before the owner is told
)

// Schedule is one schedule as pages show it.
type Schedule struct {
	ID       string          `json:"id"`
	Agent    string          `json:"agent"`
	Kind     ScheduleKind    `json:"kind"`
	Spec     string          `json:"spec"`      // as it is kept: "2026-11-30T09:00", "2h", "2w from 2026-12-04T09:00", "0 8 * * 1"
	Says     string          `json:"says"`      // the same in English words, with the zone where a time stands in it
	TimeZone string          `json:"time_zone"` // IANA name
	Title    string          `json:"title"`
	Task     string          `json:"task"`
	CatchUp  CatchUp         `json:"catch_up"`
	Deliver  ScheduleDeliver `json:"deliver"`
	State    ScheduleState   `json:"state"`
	Why      string          `json:"why,omitempty"` // while paused
	Next     time.Time       `json:"next"`          // zero when nothing is due anymore
	Last     *ScheduleTick   `json:"last,omitempty"`
	Failed   int             `json:"failed"`           // ticks that failed for good and are not dismissed
	Level    int             `json:"level"`            // its runs stand no higher than this
	Outside  []TaintSource   `json:"outside"`          // the content from outside that stood behind its making; its runs are judged so
	Session  string          `json:"session"`          // the conversation that its results stand in
	By       Origin          `json:"by"`               // who made it; of one that an agent made: whom the agent answered
	RunID    string          `json:"run_id,omitempty"` // the run that made it; empty when a person did
	Version  int64           `json:"version"`          // counts edits
	Created  time.Time       `json:"created_at"`
	Updated  time.Time       `json:"updated_at"`

	Condition *ScheduleCondition `json:"condition,omitempty"` // of a monitor
	Holds     bool               `json:"holds,omitempty"`     // its condition held when it was looked at last

	Webhook *ScheduleWebhook `json:"webhook,omitempty"` // nil: nobody has signed for an address
}

// ScheduleCondition is what a monitor watches: a tool's result, and what must hold of a number in it.
type ScheduleCondition struct {
	Tool  string  `json:"tool"`           // one that only reads
	Args  string  `json:"args"`           // JSON
	Find  string  `json:"find,omitempty"` // the words before the number in the text; empty: the first number
	Is    string  `json:"is"`             // above, below or equal
	Value float64 `json:"value"`

	// In place of Find, since version 6: a path into JSON such as data.0.free, or a regular expression with one group.
	Path    string `json:"path,omitempty"`
	Pattern string `json:"pattern,omitempty"`
}

// SchedulesParams asks for one page of the schedules: those that are due next first, then the others by age.
type SchedulesParams struct {
	Q     string        `json:"q,omitempty"` // in title or task
	Agent string        `json:"agent,omitempty"`
	Kind  ScheduleKind  `json:"kind,omitempty"`
	State ScheduleState `json:"state,omitempty"` // empty: all but deleted ones
	After string        `json:"after,omitempty"` // cursor from the page before
	Limit int           `json:"limit"`           // 1 to 200; 0 means 50
}

// SchedulesResult is one page of the schedules.
type SchedulesResult struct {
	Items    []Schedule       `json:"items"`
	Next     string           `json:"next"`   // empty at the end
	Failed   int              `json:"failed"` // ticks of all schedules that failed for good and are not dismissed
	Settings ScheduleSettings `json:"settings"`
}

// ScheduleSettings hold for all schedules of a server.
type ScheduleSettings struct {
	Paused bool `json:"paused"` // every tick is skipped
	// QuietFrom and QuietTo are the quiet hours, as local times "22:00" and "07:00": what comes again and again by an interval is
	// skipped then, what has a time of its own is not. Both empty: none.
	QuietFrom string `json:"quiet_from"`
	QuietTo   string `json:"quiet_to"`
	By        Origin `json:"by"` // who set it last
}

// ScheduleParams names a schedule.
type ScheduleParams struct {
	ID string `json:"id"`
}

// ScheduleTicksParams asks for one page of the history of a schedule, newest first.
type ScheduleTicksParams struct {
	ID    string `json:"id"`
	After string `json:"after,omitempty"`
	Limit int    `json:"limit"` // 1 to 200; 0 means 50
}

// ScheduleTicks is one page of ticks, newest first.
type ScheduleTicks struct {
	Items []ScheduleTick `json:"items"`
	Next  string         `json:"next"`
}

// ScheduleTick is one due time and what became of it.
type ScheduleTick struct {
	Schedule string      `json:"schedule"`
	Due      time.Time   `json:"due"` // without the spread
	Verdict  TickVerdict `json:"verdict"`
	Reason   string      `json:"reason"`           // in words for people; empty when it ran on time
	RunID    string      `json:"run_id,omitempty"` // of the newest try
	Try      int         `json:"try"`              // 1 for the first run; 0 without one
	Outcome  TickOutcome `json:"outcome"`
	RetryAt  time.Time   `json:"retry_at"` // zero except while Outcome is TickRetried
	At       time.Time   `json:"at"`       // when the verdict was written
	Asked    bool        `json:"asked"`    // by "run now"

	Delivery *ScheduleDelivery `json:"delivery,omitempty"` // to a webhook
}

// ScheduleCreate makes a schedule. Spec may also be a phrase such as "tomorrow at 9" or "jeden Montag um 8": it is read in
// TimeZone, and what can mean two things is a conflict whose text asks which.
type ScheduleCreate struct {
	ID       string          `json:"id"` // UUID, minted by who asks: a repeat makes no second one
	Agent    string          `json:"agent"`
	Kind     ScheduleKind    `json:"kind"`
	Spec     string          `json:"spec"`
	TimeZone string          `json:"time_zone"` // empty: the owner's
	Title    string          `json:"title"`     // empty: the beginning of the task
	Task     string          `json:"task"`
	CatchUp  CatchUp         `json:"catch_up"` // empty: once
	Deliver  ScheduleDeliver `json:"deliver"`  // empty: session
	By       Origin          `json:"by"`

	Condition *ScheduleCondition `json:"condition,omitempty"` // of a monitor
}

// ScheduleEdit changes what is set, and leaves the rest. Its level and what stood behind its making stay.
type ScheduleEdit struct {
	ID       string           `json:"id"`
	Version  int64            `json:"version"` // the one that was read; another one is a conflict; 0: whatever it is
	Agent    *string          `json:"agent,omitempty"`
	Kind     *ScheduleKind    `json:"kind,omitempty"`
	Spec     *string          `json:"spec,omitempty"`
	TimeZone *string          `json:"time_zone,omitempty"`
	Title    *string          `json:"title,omitempty"`
	Task     *string          `json:"task,omitempty"`
	CatchUp  *CatchUp         `json:"catch_up,omitempty"`
	Deliver  *ScheduleDeliver `json:"deliver,omitempty"`
	By       Origin           `json:"by"`

	Condition *ScheduleCondition `json:"condition,omitempty"`
}

// ScheduleAct pauses, resumes, deletes or dismisses.
type ScheduleAct struct {
	ID string `json:"id"`
	By Origin `json:"by"`
}

// ScheduleRun runs a schedule once, now.
type ScheduleRun struct {
	ID    string `json:"id"`
	RunID string `json:"run_id"` // UUID, minted by who asks: a repeat runs nothing
	By    Origin `json:"by"`
}

// SchedulesDueParams asks what is due from From until, not including, Until: at most a year.
type SchedulesDueParams struct {
	From  time.Time `json:"from"`
	Until time.Time `json:"until"`
}

// SchedulesDue are the times at which active schedules are due, by time, at most MaxSchedulesDue.
type SchedulesDue struct {
	Items []ScheduleDue `json:"items"`
	More  bool          `json:"more"`
}

// ScheduleDue is a time at which a schedule is due.
type ScheduleDue struct {
	Schedule string    `json:"schedule"`
	Title    string    `json:"title"`
	Agent    string    `json:"agent"`
	Due      time.Time `json:"due"`
}

// ScheduleReadParams asks what a spec or a phrase means.
type ScheduleReadParams struct {
	Kind     ScheduleKind `json:"kind,omitempty"` // empty: found out from Spec
	Spec     string       `json:"spec"`
	TimeZone string       `json:"time_zone"` // empty: the owner's
}

// ScheduleReading is what a spec or a phrase means. Either Next has entries, or Ask asks what is meant.
type ScheduleReading struct {
	Kind     ScheduleKind `json:"kind"`
	Spec     string       `json:"spec"`
	Says     string       `json:"says"`
	TimeZone string       `json:"time_zone"`
	Next     []time.Time  `json:"next"`              // the next times, five at most
	Ask      string       `json:"ask,omitempty"`     // a question for the person who wrote it
	Choices  []string     `json:"choices,omitempty"` // specs to choose from, with Ask
}

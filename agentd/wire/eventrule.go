package wire

import "time"

// The methods about rules on events, since version 6: when something happens on the server, an agent works on it. Params →
// result. What lets more happen is signed (HookDo.Signed).
const (
	MethodEventRulesList   Method = "eventrules.list"   // EventRulesParams → EventRulesResult
	MethodEventRuleGet     Method = "eventrule.get"     // EventRuleParams → EventRule; also after it was deleted
	MethodEventRuleFirings Method = "eventrule.firings" // EventFiringsParams → EventFirings
	MethodEventRuleChange  Method = "eventrule.change"  // EventRuleChange → EventRule as it stands then; a repeat gives what is there
)

// EventKind is what can happen.
type EventKind string

// What can happen.
const (
	EventRunEnded       EventKind = "run_ended"        // a run that nobody delegated has ended; Outcome says how
	EventApprovalWaits  EventKind = "approval_waiting" // somebody is asked
	EventScheduleFailed EventKind = "schedule_failed"  // a date of a schedule has failed for good
	EventToolDegraded   EventKind = "tool_degraded"    // requests in a row did not reach a business tool
)

// Known says whether there is such an event.
func (k EventKind) Known() bool {
	return k == EventRunEnded || k == EventApprovalWaits || k == EventScheduleFailed || k == EventToolDegraded
}

// EventOutcome is how a run ended.
type EventOutcome string

// How a run ends.
const (
	OutcomeDone    EventOutcome = "done"
	OutcomeFailed  EventOutcome = "failed"
	OutcomeStopped EventOutcome = "stopped" // a person stopped it
	OutcomeLimit   EventOutcome = "limit"   // it used up what one run may take
)

// Known says whether a run can end so.
func (o EventOutcome) Known() bool {
	return o == OutcomeDone || o == OutcomeFailed || o == OutcomeStopped || o == OutcomeLimit
}

// Bounds of rules on events.
const (
	MaxEventRules     = 50
	MaxEventRuleName  = 80   // characters, one line
	MaxEventRuleTask  = 2000 // characters
	MaxEventsPerHour  = 60   // runs that the owner may let a rule begin
	UsualEventsAnHour = 12
	MaxEventOpen      = 20 // runs of one rule that have not ended
)

// EventWhen is what a rule waits for. An empty field narrows nothing.
type EventWhen struct {
	Event    EventKind    `json:"event"`
	OfAgent  string       `json:"of_agent"` // whose run, request or schedule it is
	Outcome  EventOutcome `json:"outcome"`  // with EventRunEnded
	Schedule string       `json:"schedule"` // id, with EventScheduleFailed
}

// EventRule is one rule as pages show it.
type EventRule struct {
	ID      string       `json:"id"`
	Name    string       `json:"name"`
	When    EventWhen    `json:"when"`
	Agent   string       `json:"agent"`
	Task    string       `json:"task"`
	PerHour int          `json:"per_hour"`
	State   HookState    `json:"state"`
	Why     string       `json:"why,omitempty"` // while paused: PausedByOwner or PausedNoAgent
	Level   int          `json:"level"`         // its runs stand no higher
	Session string       `json:"session"`       // the conversation of its runs
	Last    *EventFiring `json:"last,omitempty"`
	Version int64        `json:"version"` // counts changes
	By      DecidedBy    `json:"by"`      // who made it
	Created time.Time    `json:"created_at"`
	Updated time.Time    `json:"updated_at"`
}

// EventRulesParams asks for the rules, by name. There are at most MaxEventRules.
type EventRulesParams struct{}

// EventRulesResult are the rules of a server, without deleted ones.
type EventRulesResult struct {
	Items []EventRule `json:"items"`
}

// EventRuleParams names a rule.
type EventRuleParams struct {
	ID string `json:"id"`
}

// EventFiringsParams asks for one page of the history of a rule, newest first.
type EventFiringsParams struct {
	ID    string `json:"id"`
	After string `json:"after,omitempty"`
	Limit int    `json:"limit"` // 1 to 200; 0 means 50
}

// EventFirings is one page of the history of a rule.
type EventFirings struct {
	Items []EventFiring `json:"items"`
	Next  string        `json:"next"`
}

// EventVerdict is what became of an event that a rule waits for.
type EventVerdict string

// The verdicts.
const (
	EventBegan EventVerdict = "began" // an agent works on it
	EventHeld  EventVerdict = "held"  // it began nothing; Reason says why
)

// EventFiring is an event that a rule waited for, or several within an hour that began nothing for the same reason.
type EventFiring struct {
	At       time.Time    `json:"at"` // the newest
	Verdict  EventVerdict `json:"verdict"`
	Reason   string       `json:"reason"` // in words for people
	RunID    string       `json:"run_id,omitempty"`
	Count    int          `json:"count"`
	OfRun    string       `json:"of_run,omitempty"` // the run that it happened to
	OfAgent  string       `json:"of_agent,omitempty"`
	Outcome  EventOutcome `json:"outcome,omitempty"`
	Schedule string       `json:"schedule,omitempty"`
}

// ChangeEventRule is a change of a rule by a person; body: EventRuleAct.
const ChangeEventRule ChangeKind = "event_rule"

// EventRuleAct is what is signed: everything that decides what happens. Its Do is one of HookDo save HookDoRenew.
type EventRuleAct struct {
	ID       string       `json:"id"` // UUIDv7: names the act, which happens once; of a new rule also its id
	Do       HookDo       `json:"do"`
	Rule     string       `json:"rule"` // its id; empty for a new one
	Name     string       `json:"name"`
	Event    EventKind    `json:"event"`
	OfAgent  string       `json:"of_agent"`
	Outcome  EventOutcome `json:"outcome"`
	Schedule string       `json:"schedule"`
	Agent    string       `json:"agent"`
	Task     string       `json:"task"`
	PerHour  int          `json:"per_hour"`
	Version  int64        `json:"version"` // of the rule as the person saw it: another one is refused. 0 for a new one
}

// When is what the act has the rule wait for.
func (a EventRuleAct) When() EventWhen { return EventWhen{a.Event, a.OfAgent, a.Outcome, a.Schedule} }

// EventRuleChange asks for an act.
type EventRuleChange struct {
	Act       EventRuleAct `json:"act"`
	Signature *Signature   `json:"signature"`
	By        DecidedBy    `json:"by"`
}

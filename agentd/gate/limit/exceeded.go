package limit

import (
	"fmt"
	"time"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/tool"
)

const (
	// MaxDepth is how often a task may be handed on.
	MaxDepth = 5
	// dispatchTool is the tool that hands a task on.
	dispatchTool = "agent_dispatch"
	// resourcesRetry is when it is worth trying again after the machine ran short.
	resourcesRetry = time.Minute
)

// Exceeded is a limit that a call is beyond.
type Exceeded struct {
	Kind  string // loop, depth, resources, rate, cooldown or hours
	Why   string // for people and receipts
	Text  string // for the model
	After time.Duration
}

// RetryAfter is how many whole seconds to wait before another try; 0 when waiting does not help. Whoever waits that long
// may go on.
func (e *Exceeded) RetryAfter() int64 {
	return int64((e.After + time.Second - 1) / time.Second)
}

// Message is the text for the model, with the time to wait.
func (e *Exceeded) Message() string {
	if e.After <= 0 {
		return e.Text
	}
	return e.Text + fmt.Sprintf(" Try again in %s.", (time.Duration(e.RetryAfter())*time.Second).String())
}

// Depth refuses to hand a task on too often.
func Depth(toolName string, depth int) *Exceeded {
	if toolName != dispatchTool || depth < MaxDepth {
		return nil
	}
	return &Exceeded{
		Kind: "depth",
		Why:  fmt.Sprintf("the task was handed on %d times already", depth),
		Text: fmt.Sprintf("This task was handed on %d times already; do it yourself or say what is in the way.", depth),
	}
}

// Handing is how often an agent hands tasks on, to colleagues and sub-agents together.
var Handing = policy.Rate{Calls: 30, Per: time.Minute}

// Hands says whether a tool hands a task on.
func Hands(toolName string) bool { return toolName == dispatchTool || toolName == "subagent_spawn" }

// Resources refuses what the machine has no room for, before the disk is so full that not even receipts can be kept.
func Resources(left policy.Left, c policy.Class, programs bool) *Exceeded {
	s, short := left.Short(c, programs)
	if !short {
		return nil
	}
	room, kept := tool.Bytes(s.Left), tool.Bytes(s.Kept)
	help := "Reading files goes on. Tell the owner that the server needs more memory or fewer programs."
	if s.Disk {
		help = "Reading goes on, and so does deleting files with file_delete as long as there is room for its receipts. " +
			"Tell the owner that somebody has to make room."
	}
	return &Exceeded{
		Kind: "resources", After: resourcesRetry,
		Why: fmt.Sprintf("%s is short: %s left, %s stay free", s.What, room, kept),
		Text: fmt.Sprintf("This was not done, for the server is short of room: of %s there are %s left, and %s stay free. %s",
			s.What, room, kept, help),
	}
}

// Hours refuses a call outside the hours of a rule.
func Hours(l policy.RuleLimits, now time.Time) *Exceeded {
	if l.Hours == nil {
		return nil
	}
	wait := l.Hours.Wait(now)
	if wait <= 0 {
		return nil
	}
	return &Exceeded{
		Kind: "hours", After: wait, Why: "outside the hours of the rule " + l.Rule,
		Text: "The owner allows this at certain hours only; it was not done.",
	}
}

// TierRate refuses a call that has to wait for the rate of its tier.
func TierRate(r policy.Rate, wait time.Duration) *Exceeded {
	if wait == 0 {
		return nil
	}
	return &Exceeded{
		Kind: "rate", After: wait, Why: fmt.Sprintf("more than %d calls in %s", r.Calls, r.Per),
		Text: "This was tried too often; it was not done.",
	}
}

// RuleRate refuses a call that has to wait for the rate or cooldown of a rule.
func RuleRate(l policy.RuleLimits, wait time.Duration) *Exceeded {
	switch {
	case wait == 0:
		return nil
	case !l.Rate.IsZero():
		return &Exceeded{
			Kind: "rate", After: wait, Why: fmt.Sprintf("the rule %s allows %d calls in %s", l.Rule, l.Rate.Calls, l.Rate.Per),
			Text: "The owner allows this only so often; it was not done.",
		}
	}
	return &Exceeded{
		Kind: "cooldown", After: wait, Why: fmt.Sprintf("the rule %s asks for %s between two calls", l.Rule, time.Duration(l.Cooldown)),
		Text: "The owner wants some time between two of these; it was not done.",
	}
}

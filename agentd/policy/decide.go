package policy

import "slices"

// Effect is what the rules say about a call.
type Effect string

// The effects.
const (
	Allow Effect = "allow"
	Ask   Effect = "ask"
	Deny  Effect = "deny"
)

// Input is everything a decision depends on.
type Input struct {
	Tier     Tier
	Level    int  // lowest effective autonomy level of the chain of delegation; outside 1 to 3 counts as 1
	Unlocked bool // the owner lets this agent use this tool outward
	Window   Tier // tier of an open window for this agent and tool; empty: none
}

// Verdict is a decision and its reason in plain words.
type Verdict struct {
	Effect Effect
	Why    string
}

// Decide is the decision table of the gate. Whatever it does not know is denied.
func Decide(in Input) Verdict {
	switch in.Tier {
	case Forbidden:
		return Verdict{Deny, "this is never allowed, whoever approves"}
	case CriticalRed:
		return Verdict{Ask, "this cannot be undone, so a person is always asked"}
	case Green:
		return Verdict{Allow, "it only reads"}
	case Yellow, YellowExternal, Red:
	default:
		return Verdict{Deny, "its risk is not known"}
	}
	if covers(in.Window, in.Tier) {
		return Verdict{Allow, "a window that the owner opened covers it"}
	}
	if in.Tier == YellowExternal && !in.Unlocked {
		return Verdict{Ask, "it reaches someone outside the business"}
	}
	return byLevel(in)
}

// byLevel decides what depends on autonomy alone.
func byLevel(in Input) Verdict {
	level := in.Level
	if level < 1 || level > 3 {
		level = 1
	}
	switch {
	case in.Tier == Red && level < 3:
		return Verdict{Ask, "it removes something, and this agent may not do that alone"}
	case level < 2:
		return Verdict{Ask, "it changes something, and this agent asks before every change"}
	case in.Tier == YellowExternal:
		return Verdict{Allow, "the owner unlocked this tool for this agent"}
	}
	return Verdict{Allow, "this agent may do it alone"}
}

// covers says whether a window that was opened for a call of tier window holds for one of tier t: for the same
// tier, and for less risk inside the business. One for outside covers outside alone, and the other way round.
func covers(window, t Tier) bool {
	switch {
	case window == "" || t == CriticalRed || t == Forbidden:
		return false
	case window == t:
		return true
	}
	return t != YellowExternal && window != YellowExternal && t.Rank() <= window.Rank() && window.Rank() < CriticalRed.Rank()
}

// MaxWindow is the longest window in minutes that may be opened for calls of tier t; 0 means once only.
func MaxWindow(t Tier) int {
	switch t {
	case Yellow, YellowExternal:
		return 480
	case Red:
		return 60
	}
	return 0
}

// Windows are the lengths in minutes that a person is offered for a call of tier t.
func Windows(t Tier) []int {
	offered := []int{15, 60, 240, 480}
	return slices.DeleteFunc(offered, func(m int) bool { return m > MaxWindow(t) })
}

// Rises says whether going from tier a to tier b needs a new decision of a person.
func Rises(a, b Tier) bool {
	return b.Rank() > a.Rank() || b == YellowExternal && a != YellowExternal
}

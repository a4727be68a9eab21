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

// Opinion is what the guardian says about a call. What is none of these counts as Escalate.
type Opinion string

// The opinions. Unasked says that the guardian was not asked about this call.
const (
	Unasked  Opinion = ""
	Harmless Opinion = "allow"
	Block    Opinion = "block"
	Escalate Opinion = "escalate"
)

// Input is everything a decision depends on.
type Input struct {
	Tier     Tier
	Level    int   // lowest effective autonomy level of the chain of delegation; outside 1 to 3 counts as 1
	Unlocked bool  // the owner lets this agent use this tool outward
	Outward  bool  // it reaches someone outside the business, whatever tier it has besides
	Always   bool  // what it does is asked at every level, such as an installation
	Taint    Taint // whether content from outside may stand behind it
	Novel    bool  // it sends bytes to a destination that nobody in the business named

	Window        Tier // tier of an open window for this agent and tool; empty: none
	WindowTainted bool // whoever opened the window was told that content from outside stands behind the call

	Rule    Effect // what the owner's rules say; empty: nothing
	RuleWhy string // which rule says so, in plain words

	Guardian Opinion
	Judged   string // the guardian's reason

	Outgoing    Effect // what the scan of outgoing text says; empty or Allow: nothing was found
	OutgoingWhy string

	Over string // the budget of the run that this call would exceed, in plain words; empty: none
}

// Verdict is a decision and its reason in plain words.
type Verdict struct {
	Effect Effect
	Why    string
}

// Decide is the decision table of the gate. Whatever it does not know is denied. What forbids comes first, then the
// table, then what may only turn a yes into a question.
func Decide(in Input) Verdict {
	if v := refused(in); v.Effect == Deny {
		return v
	}
	v := byTable(in)
	if v.Effect != Allow {
		return v
	}
	if why := doubt(in); why != "" {
		return Verdict{Ask, why}
	}
	return v
}

// refused is what no person is asked about.
func refused(in Input) Verdict {
	switch {
	case in.Tier == Forbidden:
		return Verdict{Deny, "this is never allowed, whoever approves"}
	case tierRank[in.Tier] == 0:
		return Verdict{Deny, "its risk is not known"}
	case in.Rule == Deny:
		return Verdict{Deny, or(in.RuleWhy, "a rule of the owner forbids it")}
	case in.Outgoing == Deny:
		return Verdict{Deny, or(in.OutgoingWhy, "what would leave holds something that must not")}
	case in.Guardian == Block:
		return Verdict{Deny, "the guardian blocked it: " + or(in.Judged, "no reason given")}
	}
	return Verdict{}
}

// byTable decides by tier, autonomy, unlock, taint, window and rule.
func byTable(in Input) Verdict {
	switch {
	case in.Tier == CriticalRed:
		return Verdict{Ask, "this cannot be undone, so a person is always asked"}
	case in.Always:
		return Verdict{Ask, "it adds or removes something that agents can use, so a person is always asked"}
	case in.Tier == Green:
		return reads(in)
	case in.Tier == Red && in.Outward && !in.Unlocked: // before windows: one for red was opened for what stays inside
		return Verdict{Ask, "it reaches someone outside the business"}
	case covers(in.Window, in.Tier) && (in.Taint == Clean || in.WindowTainted):
		return Verdict{Allow, "a window that the owner opened covers it"}
	case in.Tier == YellowExternal && !in.Unlocked:
		return Verdict{Ask, "it reaches someone outside the business"}
	case in.Taint == Tainted, in.Taint != Clean && in.Tier != YellowExternal:
		return Verdict{Ask, taintWhy(in.Tier)}
	case in.Rule == Ask:
		return Verdict{Ask, or(in.RuleWhy, "a rule of the owner asks for it")}
	case in.Rule == Allow && in.Tier != Red:
		return Verdict{Allow, or(in.RuleWhy, "a rule of the owner allows it")}
	}
	return byLevel(in)
}

// reads decides what has no effect inside: it may still carry bytes to someone.
func reads(in Input) Verdict {
	switch {
	case in.Novel && in.Taint == Tainted:
		return Verdict{Ask, "it sends something to a destination that nobody named, and content from outside stands behind it"}
	case in.Rule == Ask:
		return Verdict{Ask, or(in.RuleWhy, "a rule of the owner asks for it")}
	}
	return Verdict{Allow, "it only reads"}
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

// doubt is what turns a yes into a question; empty: nothing.
func doubt(in Input) string {
	switch {
	case in.Outgoing != "" && in.Outgoing != Allow:
		return or(in.OutgoingWhy, "what would leave has to be looked at")
	case in.Over != "":
		return in.Over
	case in.Guardian != Unasked && in.Guardian != Harmless:
		return "the guardian wants a person to look: " + or(in.Judged, "no reason given")
	}
	return ""
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
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

// InChannel says whether a person may decide about a call of a tier by a messaging channel: nothing that destroys or weakens.
func InChannel(t Tier) bool { return t.Rank() < Red.Rank() }

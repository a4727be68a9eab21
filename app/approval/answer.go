package approval

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"gatehouse/agentd/wire"
	"gatehouse/app/fault"
)

// Limits of an answer.
const (
	MaxWindow    = 480       // minutes that a window may last
	MaxWindowRed = 60        // minutes, for red calls
	maxArgs      = 512 << 10 // bytes of edited arguments
	maxScope     = 16 << 10  // bytes of what a window or rule holds for
	maxReason    = 2000      // characters
)

// WindowLimit is the longest window in minutes that calls of a tier may get; 0: none.
func WindowLimit(tier string) int {
	switch tier {
	case "green", "yellow", "yellow_external":
		return MaxWindow
	case "red":
		return MaxWindowRed
	}
	return 0
}

// mayAnswer says who may answer what. Whose signature allows is for the server to say: it knows who enrolled which key.
func mayAnswer(ans Answer) error {
	switch ans.By.Role {
	case "owner":
		return nil
	case "member":
		if ans.Verb == wire.AllowWindow || ans.Verb == wire.AllowRule || ans.Verb == wire.Edit {
			return ErrMemberOnce // the server would refuse it, too
		}
		return nil
	case "staff":
		if ans.Verb == wire.AllowWindow || ans.Verb == wire.AllowRule || ans.Verb == wire.Edit {
			return ErrStaffOnce // the server would refuse it, too
		}
		return nil
	}
	return ErrNotAPerson
}

func fits(a *Item, ans Answer) error {
	if utf8.RuneCountInString(ans.Reason) > maxReason {
		return fault.Bad(map[string]string{"reason": fmt.Sprintf("Use at most %d characters.", maxReason)})
	}
	if err := fitsScope(ans); err != nil {
		return err
	}
	switch ans.Verb {
	case wire.AllowOnce, wire.Deny:
		return nil
	case wire.AllowWindow:
		return fitsWindow(a, ans.Minutes)
	case wire.AllowRule:
		return fitsRule(a, ans.Scope)
	case wire.Edit:
		return fitsObject("args", "Send the whole new arguments as one JSON object.", ans.Args, maxArgs)
	}
	return fault.Bad(map[string]string{"decision": "Choose allow_once, allow_window, allow_rule, edit or deny."})
}

func fitsWindow(a *Item, minutes int) error {
	limit := WindowLimit(a.Tier)
	switch {
	case limit == 0 || len(a.Windows) == 0:
		return fault.Bad(map[string]string{"minutes": "This kind of action can only be allowed one request at a time."})
	case minutes < 1 || minutes > limit:
		return fault.Bad(map[string]string{"minutes": fmt.Sprintf("Choose between 1 and %d minutes.", limit)})
	}
	return nil
}

// fitsScope refuses a scope where it would mean nothing.
func fitsScope(ans Answer) error {
	if len(ans.Scope) == 0 {
		return nil
	}
	if ans.Verb != wire.AllowWindow && ans.Verb != wire.AllowRule {
		return fault.Bad(map[string]string{"scope": "Only allow_window and allow_rule have a scope."})
	}
	return fitsObject("scope", "Send the scope as one JSON object.", ans.Scope, maxScope)
}

// fitsRule refuses rules for what is always asked.
func fitsRule(a *Item, scope json.RawMessage) error {
	if a.Tier == "red" || a.Tier == "critical_red" {
		return fault.Bad(map[string]string{"decision": "This kind of action needs your approval every time, so it cannot become a rule."})
	}
	return fitsObject("scope", "Say in scope what the rule holds for.", scope, maxScope)
}

// fitsObject checks the form alone: whether it makes sense is for the server to say.
func fitsObject(field, words string, raw json.RawMessage, limit int) error {
	trimmed := bytes.TrimSpace(raw)
	if len(trimmed) == 0 || len(raw) > limit || trimmed[0] != '{' || !json.Valid(raw) || !utf8.Valid(raw) {
		return fault.Bad(map[string]string{field: words})
	}
	return nil
}

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

// mayAnswer says who may answer what. Staff may stop, never allow: that takes a key which the owner enrols for them.
func mayAnswer(ans Answer) error {
	switch ans.By.Role {
	case "owner", "member":
		return nil
	case "staff":
		if ans.Verb == wire.Deny {
			return nil
		}
		return ErrStaffAllow
	}
	return ErrNotAPerson
}

func fits(a *Item, ans Answer) error {
	if utf8.RuneCountInString(ans.Reason) > maxReason {
		return fault.Bad(map[string]string{"reason": fmt.Sprintf("Please keep it below %d characters.", maxReason)})
	}
	switch ans.Verb {
	case wire.AllowOnce, wire.Deny:
		return nil
	case wire.AllowWindow:
		return fitsWindow(a, ans.Minutes)
	case wire.Edit:
		return fitsArgs(ans.Args)
	}
	return fault.Bad(map[string]string{"decision": "Choose allow_once, allow_window, edit or deny."})
}

func fitsWindow(a *Item, minutes int) error {
	limit := WindowLimit(a.Tier)
	switch {
	case limit == 0 || len(a.Windows) == 0:
		return fault.Bad(map[string]string{"minutes": "This kind of action can only be allowed once at a time."})
	case minutes < 1 || minutes > limit:
		return fault.Bad(map[string]string{"minutes": fmt.Sprintf("Choose between 1 and %d minutes.", limit)})
	}
	return nil
}

// fitsArgs checks the form alone: whether the arguments make sense is for the server to say.
func fitsArgs(args json.RawMessage) error {
	trimmed := bytes.TrimSpace(args)
	if len(trimmed) == 0 || len(args) > maxArgs || trimmed[0] != '{' || !json.Valid(args) || !utf8.Valid(args) {
		return fault.Bad(map[string]string{"args": "Send the whole new arguments as one JSON object."})
	}
	return nil
}

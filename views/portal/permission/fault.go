package permission

import (
	"context"

	"gatehouse/views/i18n"
)

var faultWords = map[string]i18n.Key{
	"same_test": "rule.fault.same_test", "no_arg": "rule.fault.no_arg", "no_value": "rule.fault.no_value",
	"bad_count": "rule.fault.bad_count",
	"bad_time":  "rule.fault.bad_time", "bad_span": "rule.fault.bad_span", "bad_size": "rule.fault.bad_size",
	"bad_money": "rule.fault.bad_money", "endless": "rule.fault.endless", "deny_limit": "rule.fault.deny_limit",
	"allow_red": "rule.fault.allow_red", "outside": "rule.fault.outside", "only_allow": "rule.fault.only_allow",
	"twice": "rule.fault.twice", "bad_name": "rule.fault.bad_name",
}

// FaultWord is what is wrong with a rule; text is how the server says it, where no words of ours do.
func FaultWord(ctx context.Context, kind, text string) string {
	if key, ok := faultWords[kind]; ok {
		return i18n.T(ctx, key)
	}
	return i18n.Say(ctx, text)
}

package inbox

import (
	"gatehouse/agentd/policy"
	"gatehouse/agentd/redact"
	"gatehouse/app/approval"

	views "gatehouse/views/inbox"
)

// risk previews how the edited call would be judged. The server judges again, with what it measures, and has the last
// word; here nothing is known of the customer's files and addresses. So a change counts as never allowed only when the
// proposal itself, which the server has found fit to ask about, does not look forbidden from here.
func (h *Inbox) risk(it approval.Item, mine draft) *views.RiskProps {
	class := policy.Classify(it.Tool, mine.json(), policy.Env{})
	never := class.Tier == policy.Forbidden && policy.Classify(it.Tool, it.Args, policy.Env{}).Tier != policy.Forbidden
	return &views.RiskProps{
		Tier: string(class.Tier), Says: redact.Clip(class.Says, policy.Shown), Never: never,
		Rises: policy.Rises(policy.Tier(it.Tier), class.Tier),
	}
}

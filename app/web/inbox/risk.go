package inbox

import (
	"gatehouse/agentd/policy"
	"gatehouse/agentd/redact"
	"gatehouse/app/approval"

	views "gatehouse/views/inbox"
)

// risk previews how the edited call would be judged. The server judges again, with what it measures, and has the last
// word; here nothing is known of the customer's files and addresses.
func (h *Inbox) risk(it approval.Item, mine draft) *views.RiskProps {
	class := policy.Classify(it.Tool, mine.json(), policy.Env{})
	return &views.RiskProps{
		Tier: string(class.Tier), Says: redact.Clip(class.Says, policy.Shown), Rises: policy.Rises(policy.Tier(it.Tier), class.Tier),
		Never: class.Tier == policy.Forbidden,
	}
}

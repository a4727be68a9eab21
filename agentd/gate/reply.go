package gate

import (
	"context"
	"database/sql"

	"gatehouse/agentd/policy"
)

// Replies says whom outside a call answers where the owner has signed that its agent may answer them without a question, as tx sees it;
// without tx, as it was last committed. Empty: nobody.
type Replies = func(ctx context.Context, tx *sql.Tx, c Call) (to string, err error)

// allowReply lets an answer go to the very person outside whom it answers, where the owner has signed for that: they count as named,
// although content from outside, their own, stands behind the run. All else about the decision stays as it is. It says whether it did.
func (p *pipeline) allowReply(ctx context.Context, in *policy.Input) (bool, error) {
	to, err := p.replyTo(ctx, nil)
	if err != nil || to == "" {
		return false, err
	}
	in.Unlocked, in.Taint, in.Novel = true, min(in.Taint, policy.Named), false
	return true, nil
}

// replyTo is whom the call answers, if that is the one and only recipient that it has.
func (p *pipeline) replyTo(ctx context.Context, tx *sql.Tx) (string, error) {
	if p.deps.Replies == nil || p.class.Tier != policy.YellowExternal || len(p.class.Outside) != 1 {
		return "", nil
	}
	to, err := p.deps.Replies(context.WithoutCancel(ctx), tx, p.call)
	if err != nil || to != p.class.Outside[0] {
		return "", err
	}
	return to, nil
}

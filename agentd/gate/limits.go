package gate

import (
	"context"
	"fmt"
	"time"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/tool"
)

// maxDepth is how often a task may be handed on.
const maxDepth = 5

// dispatchTool is the tool that hands a task on.
const dispatchTool = "agent_dispatch"

// tooMuch ends a call at stage 4. after is how long to wait before it may be tried again; 0: waiting does not help.
type tooMuch struct {
	kind  string // loop, depth, resources, rate, cooldown, hours
	why   string
	text  string
	after time.Duration
}

// checkLimits is stage 4: what is beyond a limit is refused before anyone is asked.
func (p *pipeline) checkLimits(ctx context.Context) error {
	if p.class.Tier == policy.Forbidden {
		return nil // refused by the rules, with their reason
	}
	if over := p.checkResources(); over != nil {
		return p.refuseOverLimit(over)
	}
	for _, check := range []func(context.Context) (*tooMuch, error){p.checkLoop, p.checkDepth, p.checkTierRate, p.ruleLimits} {
		over, err := check(ctx)
		if err != nil {
			return err
		}
		if over != nil {
			return p.refuseOverLimit(over)
		}
	}
	return nil
}

// refuseOverLimit is the refusal of a call that is beyond a limit, with its receipt.
func (p *pipeline) refuseOverLimit(o *tooMuch) error {
	body := map[string]any{"limit": o.kind, "why": o.why}
	if o.after > 0 {
		body["retry_after_s"] = seconds(o.after)
		o.text += fmt.Sprintf(" Try again in %s.", (time.Duration(seconds(o.after)) * time.Second).String())
	}
	p.receipts = append(p.receipts, p.newReceipt("call.limited", body))
	return &refusal{"limits", o.why, o.text}
}

// seconds rounds up: who waits that long may go on.
func seconds(d time.Duration) int64 { return int64((d + time.Second - 1) / time.Second) }

// checkLoop refuses a call that keeps giving the same result.
func (p *pipeline) checkLoop(ctx context.Context) (*tooMuch, error) {
	if err := p.tallies.load(ctx, p.Gate, p.rootRun()); err != nil {
		return nil, err
	}
	same := p.tallies.comes(p.rootRun(), p.call.RunID, p.call.ID, p.call.Tool+" "+p.rawArgsHash)
	if same < loopMost {
		return nil, nil
	}
	return &tooMuch{
		kind: "loop", why: fmt.Sprintf("the same call had the same result %d times among the last %d", same, loopWindow),
		text: fmt.Sprintf("This exact call has had the same result %d times; it was not made again. Answer with what you know, or say what is in the way.", same),
	}, nil
}

// checkDepth refuses to hand a task on too often.
func (p *pipeline) checkDepth(context.Context) (*tooMuch, error) {
	if p.call.Tool != dispatchTool || p.call.Depth < maxDepth {
		return nil, nil
	}
	return &tooMuch{
		kind: "depth", why: fmt.Sprintf("the task was handed on %d times already", p.call.Depth),
		text: fmt.Sprintf("This task was handed on %d times already; do it yourself or say what is in the way.", p.call.Depth),
	}, nil
}

// resourcesRetry is when it is worth trying again what the machine was too short for.
const resourcesRetry = time.Minute

// checkResources refuses what the machine is too short for, before a disk is full and not even receipts can be kept.
func (p *pipeline) checkResources() *tooMuch {
	if p.deps.Machine == nil {
		return nil
	}
	s, short := p.deps.Machine.Left().Short(p.class, p.def.Programs)
	if !short {
		return nil
	}
	why := fmt.Sprintf("%s is short: %s left, %s stay free", s.What, tool.Bytes(s.Left), tool.Bytes(s.Kept))
	help := "Reading files goes on. Tell the owner that the server needs more memory or fewer programs."
	if s.Disk {
		help = "Reading goes on, and so does deleting files with file_delete as long as there is room for its receipts. Tell the owner that somebody has to make room."
	}
	return &tooMuch{
		kind: "resources", after: resourcesRetry, why: why,
		text: fmt.Sprintf("This was not done, for the server is short of room: of %s there are %s left, and %s stay free. %s", s.What, tool.Bytes(s.Left), tool.Bytes(s.Kept), help),
	}
}

// checkTierRate bounds each agent with each tool.
func (p *pipeline) checkTierRate(context.Context) (*tooMuch, error) {
	r := policy.UsualRate(p.class.Tier)
	if r.IsZero() {
		return nil, nil
	}
	now := p.clock.now()
	key := "\x00" + string(p.class.Tier) + "\x00" + p.call.Agent + "\x00" + p.call.Tool
	wait := p.buckets.take(key, 0, r, 0, now, func() *policy.Bucket { return policy.NewBucket(r, now) })
	if wait == 0 {
		return nil, nil
	}
	return &tooMuch{kind: "rate", after: wait, why: fmt.Sprintf("more than %d calls in %s", r.Calls, r.Per), text: "This was tried too often; it was not done."}, nil
}

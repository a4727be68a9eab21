package httprequest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/netguard"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/tools/registry"
)

const (
	name    = "http_request"
	timeout = time.Minute
)

// Tool sends requests to business tools.
type Tool struct {
	tools *registry.Registry
	dial  dialer
	watch func(p gate.Permit, business, why string) // nil: nobody hears of it
}

// New makes the tool for one registry.
func New(tools *registry.Registry) *Tool {
	return &Tool{tools: tools, dial: dialer{resolve: netguard.System}}
}

// Watch has somebody hear of each request whether the business tool was reached: why is empty when it was, and words of ours when it was
// not. Before the first Run.
func (t *Tool) Watch(fn func(p gate.Permit, business, why string)) { t.watch = fn }

// Definition says what the model sees. It is not idempotent: nobody can tell whether a request that was cut off was
// carried out.
func (t *Tool) Definition() tool.Definition {
	return tool.Definition{
		Name: name, Doc: "Call the HTTP API of a registered business tool. Sign-in is added for you. In fields of the body, SECRET_REF(name) stands for a secret that is bound there.",
		Args: tool.SchemaOf[policy.HTTPArgs](), Outward: true, Timeout: timeout,
	}
}

// Classify judges by the tool's own table of methods.
func (t *Tool) Classify(args json.RawMessage) policy.Class {
	return policy.Classify(name, args, policy.Env{Tools: t.registered()})
}

func (t *Tool) registered() []policy.Registered {
	if t.tools == nil { // the definition alone
		return nil
	}
	return t.tools.Registered()
}

// Uses implements gate.Bearer: the secret of the sign-in, and every reference in the body.
func (t *Tool) Uses(args []byte) ([]gate.Use, error) {
	r, err := t.read(args)
	if err != nil {
		return nil, err
	}
	return r.uses()
}

// Measure freezes where the request goes and what signs it in: a registry that changes after the question makes the
// gate ask again.
func (t *Tool) Measure(_ context.Context, args json.RawMessage) (gate.Measured, error) {
	r, err := t.read(args)
	if err != nil {
		return gate.Measured{}, err
	}
	frozen, err := r.frozen()
	if err != nil {
		return gate.Measured{}, err
	}
	facts := []tool.Fact{{Name: "destinations", Value: 1, Text: "to " + r.to.String()}}
	if n := int64(len(r.in.Body)); n > 0 {
		facts = append(facts, tool.Fact{Name: "bytes", Value: n, Text: tool.Bytes(n) + " of body"})
	}
	if m := t.Classify(args).Money; m != nil {
		facts = append(facts, tool.Fact{Name: "money", Value: m.Cents, Text: "moves " + m.String()})
	}
	return gate.Measured{Facts: facts, Frozen: frozen}, nil
}

// Run sends the request.
func (t *Tool) Run(ctx context.Context, p gate.Permit, args json.RawMessage) (tool.Result, error) {
	r, err := t.read(args)
	if err != nil {
		return tool.Result{}, err
	}
	frozen, err := r.frozen()
	if err != nil {
		return tool.Result{}, err
	}
	if string(frozen) != string(p.Frozen()) {
		return tool.Result{}, tool.Refuse("The registry of tools changed meanwhile. Nothing was sent; propose it again.")
	}
	if err := p.Redeem(args); err != nil {
		return tool.Result{}, fmt.Errorf("%s: %w", name, err)
	}
	out, err := r.build(ctx, p.Secrets())
	if err != nil {
		return tool.Result{}, fmt.Errorf("%s: %w", name, err)
	}
	res, status, err := t.send(out, r)
	if t.watch != nil && !errors.Is(ctx.Err(), context.Canceled) {
		t.watch(p, r.tool.Name, missed(status, err))
	}
	return res, err
}

// frozen is everything about the request that does not stand in its arguments.
func (r *request) frozen() (json.RawMessage, error) {
	uses, err := r.uses()
	if err != nil {
		return nil, err
	}
	return json.Marshal(map[string]any{"to": r.to.String(), "uses": uses, "prefix": r.tool.Auth.Prefix, "user": r.tool.Auth.User})
}

// reads says whether a method asks only.
func reads(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions
}

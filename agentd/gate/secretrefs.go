package gate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"gatehouse/agentd/tool"
)

// refWord begins a reference to a secret. It means something only in the arguments of a call; elsewhere it is plain text.
const refWord = "SECRET_REF"

var refForm = regexp.MustCompile(`SECRET_REF\(([a-z0-9](?:[a-z0-9_.-]{0,126}[a-z0-9])?)\)`)

// Ref writes the reference to a secret.
func Ref(name string) string { return refWord + "(" + name + ")" }

// Refs lists the names that a text refers to. Text that looks like a reference but is none is an error: the meaning is not
// guessed.
func Refs(text string) ([]string, error) {
	var names []string
	found := refForm.FindAllStringSubmatch(text, -1)
	for _, m := range found {
		names = append(names, m[1])
	}
	if strings.Count(text, refWord) != len(found) {
		return nil, tool.Refuse("A secret reference is written %s(name), with lower-case letters, digits, dot, dash and underscore.", refWord)
	}
	return names, nil
}

// checkRefs is the first half of stage 8, before anyone is asked: may every reference stand where it stands?
func (p *pipeline) checkRefs(ctx context.Context) error {
	p.uses = nil
	named, err := findRefs(p.call.Args)
	if err != nil {
		return &refusal{"lease", clip(err.Error(), maxReceiptText), err.Error() + " Nothing was sent."}
	}
	bearer, ok := p.tool.(Bearer)
	if !ok {
		return p.refuseRefs(named)
	}
	args := p.call.Args
	uses, err := boundedValue(ctx, func(context.Context) ([]Use, error) { return bearer.Uses(args) })
	if err != nil {
		return p.lookError(ctx, "lease", err)
	}
	for i := range uses {
		uses[i].Tool = p.def.Name
	}
	return p.checkUses(ctx, named, uses)
}

func (p *pipeline) refuseRefs(named []string) error {
	if len(named) == 0 {
		return nil
	}
	why := fmt.Sprintf("%s takes no secret references, and %s stands in its arguments", p.toolName(), Ref(named[0]))
	return &refusal{"lease", clip(why, maxReceiptText), "This tool takes no secret references. Nothing was sent and nothing was run."}
}

// checkUses refuses a reference that the tool would not replace, and a use that is not bound.
func (p *pipeline) checkUses(ctx context.Context, named []string, uses []Use) error {
	for _, n := range named {
		if !slices.ContainsFunc(uses, func(u Use) bool { return u.Name == n }) {
			why := clip("nothing may be put in the place of "+Ref(n), maxReceiptText)
			return &refusal{"lease", why, "A secret reference cannot stand there. Nothing was sent."}
		}
	}
	if len(uses) == 0 {
		return nil
	}
	if p.deps.Leases == nil {
		return unboundRefusal()
	}
	if err := p.deps.Leases.Check(ctx, uses); err != nil {
		return leaseRefusal(err)
	}
	p.uses = uses
	return nil
}

// leaseRefusal turns an answer of the vault into a refusal: a use is not bound, or a bound secret cannot be used now.
func leaseRefusal(err error) error {
	var why *tool.Refused
	switch {
	case errors.Is(err, ErrUnbound):
		return unboundRefusal()
	case errors.As(err, &why):
		return &refusal{"lease", clip(why.Text, maxReceiptText), why.Text + " Nothing was sent."}
	}
	return fmt.Errorf("lease: %w", err)
}

// unboundRefusal reads the same whether the secret exists or not.
func unboundRefusal() error {
	return &refusal{
		"lease", ErrUnbound.Error(),
		"This secret reference may not be used there: no such secret is bound to this tool, destination and field. Nothing was sent.",
	}
}

// findRefs finds references in every string of the arguments, names of fields included.
func findRefs(args json.RawMessage) ([]string, error) {
	if !bytes.Contains(args, []byte(refWord)) {
		return nil, nil // the arguments are canonical: letters are not written as escapes
	}
	dec := json.NewDecoder(bytes.NewReader(args))
	var all []string
	for {
		t, err := dec.Token()
		if err != nil {
			return all, nil // the end: canonical arguments have no other
		}
		if s, ok := t.(string); ok {
			names, err := Refs(s)
			if err != nil {
				return nil, err
			}
			all = append(all, names...)
		}
	}
}
